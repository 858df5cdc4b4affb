# cmake --install: headers, libraries, the command line and what find_package(abut) reads.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What users include; all that these include goes along.
set(pending core/error.hpp core/isa.hpp core/parallel.hpp core/version.hpp linalg/eigen_map.hpp problem/certify.hpp
    problem/contact_problem.hpp solvers/contact_solver.hpp)
if(NOT ABUT_CORE_ONLY)
  list(APPEND pending geometry/broad_phase.hpp geometry/manifold.hpp geometry/shape.hpp io/mjcf.hpp
       io/mesh_file.hpp io/output_dir.hpp io/problem_file.hpp io/recording.hpp io/recording_csv.hpp
       io/recording_writer.hpp io/scene_file.hpp io/snapshot_bytes.hpp io/urdf.hpp sim/implied_contact.hpp
       sim/mass_properties.hpp sim/pair_kinds.hpp
       sim/world.hpp view/page.hpp view/replay.hpp)
endif()
set(ABUT_HEADERS)
while(pending)
  list(POP_FRONT pending header)
  if(header IN_LIST ABUT_HEADERS)
    continue()
  endif()
  list(APPEND ABUT_HEADERS ${header})
  get_filename_component(folder ${header} DIRECTORY)
  install(FILES src/abut/${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/abut/${folder})
  file(STRINGS ${PROJECT_SOURCE_DIR}/src/abut/${header} includes REGEX "^#include \"abut/")
  list(TRANSFORM includes REPLACE "^#include \"abut/([^\"]+)\".*" "\\1")
  list(APPEND pending ${includes})
endwhile()

install(TARGETS abut_core EXPORT abutTargets)
if(NOT ABUT_CORE_ONLY)
  install(TARGETS abut EXPORT abutTargets)
  # The libraries of MuJoCo, Pinocchio and Qhull go along, in a folder of their own, with what these
  # need, by the names that these look for: the wheels they come from may disappear.
  set(ABUT_LIBRARIES_DIR ${CMAKE_INSTALL_LIBDIR}/abut/lib)
  install(FILES ${ABUT_RUNTIME_LIBRARIES} DESTINATION ${ABUT_LIBRARIES_DIR})
endif()
if(ABUT_OPTIMIZES_LINKS)  # without the form for this project's own links, which one compiler can read
  if(NOT CMAKE_OBJCOPY)
    message(FATAL_ERROR "objcopy not found, which installed libraries need: configure with -DABUT_LINK_TIME=OFF")
  endif()
  set(folder "${CMAKE_INSTALL_LIBDIR}")
  if(NOT IS_ABSOLUTE "${folder}")
    set(folder "\${CMAKE_INSTALL_PREFIX}/${folder}")
  endif()
  foreach(library IN ITEMS abut_core abut)
    if(TARGET ${library})
      install(CODE "execute_process(COMMAND \"${CMAKE_OBJCOPY}\" --wildcard
        -R .gnu.lto_* -R .gnu.debuglto_* \"\$ENV{DESTDIR}${folder}/$<TARGET_FILE_NAME:${library}>\"
        COMMAND_ERROR_IS_FATAL ANY)")
    endif()
  endforeach()
endif()
if(TARGET abut_cli)
  install(TARGETS abut_cli RUNTIME)
  set_target_properties(abut_cli PROPERTIES
    INSTALL_RPATH "$ORIGIN/../${ABUT_LIBRARIES_DIR}")
endif()

set(ABUT_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/abut)
install(EXPORT abutTargets NAMESPACE abut:: DESTINATION ${ABUT_CMAKE_DIR})
configure_package_config_file(cmake/abutConfig.cmake.in abutConfig.cmake
  INSTALL_DESTINATION ${ABUT_CMAKE_DIR} PATH_VARS CMAKE_INSTALL_LIBDIR)
write_basic_package_version_file(abutConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/abutConfig.cmake ${PROJECT_BINARY_DIR}/abutConfigVersion.cmake
        DESTINATION ${ABUT_CMAKE_DIR})
