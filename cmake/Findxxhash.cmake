# SPDX-License-Identifier: Apache-2.0
#
# Finds xxhash; defines xxhash::xxhash.

include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_xxhash QUIET libxxhash)
endif()

find_path(xxhash_INCLUDE_DIR xxhash.h HINTS ${PC_xxhash_INCLUDE_DIRS})
find_library(xxhash_LIBRARY xxhash HINTS ${PC_xxhash_LIBRARY_DIRS})
mark_as_advanced(xxhash_INCLUDE_DIR xxhash_LIBRARY)

find_package_handle_standard_args(
  xxhash
  REQUIRED_VARS xxhash_LIBRARY xxhash_INCLUDE_DIR
  VERSION_VAR PC_xxhash_VERSION)

if(xxhash_FOUND AND NOT TARGET xxhash::xxhash)
  add_library(xxhash::xxhash UNKNOWN IMPORTED)
  set_target_properties(
    xxhash::xxhash PROPERTIES IMPORTED_LOCATION "${xxhash_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                 "${xxhash_INCLUDE_DIR}")
endif()
