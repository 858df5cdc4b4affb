# tinyxml2, which reads XML: the target abut_tinyxml2, from the wheel cmeel-tinyxml2 in the virtual
# environment.

file(GLOB ABUT_CMEEL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_TINYXML2_INCLUDE tinyxml2.h PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES include
          NO_DEFAULT_PATH)
find_library(ABUT_TINYXML2_LIBRARY tinyxml2 PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES lib
             NO_DEFAULT_PATH)
if(NOT ABUT_TINYXML2_INCLUDE OR NOT ABUT_TINYXML2_LIBRARY)
  message(FATAL_ERROR "tinyxml2 not found in ${ABUT_VENV}: run `make setup` first")
endif()
add_library(abut_tinyxml2 SHARED IMPORTED GLOBAL)
set_target_properties(abut_tinyxml2 PROPERTIES
  IMPORTED_LOCATION ${ABUT_TINYXML2_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${ABUT_TINYXML2_INCLUDE})
