# SPDX-License-Identifier: Apache-2.0
#
# Finds FFTW 3, in float and in double precision; defines fftw::fftw.

include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_fftw QUIET fftw3)
endif()

find_path(fftw_INCLUDE_DIR fftw3.h HINTS ${PC_fftw_INCLUDE_DIRS})
find_library(fftw_LIBRARY fftw3 HINTS ${PC_fftw_LIBRARY_DIRS})
find_library(fftw_float_LIBRARY fftw3f HINTS ${PC_fftw_LIBRARY_DIRS})
mark_as_advanced(fftw_INCLUDE_DIR fftw_LIBRARY fftw_float_LIBRARY)

find_package_handle_standard_args(
  fftw
  REQUIRED_VARS fftw_LIBRARY fftw_float_LIBRARY fftw_INCLUDE_DIR
  VERSION_VAR PC_fftw_VERSION)

if(fftw_FOUND AND NOT TARGET fftw::fftw)
  add_library(fftw::fftw UNKNOWN IMPORTED)
  set_target_properties(
    fftw::fftw
    PROPERTIES IMPORTED_LOCATION "${fftw_LIBRARY}" INTERFACE_LINK_LIBRARIES "${fftw_float_LIBRARY}"
               INTERFACE_INCLUDE_DIRECTORIES "${fftw_INCLUDE_DIR}")
endif()
