# Coal, an oracle for tests and benchmarks alone: the target abut_coal if the wheel libcoal is in
# the virtual environment. Its headers assume code for the baseline instruction set: a source file
# that includes them must not be compiled for a newer one.

file(GLOB ABUT_COAL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_COAL_INCLUDE coal/distance.h PATHS ${ABUT_COAL_PREFIX} PATH_SUFFIXES include
          NO_DEFAULT_PATH)
find_library(ABUT_COAL_LIBRARY coal PATHS ${ABUT_COAL_PREFIX} PATH_SUFFIXES lib NO_DEFAULT_PATH)
find_package(Eigen3 QUIET NO_MODULE PATHS /usr ${ABUT_VENV}/lib)
if(ABUT_COAL_INCLUDE AND ABUT_COAL_LIBRARY AND Eigen3_FOUND)
  add_library(abut_coal SHARED IMPORTED GLOBAL)
  set_target_properties(abut_coal PROPERTIES
    IMPORTED_LOCATION ${ABUT_COAL_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${ABUT_COAL_INCLUDE}
    INTERFACE_LINK_LIBRARIES Eigen3::Eigen)
else()
  message(STATUS "libcoal not found in ${ABUT_VENV}: no comparison of contacts with Coal")
endif()
