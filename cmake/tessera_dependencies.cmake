# SPDX-License-Identifier: Apache-2.0
#
# The third parties that the library needs. Debian's packages: cmake/install-dependencies.sh.
# What an installed library's consumers must find again: cmake/tessera-config.cmake.in.

find_package(Boost 1.74 REQUIRED) # headers alone: Hana and Graph
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(Random123 REQUIRED)
find_package(blosc REQUIRED)
find_package(ZLIB REQUIRED)
find_package(zstd REQUIRED MODULE)
find_package(BZip2 REQUIRED)
find_package(LibLZMA REQUIRED)
find_package(lz4 REQUIRED MODULE)
find_package(xxhash REQUIRED MODULE)
find_package(TBB REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json 3 REQUIRED)
find_package(Threads REQUIRED)

set(TESSERA_CODEC_LIBRARIES blosc::blosc ZLIB::ZLIB zstd::zstd BZip2::BZip2 LibLZMA::LibLZMA lz4::lz4)

set(TESSERA_HAS_CBLAS OFF)
if(NOT TESSERA_BLAS STREQUAL "OFF")
  find_package(cblas)
  set(TESSERA_HAS_CBLAS ${cblas_FOUND})
  if(TESSERA_BLAS STREQUAL "ON" AND NOT cblas_FOUND)
    message(FATAL_ERROR "TESSERA_BLAS is ON, but OpenBLAS was not found: install libopenblas-dev "
                        "or configure with -DTESSERA_BLAS=OFF")
  endif()
endif()

set(TESSERA_HAS_LAPACK OFF)
if(TESSERA_HAS_CBLAS)
  # OpenBLAS may be built without it.
  include(CheckFunctionExists)
  set(CMAKE_REQUIRED_LIBRARIES cblas::cblas)
  check_function_exists(dgesdd_ openblas_has_lapack)
  unset(CMAKE_REQUIRED_LIBRARIES)
  set(TESSERA_HAS_LAPACK ${openblas_has_lapack})
endif()

if(TESSERA_FFTW)
  find_package(fftw 3 REQUIRED MODULE)
endif()

set(TESSERA_HAS_MPI OFF)
if(NOT TESSERA_MPI STREQUAL "OFF")
  set(MPI_CXX_SKIP_MPICXX ON) # the C functions alone
  find_package(MPI 3 COMPONENTS CXX)
  set(TESSERA_HAS_MPI ${MPI_CXX_FOUND})
  if(TESSERA_MPI STREQUAL "ON" AND NOT MPI_CXX_FOUND)
    message(FATAL_ERROR "TESSERA_MPI is ON, but MPI was not found: install libopenmpi-dev or "
                        "configure with -DTESSERA_MPI=OFF")
  endif()
endif()

# Google Benchmark, for the component benchmark. Debian: libbenchmark-dev.
find_package(benchmark QUIET)
set(TESSERA_HAS_BENCHMARK ${benchmark_FOUND})

set(TESSERA_HAS_CURL OFF)
if(NOT TESSERA_HTTP STREQUAL "OFF")
  find_package(CURL 7.87)
  set(TESSERA_HAS_CURL ${CURL_FOUND})
  if(TESSERA_HTTP STREQUAL "ON" AND NOT CURL_FOUND)
    message(FATAL_ERROR "TESSERA_HTTP is ON, but libcurl 7.87 or newer was not found: install "
                        "libcurl4-openssl-dev or configure with -DTESSERA_HTTP=OFF")
  endif()
endif()

set(TESSERA_HAS_S3 OFF)
if(NOT TESSERA_S3 STREQUAL "OFF")
  find_package(OpenSSL 3 QUIET COMPONENTS Crypto)
  find_package(pugixml QUIET)
  if(TESSERA_HAS_CURL AND OPENSSL_FOUND AND pugixml_FOUND)
    set(TESSERA_HAS_S3 ON)
  elseif(TESSERA_S3 STREQUAL "ON")
    message(FATAL_ERROR "TESSERA_S3 is ON, but libcurl 7.87, OpenSSL 3 or pugixml was not found: install "
                        "libcurl4-openssl-dev, libssl-dev and libpugixml-dev or configure with -DTESSERA_S3=OFF")
  endif()
endif()
