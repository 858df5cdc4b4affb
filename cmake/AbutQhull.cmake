# Qhull, which finds convex hulls: the target abut_qhull, from the wheel cmeel-qhull in the virtual
# environment.

file(GLOB ABUT_CMEEL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_QHULL_INCLUDE libqhull_r/qhull_ra.h PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES include
          NO_DEFAULT_PATH)
find_library(ABUT_QHULL_LIBRARY qhull_r PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES lib
             NO_DEFAULT_PATH)
if(NOT ABUT_QHULL_INCLUDE OR NOT ABUT_QHULL_LIBRARY)
  message(FATAL_ERROR "Qhull not found in ${ABUT_VENV}: run `make setup` first")
endif()
add_library(abut_qhull SHARED IMPORTED GLOBAL)
set_target_properties(abut_qhull PROPERTIES
  IMPORTED_LOCATION ${ABUT_QHULL_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES ${ABUT_QHULL_INCLUDE})
