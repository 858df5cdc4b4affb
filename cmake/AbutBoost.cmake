# Boost.Beast and Boost.Asio, which serve the live viewer: the target abut_boost, headers alone, from
# the wheel cmeel-boost in the virtual environment.

file(GLOB ABUT_CMEEL_PREFIX "${ABUT_VENV}/lib/python3.*/site-packages/cmeel.prefix")
find_path(ABUT_BOOST_INCLUDE boost/beast.hpp PATHS ${ABUT_CMEEL_PREFIX} PATH_SUFFIXES include
          NO_DEFAULT_PATH)
if(NOT ABUT_BOOST_INCLUDE)
  message(FATAL_ERROR "cmeel-boost not found in ${ABUT_VENV}: run `make setup` first")
endif()
add_library(abut_boost INTERFACE)
target_include_directories(abut_boost SYSTEM INTERFACE ${ABUT_BOOST_INCLUDE})
