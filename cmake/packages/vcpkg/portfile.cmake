# SPDX-License-Identifier: Apache-2.0
#
# Tessera for vcpkg: `vcpkg install --overlay-ports=cmake/packages/vcpkg`, with a manifest that names it and
# overrides eigen3 by 3.4.1, as examples/book/packages.md shows. The folder is a port of the
# sources around it.

cmake_path(SET SOURCE_PATH NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../../..")

set(options "")
foreach(feature IN ITEMS blas http mpi s3)
  string(TOUPPER ${feature} name)
  if(feature IN_LIST FEATURES)
    list(APPEND options -DTESSERA_${name}=ON)
  else()
    list(APPEND options -DTESSERA_${name}=OFF)
  endif()
endforeach()
if(NOT "tools" IN_LIST FEATURES)
  list(APPEND options -DCMAKE_DISABLE_FIND_PACKAGE_CLI11=ON)
endif()

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS ${options} -DCMAKE_DISABLE_FIND_PACKAGE_benchmark=ON -DTESSERA_TESTS=OFF
          -DTESSERA_DOCUMENTATION=OFF -DTESSERA_EXAMPLES=OFF -DTESSERA_BENCHMARKS=OFF -DTESSERA_NATIVE=OFF)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/tessera)
vcpkg_fixup_pkgconfig()
if("tools" IN_LIST FEATURES)
  vcpkg_copy_tools(TOOL_NAMES tessera AUTO_CLEAN)
endif()
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include" "${CURRENT_PACKAGES_DIR}/debug/share")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
