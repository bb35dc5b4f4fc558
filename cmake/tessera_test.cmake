# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)
find_package(GTest REQUIRED)

# Debian's own interpreter first: it is the one that has NumPy and Zarr from Debian's packages.
find_program(TESSERA_PYTHON python3 HINTS /usr/bin REQUIRED)
mark_as_advanced(TESSERA_PYTHON)

# What a source of the library is compiled with, for the tests that call a compiler themselves; one
# flag a line. Directories of third parties are system directories: their warnings are not ours.
set(TESSERA_COMPILE_FLAGS_FILE ${PROJECT_BINARY_DIR}/compile_flags.txt)
set(own "$<TARGET_PROPERTY:tessera,INCLUDE_DIRECTORIES>")
if(TESSERA_HAS_MPI)
  list(APPEND own "$<TARGET_PROPERTY:tessera_mpi,INCLUDE_DIRECTORIES>")
endif()
set(third "$<FILTER:$<REMOVE_DUPLICATES:${own}>,EXCLUDE,^(/usr/include|${PROJECT_SOURCE_DIR}.*)$>")
set(definitions "$<FILTER:$<TARGET_PROPERTY:tessera,COMPILE_DEFINITIONS>,EXCLUDE,^Eigen=>")
file(
  GENERATE
  OUTPUT ${TESSERA_COMPILE_FLAGS_FILE}
  CONTENT
    "-std=c++20
-Wall
-Wextra
-Wpedantic
-Wconversion
-Werror
-I${PROJECT_SOURCE_DIR}/include
-I${PROJECT_SOURCE_DIR}/lib
$<$<BOOL:${third}>:-isystem$<JOIN:${third},\n-isystem>\n>$<$<BOOL:${definitions}>:-D$<JOIN:${definitions},\n-D>>
")

# Lets Open MPI start as root, start more ranks than there are cores, and keep to shared memory. A
# leak in one of its plugins can be told from one of ours only by the whole stack, which its code,
# compiled without frame pointers, hides from the fast unwinder.
set(leaks "")
if(TESSERA_SANITIZE MATCHES "address")
  set(leaks LSAN_OPTIONS=suppressions=${PROJECT_SOURCE_DIR}/cmake/lsan-suppressions.txt
            ASAN_OPTIONS=fast_unwind_on_malloc=0:print_suppressions=0)
endif()
set(TESSERA_MPI_ENVIRONMENT
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
    OMPI_MCA_rmaps_base_oversubscribe=1
    OMPI_MCA_pml=ob1
    OMPI_MCA_btl=self,vader
    ${leaks}
    CACHE INTERNAL "")

# The main of tests with a runtime, and the umbrella header, precompiled for the tests that include it.
add_library(tessera_runtime_main OBJECT ${PROJECT_SOURCE_DIR}/tests/runtime_main.cpp)
set_target_properties(tessera_runtime_main PROPERTIES CXX_EXTENSIONS OFF)
target_link_libraries(tessera_runtime_main PRIVATE tessera::tessera tessera_build_flags GTest::gtest)
target_precompile_headers(tessera_runtime_main PRIVATE <gtest/gtest.h> <tessera/tessera.hpp>)

# tessera_precompile_umbrella(<target> <source>...)
#
# Lets <target> reuse the precompiled umbrella header if one of its sources includes that.
function(tessera_precompile_umbrella target)
  foreach(source IN LISTS ARGN)
    file(STRINGS ${source} includes REGEX "^#include \"tessera/tessera.hpp\"")
    if(includes)
      target_precompile_headers(${target} REUSE_FROM tessera_runtime_main)
      if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
        # GCC 12 warns of the standard library's own code once it is precompiled.
        target_compile_options(${target} PRIVATE -Wno-array-bounds -Wno-maybe-uninitialized)
      endif()
      return()
    endif()
  endforeach()
endfunction()

# tessera_add_test(<name> [RUNTIME] SOURCES <file>... [LIBRARIES <library>...] [LABELS <label>...])
#
# Creates the GoogleTest executable <name> and one CTest entry for each of its tests. Without
# LABELS the label is "fast". With RUNTIME its main makes a runtime, so that it can turn into worker
# processes.
function(tessera_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "RUNTIME" "" "SOURCES;LIBRARIES;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "tessera_add_test(${name}): SOURCES is required, and found without a "
                        "keyword: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS fast)
  endif()

  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE tessera::tessera tessera_build_flags ${arg_LIBRARIES}
                                        GTest::gtest)
  tessera_precompile_umbrella(${name} ${arg_SOURCES})
  if(arg_RUNTIME)
    target_sources(${name} PRIVATE $<TARGET_OBJECTS:tessera_runtime_main>)
  else()
    target_link_libraries(${name} PRIVATE GTest::gtest_main)
  endif()
  gtest_discover_tests(
    ${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES TIMEOUT 600)

  # A list does not survive as a property that gtest_discover_tests sets, so that labels are set by
  # what CTest reads after it.
  set(labels_file ${CMAKE_CURRENT_BINARY_DIR}/${name}_labels.cmake)
  file(
    WRITE ${labels_file}
    "foreach(test IN LISTS ${name}_TESTS)
  set_tests_properties(\${test} PROPERTIES LABELS \"${arg_LABELS}\")
endforeach()
")
  set_property(
    DIRECTORY
    APPEND
    PROPERTY TEST_INCLUDE_FILES ${labels_file})
endfunction()

# tessera_add_mpi_test(<name> RANKS <count>... [THREADS <level>...] SOURCES <file>...)
#
# Creates the GoogleTest executable <name>, and one CTest entry for each number of ranks: all tests,
# run by all ranks together. More ranks than cores, and root, are let pass by the environment. Each
# <level> is one entry more: two ranks, where MPI allows threads what the last argument says.
function(tessera_add_mpi_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "RANKS;THREADS;SOURCES")
  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE tessera::mpi tessera_build_flags GTest::gtest GTest::gmock)
  set(mpirun ${MPIEXEC_EXECUTABLE} ${MPIEXEC_NUMPROC_FLAG})
  foreach(ranks IN LISTS arg_RANKS)
    add_test(NAME ${name}.${ranks} COMMAND ${mpirun} ${ranks} $<TARGET_FILE:${name}>)
  endforeach()
  foreach(level IN LISTS arg_THREADS)
    add_test(NAME ${name}.${level} COMMAND ${mpirun} 2 $<TARGET_FILE:${name}> ${level})
  endforeach()
  foreach(case IN LISTS arg_RANKS arg_THREADS)
    set_tests_properties(
      ${name}.${case} PROPERTIES LABELS mpi TIMEOUT 300 PROCESSORS 2 ENVIRONMENT
                                                                     "${TESSERA_MPI_ENVIRONMENT}")
  endforeach()
endfunction()

# tessera_add_compile_fail_test(<case.cpp>)
#
# Adds the test that <case.cpp> is refused as its first line says; tests/compile_fail/check.py states
# the rules.
function(tessera_add_compile_fail_test case)
  cmake_path(GET case STEM stem)
  add_test(NAME compile_fail.${stem}
           COMMAND ${TESSERA_PYTHON} -B ${PROJECT_SOURCE_DIR}/tests/compile_fail/check.py
                   ${CMAKE_CXX_COMPILER} ${TESSERA_COMPILE_FLAGS_FILE}
                   ${CMAKE_CURRENT_SOURCE_DIR}/${case})
  set_tests_properties(compile_fail.${stem} PROPERTIES LABELS fast)
endfunction()

# tessera_add_printers(<variable> <kind>...)
#
# Adds the program print_<kind> for each kind, from print_<kind>.cpp: it prints values, each with the
# line of Python that gives the same. Sets the variable to the list of the programs. They are not
# optimised, as compiling them is all that takes time.
function(tessera_add_printers variable)
  set(programs "")
  foreach(kind IN LISTS ARGN)
    add_executable(print_${kind} print_${kind}.cpp)
    set_target_properties(print_${kind} PROPERTIES CXX_EXTENSIONS OFF)
    target_compile_options(print_${kind} PRIVATE -O0)
    target_include_directories(print_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/tests)
    target_link_libraries(print_${kind} PRIVATE tessera::tessera tessera_build_flags)
    list(APPEND programs $<TARGET_FILE:print_${kind}>)
  endforeach()
  set(${variable} "${programs}" PARENT_SCOPE)
endfunction()
