# SPDX-License-Identifier: Apache-2.0
#
# Finds OpenBLAS with its C interface; defines cblas::cblas.

include(FindPackageHandleStandardArgs)
find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(PC_cblas QUIET openblas)
endif()

find_path(
  cblas_INCLUDE_DIR cblas.h
  HINTS ${PC_cblas_INCLUDE_DIRS}
  PATH_SUFFIXES openblas)
find_library(cblas_LIBRARY openblas HINTS ${PC_cblas_LIBRARY_DIRS})
mark_as_advanced(cblas_INCLUDE_DIR cblas_LIBRARY)

find_package_handle_standard_args(
  cblas
  REQUIRED_VARS cblas_LIBRARY cblas_INCLUDE_DIR
  VERSION_VAR PC_cblas_VERSION)

if(cblas_FOUND AND NOT TARGET cblas::cblas)
  add_library(cblas::cblas UNKNOWN IMPORTED)
  set_target_properties(
    cblas::cblas PROPERTIES IMPORTED_LOCATION "${cblas_LIBRARY}" INTERFACE_INCLUDE_DIRECTORIES
                                                                 "${cblas_INCLUDE_DIR}")
endif()
