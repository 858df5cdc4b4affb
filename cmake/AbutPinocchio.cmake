# Pinocchio, which computes the dynamics of articulated trees: the target abut_pinocchio, from the
# wheel libpinocchio in the virtual environment. Its headers assume code for the baseline
# instruction set: a source file that includes them must not be compiled for a newer one.

file(GLOB ABUT_CMEEL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_PINOCCHIO_INCLUDE pinocchio/multibody.hpp PATHS ${ABUT_CMEEL_PREFIX}
          PATH_SUFFIXES include NO_DEFAULT_PATH)
find_library(ABUT_PINOCCHIO_LIBRARY pinocchio_default PATHS ${ABUT_CMEEL_PREFIX}
             PATH_SUFFIXES lib NO_DEFAULT_PATH)
if(NOT ABUT_PINOCCHIO_INCLUDE OR NOT ABUT_PINOCCHIO_LIBRARY)
  message(FATAL_ERROR "libpinocchio not found in ${ABUT_VENV}: run `make setup` first")
endif()
add_library(abut_pinocchio SHARED IMPORTED GLOBAL)
set_target_properties(abut_pinocchio PROPERTIES
  IMPORTED_LOCATION ${ABUT_PINOCCHIO_LIBRARY}
  INTERFACE_INCLUDE_DIRECTORIES "${ABUT_PINOCCHIO_INCLUDE};${ABUT_PINOCCHIO_INCLUDE}/eigen3"
  # those of its own package; the first makes it use the code that the library holds. Under the
  # address sanitizer Eigen would allocate in another way than it does inside the library.
  INTERFACE_COMPILE_DEFINITIONS "EIGEN_MALLOC_ALREADY_ALIGNED=1;PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION;BOOST_MPL_LIMIT_LIST_SIZE=30;BOOST_MPL_LIMIT_VECTOR_SIZE=30;BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS;BOOST_FUSION_INVOKE_MAX_ARITY=12")
