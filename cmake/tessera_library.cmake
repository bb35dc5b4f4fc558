# SPDX-License-Identifier: Apache-2.0

include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

set(TESSERA_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/tessera)

# tessera_add_library(<name>)
#
# Creates the library <name>, its alias tessera::<name>, and its install and export rules. The
# folders under lib/ add the sources; the public headers are all of include/, and tests/static
# compiles each of them alone.
function(tessera_add_library name)
  tessera_create_library(${name} ${name} tessera-targets)
  set(is_program $<NOT:$<BOOL:$<TARGET_PROPERTY:TESSERA_IS_LIBRARY>>>)
  if(TESSERA_NATIVE)
    target_compile_options(${name} INTERFACE $<BUILD_INTERFACE:$<${is_program}:-march=native>>)
  endif()
  if(TESSERA_PRECOMPILE)
    set(header $<$<AND:$<COMPILE_LANGUAGE:CXX>,${is_program}>:<tessera/core.hpp$<ANGLE-R>>)
    target_precompile_headers(${name} INTERFACE $<BUILD_INTERFACE:${header}>)
  endif()
  tessera_add_program_features(${name} "${is_program}")

  if(TESSERA_INSTALL)
    tessera_install_package()
  endif()
endfunction()

# tessera_add_program_features(<library> <condition>)
#
# Adds to each program the source that names the processor the program was compiled for. Programs of
# this build share its object; programs of the package compile it with their own flags.
function(tessera_add_program_features library condition)
  set(source ${PROJECT_SOURCE_DIR}/lib/executor/program_features.cpp)
  add_library(tessera_program_features OBJECT ${source})
  set_target_properties(tessera_program_features PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_link_libraries(tessera_program_features PRIVATE tessera_build_flags)
  if(TESSERA_NATIVE)
    target_compile_options(tessera_program_features PRIVATE -march=native)
  endif()
  set(installed ${CMAKE_INSTALL_DATADIR}/tessera/program_features.cpp)
  target_sources(
    ${library} INTERFACE $<BUILD_INTERFACE:$<${condition}:$<TARGET_OBJECTS:tessera_program_features>>>
                         $<INSTALL_INTERFACE:${installed}>)
  # Not every compiler passes it to the linker.
  target_link_options(${library} INTERFACE LINKER:--build-id)
  if(TESSERA_INSTALL)
    install(FILES ${source} DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera COMPONENT development)
  endif()
endfunction()

# tessera_add_component(<component> SOURCES <file>...)
#
# Creates the library of an engine that not every program has: tessera_<component>, which programs
# link as tessera::<component>, and which find_package(tessera COMPONENTS <component>) gives them. One
# of its sources registers the engine and defines the C symbol tessera_<component>_is_registered; a
# program that links the library keeps that object, though it calls nothing in it.
function(tessera_add_component component)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "tessera_add_component(${component}): SOURCES is required, and found "
                        "without a keyword: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  set(name tessera_${component})
  tessera_create_library(${name} ${component} tessera-${component}-targets)
  # Absolute, for whoever asks for the target's sources from elsewhere.
  list(TRANSFORM arg_SOURCES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  target_sources(${name} PRIVATE ${arg_SOURCES})
  target_link_libraries(${name} PUBLIC tessera::tessera)
  target_link_options(${name} INTERFACE LINKER:--undefined=${name}_is_registered)
  target_compile_options(${name} PRIVATE ${TESSERA_LIGHT_OPTIONS})
  get_target_property(type ${name} TYPE)
  if(type STREQUAL "SHARED_LIBRARY")
    # Linkers that leave out libraries nobody needs do not count the symbol as a need.
    target_link_options(${name} INTERFACE LINKER:--no-as-needed)
  endif()
  set_property(GLOBAL APPEND PROPERTY TESSERA_COMPONENTS ${component})
endfunction()

# tessera_create_library(<name> <exported name> <export set>)
#
# What the main library and its components share.
function(tessera_create_library name exported_name export_set)
  add_library(${name})
  add_library(tessera::${exported_name} ALIAS ${name})
  set_target_properties(
    ${name}
    PROPERTIES CXX_EXTENSIONS OFF
               EXPORT_NAME ${exported_name}
               POSITION_INDEPENDENT_CODE ON
               DEFINE_SYMBOL ""
               INSTALL_RPATH "$ORIGIN"
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
  target_compile_features(${name} PUBLIC cxx_std_20)
  target_include_directories(
    ${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
           $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/lib)
  target_link_libraries(${name} PRIVATE $<BUILD_INTERFACE:tessera_build_flags>)

  # A library runs on every machine of its architecture; the programs that use its templates are
  # compiled for this one. Eigen's inline functions have the same names in both but differ in
  # packets and alignment, so the libraries' own copies get a namespace of their own.
  set_target_properties(${name} PROPERTIES TESSERA_IS_LIBRARY ON)
  target_compile_definitions(${name} PRIVATE Eigen=tessera_library_eigen)

  tessera_precompile(${name})

  set_property(GLOBAL APPEND PROPERTY TESSERA_PACKAGE_TARGETS ${name})
  if(TESSERA_INSTALL)
    # A component that was not built is left out of the package.
    set(unless_missing "")
    set(part runtime)
    if(NOT name STREQUAL PROJECT_NAME)
      set(unless_missing OPTIONAL)
    endif()
    if(exported_name MATCHES "^(mpi|benchmark)$")
      set(part ${exported_name})
    endif()
    install(
      TARGETS ${name}
      EXPORT ${export_set}
      LIBRARY ${unless_missing} COMPONENT ${part} NAMELINK_COMPONENT development
      ARCHIVE ${unless_missing} COMPONENT development)
    install(
      EXPORT ${export_set}
      NAMESPACE tessera::
      DESTINATION ${TESSERA_PACKAGE_DIR}
      COMPONENT development)
  endif()
endfunction()

# tessera_compile_lightly(<target> <source>...)
#
# Compiles sources of this folder that run once for a run, a file, a page or an error, and for no
# element, chunk or task, with -O1 in a release: in two thirds of the time of -O3. The linker keeps one
# of equal inline functions: none that the sources share with kernels has loops of elements.
function(tessera_compile_lightly target)
  get_target_property(folder ${target} SOURCE_DIR)
  set_source_files_properties(${ARGN} DIRECTORY ${folder} PROPERTIES TESSERA_IS_LIGHT ON)
  if(NOT TESSERA_UNITY)
    set_source_files_properties(${ARGN} DIRECTORY ${folder} PROPERTIES COMPILE_OPTIONS "${TESSERA_LIGHT_OPTIONS}")
  endif()
endfunction()

# tessera_precompile(<library>)
#
# Precompiles the headers of the standard library and of fmt that most sources include. More headers
# make loading them slower than parsing: nlohmann-json and the graph cost every source 0.3 s.
function(tessera_precompile library)
  # In programs without optimisation fmt switches it on for itself. After a precompiled header GCC takes it
  # to be on for the rest of the source (`__OPTIMIZE__`), and Eigen does not compile.
  target_compile_options(
    ${library} PRIVATE "$<$<AND:$<CONFIG:Debug>,$<CXX_COMPILER_ID:GNU>>:-DFMT_GCC_PRAGMA(arg)=>")
  if(NOT library STREQUAL PROJECT_NAME)
    # GCC takes a precompiled header for the definitions that it was made with.
    target_compile_definitions(${library} PRIVATE $<TARGET_PROPERTY:TBB::tbb,INTERFACE_COMPILE_DEFINITIONS>)
    target_precompile_headers(${library} REUSE_FROM ${PROJECT_NAME})
    return()
  endif()
  target_precompile_headers(
    ${library}
    PRIVATE
    <algorithm> <array> <atomic> <bit> <charconv> <cmath> <complex> <concepts> <cstddef> <cstdint>
    <cstring> <exception> <functional> <limits> <map> <memory> <mutex> <numeric> <optional> <set> <span>
    <string> <string_view> <tuple> <type_traits> <utility> <variant> <vector> <fmt/format.h>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # Without the time of its making, the file is the same on every machine, as ccache needs it.
    target_compile_options(${library} PRIVATE "SHELL:-Xclang -fno-pch-timestamp")
  endif()
endfunction()

# tessera_install_package()
#
# Installs the headers and the package that find_package(tessera) finds.
function(tessera_install_package)
  install(
    DIRECTORY ${PROJECT_SOURCE_DIR}/include/
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    COMPONENT development
    FILES_MATCHING
    PATTERN "*.hpp"
    PATTERN "*.h")
  configure_package_config_file(
    ${PROJECT_SOURCE_DIR}/cmake/tessera-config.cmake.in
    ${PROJECT_BINARY_DIR}/tessera-config.cmake INSTALL_DESTINATION ${TESSERA_PACKAGE_DIR})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/tessera-config-version.cmake
                                   COMPATIBILITY SameMinorVersion)
  install(
    FILES ${PROJECT_BINARY_DIR}/tessera-config.cmake
          ${PROJECT_BINARY_DIR}/tessera-config-version.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findblosc.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findfftw.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findlz4.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findxxhash.cmake
          ${PROJECT_SOURCE_DIR}/cmake/Findzstd.cmake
          ${PROJECT_SOURCE_DIR}/cmake/tessera_build_type.cmake
    DESTINATION ${TESSERA_PACKAGE_DIR}
    COMPONENT development)
  install(FILES ${PROJECT_SOURCE_DIR}/cmake/gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tessera
          COMPONENT development)
endfunction()

# tessera_install_documentation()
#
# Installs the texts and, by TESSERA_DOCUMENTATION, the pages of the book, the gallery and the
# reference. They show programs without their output, as the package is built without the programs.
function(tessera_install_documentation)
  install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/.github/ARCHITECTURE.md
                ${PROJECT_SOURCE_DIR}/.github/CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR}
          COMPONENT documentation)
  if(TESSERA_DOCUMENTATION STREQUAL "OFF")
    return()
  endif()
  foreach(program IN ITEMS doxygen python3 bash)
    find_program(TESSERA_DOCUMENTATION_${program} ${program})
    mark_as_advanced(TESSERA_DOCUMENTATION_${program})
    if(NOT TESSERA_DOCUMENTATION_${program})
      if(TESSERA_DOCUMENTATION STREQUAL "ON")
        message(FATAL_ERROR "TESSERA_DOCUMENTATION is ON, but ${program} was not found: install it or configure "
                            "with -DTESSERA_DOCUMENTATION=OFF")
      endif()
      return()
    endif()
  endforeach()
  set(pages ${PROJECT_BINARY_DIR}/docs)
  add_custom_command(
    OUTPUT ${pages}/index.html
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${pages}
    COMMAND ${CMAKE_COMMAND} -E env TESSERA_EXAMPLES=${pages}/none ${PROJECT_SOURCE_DIR}/cmake/docs.sh
            ${pages} ${pages}.d
    DEPFILE ${pages}.d
    COMMENT "Building the pages of the documentation"
    VERBATIM)
  add_custom_target(tessera_documentation ALL DEPENDS ${pages}/index.html)
  set_property(GLOBAL APPEND PROPERTY TESSERA_PACKAGE_TARGETS tessera_documentation)
  install(DIRECTORY ${pages}/ DESTINATION ${CMAKE_INSTALL_DOCDIR}/html COMPONENT documentation OPTIONAL)
endfunction()
