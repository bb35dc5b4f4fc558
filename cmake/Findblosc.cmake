# SPDX-License-Identifier: Apache-2.0
#
# Finds c-blosc; defines blosc::blosc.

include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_blosc QUIET blosc)
endif()

find_path(blosc_INCLUDE_DIR blosc.h HINTS ${PC_blosc_INCLUDE_DIRS})
find_library(blosc_LIBRARY blosc HINTS ${PC_blosc_LIBRARY_DIRS})
mark_as_advanced(blosc_INCLUDE_DIR blosc_LIBRARY)

find_package_handle_standard_args(
  blosc
  REQUIRED_VARS blosc_LIBRARY blosc_INCLUDE_DIR
  VERSION_VAR PC_blosc_VERSION)

if(blosc_FOUND AND NOT TARGET blosc::blosc)
  add_library(blosc::blosc UNKNOWN IMPORTED)
  set_target_properties(
    blosc::blosc PROPERTIES IMPORTED_LOCATION "${blosc_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                 "${blosc_INCLUDE_DIR}")
endif()
