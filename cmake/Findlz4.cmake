# SPDX-License-Identifier: Apache-2.0
#
# Finds lz4; defines lz4::lz4.

include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_lz4 QUIET liblz4)
endif()

find_path(lz4_INCLUDE_DIR lz4.h HINTS ${PC_lz4_INCLUDE_DIRS})
find_library(lz4_LIBRARY lz4 HINTS ${PC_lz4_LIBRARY_DIRS})
mark_as_advanced(lz4_INCLUDE_DIR lz4_LIBRARY)

find_package_handle_standard_args(
  lz4
  REQUIRED_VARS lz4_LIBRARY lz4_INCLUDE_DIR
  VERSION_VAR PC_lz4_VERSION)

if(lz4_FOUND AND NOT TARGET lz4::lz4)
  add_library(lz4::lz4 UNKNOWN IMPORTED)
  set_target_properties(
    lz4::lz4 PROPERTIES IMPORTED_LOCATION "${lz4_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                 "${lz4_INCLUDE_DIR}")
endif()
