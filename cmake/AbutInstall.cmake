# cmake --install: headers, libraries, the command line and what find_package(abut) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What users include; other headers are for the libraries' own sources.
set(ABUT_HEADERS core laws constraints problem solvers linalg)
if(NOT ABUT_CORE_ONLY)
  list(APPEND ABUT_HEADERS trees sim
    geometry/broad_phase geometry/manifold geometry/shape
    io/file_descriptor io/mjcf io/output_dir io/problem_file io/recording io/recording_csv
    io/recording_format io/recording_writer)
endif()
foreach(name IN LISTS ABUT_HEADERS)
  if(IS_DIRECTORY ${PROJECT_SOURCE_DIR}/src/abut/${name})
    install(DIRECTORY src/abut/${name} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abut
            FILES_MATCHING PATTERN "*.hpp"
            REGEX "/(simd|kernel_functions|pivot_block|contact_functions)\\.hpp" EXCLUDE)
  else()
    get_filename_component(folder ${name} DIRECTORY)
    install(FILES src/abut/${name}.hpp DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abut/${folder})
  endif()
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
