# Coal, which the tests and benchmarks of contact geometry compare with: the target abut_coal, from the
# wheel libcoal in the virtual environment. Its headers assume code for the baseline instruction set:
# a source file that includes them must not be compiled for a newer one.

file(GLOB ABUT_CMEEL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_COAL_INCLUDE coal/distance.h PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES include
          NO_DEFAULT_PATH)
find_library(ABUT_COAL_LIBRARY coal PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES lib NO_DEFAULT_PATH)
if(NOT ABUT_COAL_INCLUDE OR NOT ABUT_COAL_LIBRARY)
  message(FATAL_ERROR "libcoal not found in ${ABUT_VENV}: run `make setup` first")
endif()
add_library(abut_coal SHARED IMPORTED GLOBAL)
set_target_properties(abut_coal PROPERTIES
  IMPORTED_LOCATION ${ABUT_COAL_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES "${ABUT_COAL_INCLUDE};${ABUT_COAL_INCLUDE}/eigen3"
  # allocate as the library does, under the address sanitizer too
  INTERFACE_COMPILE_DEFINITIONS EIGEN_MALLOC_ALREADY_ALIGNED=1)
