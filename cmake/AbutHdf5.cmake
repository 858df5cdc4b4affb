# HDF5's C library, which reads and writes problems of FCLIB: ABUT_HAS_HDF5 and where it is.
# AUTO takes it where it is; the self-contained wheel is built without, since Debian's needs curl, OpenSSL
# and thirty more libraries.

set(ABUT_HDF5 AUTO CACHE STRING "Read FCLIB's HDF5 files: ON, OFF, or AUTO, if the C library is there")
set(ABUT_HAS_HDF5 OFF)
if(ABUT_HDF5)
  # not by FindHDF5, which runs the compiler's wrapper; Debian's serial library has a folder of its own
  find_path(ABUT_HDF5_INCLUDE hdf5.h PATH_SUFFIXES hdf5/serial)
  find_library(ABUT_HDF5_LIBRARY NAMES hdf5_serial hdf5)
  if(ABUT_HDF5_INCLUDE AND ABUT_HDF5_LIBRARY)
    set(ABUT_HAS_HDF5 ON)
    get_filename_component(ABUT_HDF5_NAME ${ABUT_HDF5_LIBRARY} NAME_WE)
    string(REGEX REPLACE "^lib" "" ABUT_HDF5_NAME "${ABUT_HDF5_NAME}")  # for who links the package
  elseif(ABUT_HDF5 STREQUAL "AUTO")
    message(STATUS "Without FCLIB's HDF5 files: they need libhdf5-dev")
  else()
    message(FATAL_ERROR "HDF5 not found: install libhdf5-dev, or configure with -DABUT_HDF5=AUTO")
  endif()
endif()
