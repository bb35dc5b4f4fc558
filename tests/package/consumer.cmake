# SPDX-License-Identifier: Apache-2.0
#
# Configures, builds and runs a project that uses Tessera as others do.
#
# -D SOURCE_DIR=<project> -D BINARY_DIR=<fresh directory> -D CXX_COMPILER=<compiler>
# -D GENERATOR=<generator> -D COMPONENTS=<component>,...
# [-D INSTALL_FROM=<build directory>]  installs Tessera into a prefix that the project finds
# [-D OPTIONS=<list>]                  more arguments for the configuration

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endfunction()

string(REPLACE "," ";" engines "${COMPONENTS}")

file(REMOVE_RECURSE ${BINARY_DIR})
if(INSTALL_FROM)
  run(${CMAKE_COMMAND} --install ${INSTALL_FROM} --prefix ${BINARY_DIR}/prefix)
  list(APPEND OPTIONS -DCMAKE_PREFIX_PATH=${BINARY_DIR}/prefix)
endif()
run(${CMAKE_COMMAND} -S ${SOURCE_DIR} -B ${BINARY_DIR}/build -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_BUILD_TYPE=Debug
    -DTESSERA_COMPONENTS=${COMPONENTS} ${OPTIONS})
run(${CMAKE_COMMAND} --build ${BINARY_DIR}/build --parallel)
run(${BINARY_DIR}/build/consumer ${engines})
file(REMOVE_RECURSE ${BINARY_DIR})
