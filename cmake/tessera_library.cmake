# SPDX-License-Identifier: Apache-2.0

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

# tessera_add_library(<name>)
#
# Creates the library <name>, its alias tessera::<name>, and its install and export rules. The
# folders under lib/ add the sources; the public headers are all of include/, and tests/static
# compiles each of them alone.
function(tessera_add_library name)
  add_library(${name})
  add_library(tessera::${name} ALIAS ${name})
  set_target_properties(
    ${name}
    PROPERTIES CXX_EXTENSIONS OFF
               POSITION_INDEPENDENT_CODE ON
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(
    ${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tessera_build_flags>)

  # The library runs on every machine of its architecture; the programs that use its templates are
  # compiled for this one. Eigen's inline functions have the same names in both but differ in
  # packets and alignment, so the library's own copies get a namespace of their own.
  target_compile_definitions(${name} PRIVATE Eigen=tessera_library_eigen)
  if(TESSERA_NATIVE)
    target_compile_options(${name} INTERFACE $<BUILD_INTERFACE:-march=native>)
  endif()

  if(TESSERA_INSTALL)
    tessera_install_library(${name})
  endif()
endfunction()

# tessera_install_library(<name>)
#
# Installs the library, its headers, and the package that find_package(tessera) finds.
function(tessera_install_library name)
  set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)
  install(TARGETS ${name} EXPORT tessera-targets)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING
    PATTERN "*.hpp")
  install(
    EXPORT tessera-targets
    NAMESPACE tessera::
    DESTINATION ${package_dir})
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/tessera-config.cmake.in
    ${PROJECT_BINARY_DIR}/tessera-config.cmake INSTALL_DESTINATION ${package_dir})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tessera-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(
    FILES ${PROJECT_BINARY_DIR}/tessera-config.cmake
          ${PROJECT_BINARY_DIR}/tessera-config-version.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findblosc.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findcblas.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findlz4.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findzstd.cmake
    DESTINATION ${package_dir})
endfunction()
