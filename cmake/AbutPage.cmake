# The browser page: viewer/ bundled into ABUT_PAGE_DIR by node. Empty, with ABUT_PAGE_FILES, where node
# or viewer/node_modules (`make setup` fills it) is missing: then the library is built without the page.

find_program(ABUT_NODE node HINTS ${ABUT_VENV}/bin)
set(viewer ${PROJECT_SOURCE_DIR}/viewer)
set(ABUT_PAGE_DIR "")
set(ABUT_PAGE_FILES "")
if(ABUT_NODE AND EXISTS ${viewer}/node_modules/.package-lock.json)
  set(ABUT_PAGE_DIR ${PROJECT_BINARY_DIR}/viewer)
  foreach(file IN ITEMS index.html page.css page.js)
    list(APPEND ABUT_PAGE_FILES ${ABUT_PAGE_DIR}/${file})
  endforeach()
  file(GLOB sources CONFIGURE_DEPENDS ${viewer}/src/*)
  add_custom_command(OUTPUT ${ABUT_PAGE_FILES}
    COMMAND ${ABUT_NODE} ${viewer}/build.mjs ${ABUT_PAGE_DIR}
    DEPENDS ${viewer}/build.mjs ${viewer}/node_modules/.package-lock.json ${sources}
    COMMENT "Bundling the browser page" VERBATIM)
else()
  message(STATUS "Without the browser page: it needs node and npm, then `make setup`")
endif()
