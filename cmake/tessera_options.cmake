# SPDX-License-Identifier: Apache-2.0
#
# The options of a build, and `tessera_build_flags`: what Tessera's own targets are compiled with and
# nobody else's. Nothing here changes a variable that reaches other projects.

option(BUILD_SHARED_LIBS "Build shared libraries" OFF)
option(TESSERA_TESTS "Build the tests" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_BENCHMARKS "Build the benchmarks" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_EXAMPLES "Build the examples" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_INSTALL "Install the library and its package" ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_WARNINGS_AS_ERRORS "Warnings in Tessera's own targets are errors" OFF)
option(TESSERA_UNITY "Sources are compiled sixteen at a time: less work for all of them, more for one that changes" OFF)
option(TESSERA_NATIVE "Programs that use Tessera are compiled for this machine's instruction set"
       ${PROJECT_IS_TOP_LEVEL})
option(TESSERA_PRECOMPILE "Programs that use Tessera precompile `tessera/core.hpp`" OFF)
set(TESSERA_SANITIZE "" CACHE STRING "Sanitizers: 'address,undefined', 'thread' or nothing")
set(TESSERA_BLAS AUTO CACHE STRING "Products and decompositions call OpenBLAS: AUTO (where found), ON or OFF")
option(TESSERA_FFTW "Fourier transforms call FFTW 3, whose licence is the GPL; else kissfft, as Eigen has it" OFF)
set(TESSERA_MPI AUTO CACHE STRING "The component mpi is built: AUTO (where MPI is found), ON or OFF")
set(TESSERA_HTTP AUTO CACHE STRING "The component http is built: AUTO (where libcurl is found), ON or OFF")
set(TESSERA_S3 AUTO CACHE STRING
                          "The component s3 is built: AUTO (where libcurl, OpenSSL and pugixml are found), ON or OFF")
set(TESSERA_DOCUMENTATION AUTO CACHE STRING
                                     "The package has these pages and the reference: AUTO (where Doxygen is found), ON or OFF")
set_property(CACHE TESSERA_BLAS TESSERA_MPI TESSERA_HTTP TESSERA_S3 TESSERA_DOCUMENTATION PROPERTY STRINGS AUTO ON OFF)

if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()
include(tessera_build_type)

add_library(tessera_build_flags INTERFACE)
target_compile_options(
  tessera_build_flags INTERFACE -Wall -Wextra -Wpedantic -Wconversion
                                $<$<BOOL:${TESSERA_WARNINGS_AS_ERRORS}>:-Werror>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # GCC 12 takes `"text" + std::string()` for overlapping memory, and where the header is precompiled
  # for an endless copy: gcc.gnu.org/PR105651.
  target_compile_options(tessera_build_flags INTERFACE -Wno-restrict -Wno-stringop-overflow)
endif()
# The options of `tessera_compile_lightly`. GCC needs no garbage collection for sources that have the memory
# to do without: it takes a twentieth of the time.
set(TESSERA_LIGHT_OPTIONS $<$<CONFIG:Release>:-O1>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND TESSERA_LIGHT_OPTIONS --param=ggc-min-heapsize=1048576)
endif()
if(TESSERA_SANITIZE)
  target_compile_options(tessera_build_flags INTERFACE -fsanitize=${TESSERA_SANITIZE}
                                                       -fno-omit-frame-pointer)
  if(TESSERA_SANITIZE MATCHES "undefined")
    target_compile_options(tessera_build_flags INTERFACE -fno-sanitize-recover=undefined)
  endif()
  target_link_options(tessera_build_flags INTERFACE -fsanitize=${TESSERA_SANITIZE})
endif()
