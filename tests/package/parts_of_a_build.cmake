# SPDX-License-Identifier: Apache-2.0
#
# Configures the main library alone, and with its tests. Checks which targets cmake/run.sh builds,
# installs a build of the main library, and configures projects against it. Nothing is compiled: an
# empty file stands for the library.
#
# -D PROJECTS=<folder> -D BINARY_DIR=<fresh directory> -D CXX_COMPILER=<compiler>
# -D GENERATOR=<generator> -D COMPONENTS=<component>,...
# -D TESSERA_SOURCE_DIR=<Tessera's sources> [-D OPTIONS=<list>]
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(prefix ${BINARY_DIR}/prefix)
file(REMOVE_RECURSE ${BINARY_DIR})
run(${CMAKE_COMMAND} -S ${TESSERA_SOURCE_DIR} -B ${BINARY_DIR}/tessera -G ${GENERATOR} ${OPTIONS}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DTESSERA_TESTS=OFF -DTESSERA_BENCHMARKS=OFF
    -DTESSERA_EXAMPLES=OFF)

# Tests need neither benchmarks nor examples.
run(${CMAKE_COMMAND} -S ${TESSERA_SOURCE_DIR} -B ${BINARY_DIR}/tests -G ${GENERATOR} ${OPTIONS}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DTESSERA_TESTS=ON -DTESSERA_BENCHMARKS=OFF
    -DTESSERA_EXAMPLES=OFF)

# The README promises the whole package after cmake/run.sh.
file(STRINGS ${TESSERA_SOURCE_DIR}/cmake/run.sh built REGEX "^build_targets ")
expect("cmake/run.sh builds '${built}'" "${built}" MATCHES "^build_targets tessera_package ")
if(GENERATOR STREQUAL "Ninja")
  run(${CMAKE_COMMAND} --build ${BINARY_DIR}/tessera --target tessera_package -- -n)
  string(REPLACE "," ";" components "${COMPONENTS}")
  foreach(component IN LISTS components)
    expect("the target 'tessera_package' leaves out ${component}" "${output}" MATCHES
           "libtessera_${component}[.]a")
  endforeach()
  expect("the target 'tessera_package' leaves out the program" "${output}" MATCHES
         "Linking CXX executable lib/tool/tessera")
  expect("the target 'tessera_package' leaves out the documentation" NOT HAS_PAGES OR "${output}" MATCHES
         "Building the pages of the documentation")
endif()

file(TOUCH ${BINARY_DIR}/tessera/libtessera.a)
run(${CMAKE_COMMAND} --install ${BINARY_DIR}/tessera --prefix ${prefix})

# configure_consumer(<components> <argument>...): `code` and `output` tell how it went.
macro(configure_consumer components)
  file(REMOVE_RECURSE ${BINARY_DIR}/consumer)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env --unset=CXXFLAGS ${CMAKE_COMMAND} -S ${PROJECTS}/find_package
            -B ${BINARY_DIR}/consumer -G ${GENERATOR} -DCMAKE_PREFIX_PATH=${prefix}
            -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DTESSERA_COMPONENTS=${components} ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX REPLACE "[ \n]+" " " output "${output}")
endmacro()

configure_consumer("")
expect("a project without components is not configured" "${code}" EQUAL 0)
string(REGEX MATCHALL "Tessera: CMAKE_BUILD_TYPE is not set" said "${output}")
list(LENGTH said times)
expect("a build without a type is not mentioned once" "${times}" EQUAL 1)

configure_consumer("" -DCMAKE_BUILD_TYPE=Debug)
expect("a build type is not taken" NOT "${output}" MATCHES "CMAKE_BUILD_TYPE is not set")

configure_consumer(slurm -DCMAKE_BUILD_TYPE=Release)
expect("a component that was not built is found" NOT "${code}" EQUAL 0)
expect("it is not said why a component is missing" "${output}" MATCHES
       "no component 'slurm': it was not built when Tessera was installed")

configure_consumer(cloud -DCMAKE_BUILD_TYPE=Release)
expect("a component that does not exist is found" NOT "${code}" EQUAL 0)
expect("it is not said why a component is missing" "${output}" MATCHES
       "no component 'cloud': Tessera was configured without it")
file(REMOVE_RECURSE ${BINARY_DIR})
