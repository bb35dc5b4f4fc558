# SPDX-License-Identifier: Apache-2.0
#
# Configures, builds and runs a project that uses Tessera as others do.
#
# -D PROJECTS=<folder> -D PROJECT=<project in it> -D BINARY_DIR=<fresh directory>
# -D CXX_COMPILER=<compiler> -D GENERATOR=<generator> -D COMPONENTS=<component>,...
# -D TESSERA_SOURCE_DIR=<Tessera's sources>
# [-D INSTALL_FROM=<build directory>]  installs Tessera into a prefix that the project finds
# [-D OPTIONS=<list>]                  more arguments for the configuration
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

string(REPLACE "," ";" components "${COMPONENTS}")

file(REMOVE_RECURSE ${BINARY_DIR} ${BINARY_DIR}-prefix)
if(INSTALL_FROM)
  run(${CMAKE_COMMAND} --install ${INSTALL_FROM} --prefix ${BINARY_DIR}-prefix)
  expect_documentation(${BINARY_DIR}-prefix/share/doc/tessera)
  list(APPEND OPTIONS -DCMAKE_PREFIX_PATH=${BINARY_DIR}-prefix)
else()
  # The library is compiled once more: a compiler cache lacks it, as the path of its precompiled header
  # is another one. Without optimisation that takes a third of the time.
  list(APPEND OPTIONS -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=)
endif()
run(${CMAKE_COMMAND} -S ${PROJECTS}/${PROJECT} -B ${BINARY_DIR} -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DTESSERA_SOURCE_DIR=${TESSERA_SOURCE_DIR}
    -DTESSERA_COMPONENTS=${COMPONENTS} ${OPTIONS})
run(${CMAKE_COMMAND} --build ${BINARY_DIR} --parallel)
run(${BINARY_DIR}/consumer ${components})
if(EXISTS ${BINARY_DIR}/consumer_c)
  run(${CMAKE_COMMAND} -E chdir ${BINARY_DIR} ./consumer_c)
endif()
if(INSTALL_FROM)
  run(${CMAKE_COMMAND} -E chdir ${BINARY_DIR} ./two_libraries)
else()
  run(${BINARY_DIR}/wind/wind)
  expect("the example of a subproject fails" "${output}" STREQUAL "5.0\n")
endif()
if(INSTALL_FROM AND EXISTS ${INSTALL_FROM}/lib/tool/tessera)
  run(${BINARY_DIR}-prefix/bin/tessera --version)
endif()
if(INSTALL_FROM)
  # The same program without CMake.
  find_program(PKG_CONFIG pkg-config REQUIRED)
  list(TRANSFORM components PREPEND tessera- OUTPUT_VARIABLE modules)
  file(GLOB_RECURSE tessera_pc ${BINARY_DIR}-prefix/*/tessera.pc)
  cmake_path(GET tessera_pc PARENT_PATH folder)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${PKG_CONFIG} --cflags --libs tessera ${modules})
  separate_arguments(flags UNIX_COMMAND "${output}")
  run(${CXX_COMPILER} -std=c++20 ${PROJECTS}/consumer.cpp -o ${BINARY_DIR}/by_hand ${flags})
  run(${BINARY_DIR}/by_hand ${components})

  # The examples: a project with precompiled headers, and a Makefile.
  set(project ${TESSERA_SOURCE_DIR}/examples/project)
  run(${CMAKE_COMMAND} -S ${project}/package -B ${BINARY_DIR}-wind -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_PREFIX_PATH=${BINARY_DIR}-prefix ${OPTIONS})
  run(${CMAKE_COMMAND} --build ${BINARY_DIR}-wind)
  run(${BINARY_DIR}-wind/wind)
  expect("the example of a package fails" "${output}" STREQUAL "5.0\n")
  file(GLOB precompiled ${BINARY_DIR}-wind/CMakeFiles/wind.dir/cmake_pch.hxx.[gp]ch)
  expect("TESSERA_PRECOMPILE precompiles no header" precompiled)
  find_program(MAKE NAMES make gmake REQUIRED)
  run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder} ${MAKE} -C ${BINARY_DIR}-wind -f
      ${project}/Makefile CXX=${CXX_COMPILER} VPATH=${project} -B)
  run(${BINARY_DIR}-wind/wind)
  expect("the example of a Makefile fails" "${output}" STREQUAL "5.0\n")
  file(REMOVE_RECURSE ${BINARY_DIR}-wind)
endif()
if(NOT INSTALL_FROM)
  # A project installs its own things, and not those of what it uses.
  run(${CMAKE_COMMAND} --install ${BINARY_DIR} --prefix ${BINARY_DIR}-prefix)
  file(GLOB_RECURSE installed RELATIVE ${BINARY_DIR}-prefix ${BINARY_DIR}-prefix/*)
  expect("a project installs Tessera with its own things: ${installed}" "${installed}" STREQUAL
         "bin/consumer")
endif()
file(REMOVE_RECURSE ${BINARY_DIR} ${BINARY_DIR}-prefix)
