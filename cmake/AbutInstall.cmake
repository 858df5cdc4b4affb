# cmake --install: headers, libraries, the command line and what find_package(abut) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# Everything that a public header includes; not what only the libraries themselves compile.
set(ABUT_PUBLIC_FOLDERS core linalg laws constraints problem solvers)
set(ABUT_PRIVATE_HEADERS linalg/simd.hpp linalg/kernel_functions.hpp linalg/pivot_block.hpp
                         solvers/primal/contact_functions.hpp io/mjcf_ io/xml_scan io/input_file)
if(NOT ABUT_CORE_ONLY)
  list(APPEND ABUT_PUBLIC_FOLDERS geometry trees sim io)
endif()
list(TRANSFORM ABUT_PRIVATE_HEADERS PREPEND "/" OUTPUT_VARIABLE private)
list(JOIN private "|" private)
foreach(folder IN LISTS ABUT_PUBLIC_FOLDERS)
  install(DIRECTORY src/abut/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abut
          FILES_MATCHING PATTERN "*.hpp" REGEX "(${private})" EXCLUDE)
endforeach()

install(TARGETS abut_core EXPORT abutTargets)
if(NOT ABUT_CORE_ONLY)
  install(TARGETS abut EXPORT abutTargets)
  # MuJoCo's library goes along, in a folder of its own: the wheel it comes from may disappear
  install(FILES ${ABUT_MUJOCO_DIR}/libmujoco.so.4.0.0 DESTINATION ${CMAKE_INSTALL_LIBDIR}/abut)
  set_target_properties(abut_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/abut")
endif()

set(ABUT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
install(EXPORT abutTargets NAMESPACE abut:: DESTINATION ${ABUT_CMAKE_DIR})
configure_package_config_file(cmake/abutConfig.cmake.in abutConfig.cmake
  INSTALL_DESTINATION ${ABUT_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(abutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/abutConfig.cmake ${PROJECT_BINARY_DIR}/abutConfigVersion.cmake
        DESTINATION ${ABUT_CMAKE_DIR})
