# tinyxml2, which reads XML, and Assimp, which reads Collada meshes: the target abut_robot_files, from
# the wheels cmeel-tinyxml2 and cmeel-assimp in the virtual environment.

file(GLOB ABUT_CMEEL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_TINYXML2_INCLUDE tinyxml2.h PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES include
          NO_DEFAULT_PATH)
find_library(ABUT_TINYXML2_LIBRARY tinyxml2 PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES lib
             NO_DEFAULT_PATH)
find_library(ABUT_ASSIMP_LIBRARY assimp PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES lib
             NO_DEFAULT_PATH)
if(NOT ABUT_TINYXML2_INCLUDE OR NOT ABUT_TINYXML2_LIBRARY OR NOT ABUT_ASSIMP_LIBRARY)
  message(FATAL_ERROR "tinyxml2 and assimp not found in ${ABUT_VENV}: run `make setup` first")
endif()
add_library(abut_robot_files INTERFACE)
target_include_directories(abut_robot_files SYSTEM INTERFACE ${ABUT_TINYXML2_INCLUDE})
target_link_libraries(abut_robot_files INTERFACE ${ABUT_TINYXML2_LIBRARY} ${ABUT_ASSIMP_LIBRARY})
