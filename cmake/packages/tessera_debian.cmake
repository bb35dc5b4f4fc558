# SPDX-License-Identifier: Apache-2.0
#
# Debian packages by `cpack -G DEB`, of a build with BUILD_SHARED_LIBS=ON, CMAKE_INSTALL_PREFIX=/usr
# and CMAKE_SKIP_INSTALL_RPATH=ON. Each is an install component: libtessera<soname>, the libraries of
# MPI and of Google Benchmark, libtessera-dev, tessera (the program), tessera-doc.

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VENDOR "The Tessera authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "lazy N-dimensional arrays larger than memory")
set(CPACK_PACKAGE_CONTACT "The Tessera authors <tessera@packages.debian.org>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
    OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_PRE_BUILD_SCRIPTS ${PROJECT_SOURCE_DIR}/cmake/packages/debian/add_files.cmake)
# Libraries of this build are found in its folders: no package of them is installed yet.
get_property(components GLOBAL PROPERTY TESSERA_COMPONENTS)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${PROJECT_BINARY_DIR})
foreach(component IN LISTS components)
  get_target_property(folder tessera_${component} BINARY_DIR)
  list(APPEND CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${folder})
endforeach()
set(CPACK_COMPONENTS_ALL "")

# tessera_debian_package(<part> <package> <section> <sentence> [DEPENDS <package>...])
#
# Describes the package of the install component <part>.
macro(tessera_debian_package part package section sentence)
  cmake_parse_arguments(arg "" "" "DEPENDS" ${ARGN})
  string(TOUPPER ${part} key)
  list(APPEND CPACK_COMPONENTS_ALL ${part})
  set(CPACK_DEBIAN_${key}_PACKAGE_NAME ${package})
  set(CPACK_DEBIAN_${key}_PACKAGE_SECTION ${section})
  list(JOIN arg_DEPENDS ", " CPACK_DEBIAN_${key}_PACKAGE_DEPENDS)
  set(CPACK_DEBIAN_${key}_DESCRIPTION
      "Tessera computes expressions over N-dimensional arrays that do not fit into
memory. It plans them with a bound on the memory of each task, and runs the
tasks over the chunks of Zarr arrays on threads, processes, MPI, Slurm or Grid Engine.
This package has ${sentence}.")
endmacro()

# A package depends on packages of the same build by their version, and on third parties by the
# symbols that it uses.
set(soname ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(same_version "(= ${PROJECT_VERSION})")
set(libraries "libtessera${soname} ${same_version}")
tessera_debian_package(runtime libtessera${soname} libs "the shared libraries")
tessera_debian_package(tools tessera science "the program that copies, rechunks and compares arrays"
                       DEPENDS ${libraries})
foreach(part IN ITEMS mpi benchmark)
  if(part IN_LIST components)
    tessera_debian_package(${part} libtessera-${part}${soname} libs "the component ${part}" DEPENDS
                           "libtessera${soname} ${same_version}")
    list(APPEND libraries "libtessera-${part}${soname} ${same_version}")
  endif()
endforeach()
foreach(part IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${part} key)
  set(CPACK_DEBIAN_${key}_PACKAGE_SHLIBDEPS ON)
  if(NOT part STREQUAL "tools")
    set(CPACK_DEBIAN_${key}_PACKAGE_CONTROL_EXTRA ${PROJECT_SOURCE_DIR}/cmake/packages/debian/triggers)
  endif()
endforeach()
tessera_debian_package(development libtessera-dev libdevel "the headers" DEPENDS ${libraries}
                       libboost-dev libeigen3-dev)
tessera_debian_package(documentation tessera-doc doc "the documentation")
set(CPACK_DEBIAN_DOCUMENTATION_PACKAGE_ARCHITECTURE all)
include(CPack)
