# SPDX-License-Identifier: Apache-2.0
#
# Finds zstd; defines zstd::zstd.

include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_zstd QUIET libzstd)
endif()

find_path(zstd_INCLUDE_DIR zstd.h HINTS ${PC_zstd_INCLUDE_DIRS})
find_library(zstd_LIBRARY zstd HINTS ${PC_zstd_LIBRARY_DIRS})
mark_as_advanced(zstd_INCLUDE_DIR zstd_LIBRARY)

find_package_handle_standard_args(
  zstd
  REQUIRED_VARS zstd_LIBRARY zstd_INCLUDE_DIR
  VERSION_VAR PC_zstd_VERSION)

if(zstd_FOUND AND NOT TARGET zstd::zstd)
  add_library(zstd::zstd UNKNOWN IMPORTED)
  set_target_properties(
    zstd::zstd PROPERTIES IMPORTED_LOCATION "${zstd_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                 "${zstd_INCLUDE_DIR}")
endif()
