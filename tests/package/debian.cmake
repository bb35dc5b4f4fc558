# SPDX-License-Identifier: Apache-2.0
#
# Builds the Debian packages, checks them with lintian, installs them by dpkg into a tree that holds
# nothing else, uses them there, and removes them. Their dependencies must be packages of this host.
#
# -D PROJECTS=<folder> -D BINARY_DIR=<directory> -D CXX_COMPILER=<compiler> -D GENERATOR=<generator>
# -D COMPONENTS=<component>,... -D TESSERA_SOURCE_DIR=<Tessera's sources> [-D OPTIONS=<list>]
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(tree ${BINARY_DIR}-tree)
set(database ${tree}/var/lib/dpkg)
file(REMOVE_RECURSE ${tree} ${BINARY_DIR}/packages)

# dpkg(<argument>...): runs dpkg on the tree. The scripts of the packages run outside of it, as it has
# no shell; they call the ldconfig of the tree.
macro(dpkg)
  run(${CMAKE_COMMAND} -E env PATH=${tree}-programs:$ENV{PATH} fakeroot dpkg --root=${tree}
      --log=${tree}/dpkg.log --force-script-chrootless ${ARGN})
endmacro()

# The packages.
run(${CMAKE_COMMAND} -S ${TESSERA_SOURCE_DIR} -B ${BINARY_DIR} -G ${GENERATOR} ${OPTIONS}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=/usr
    -DCMAKE_SKIP_INSTALL_RPATH=ON -DTESSERA_TESTS=OFF -DTESSERA_BENCHMARKS=OFF -DTESSERA_EXAMPLES=OFF)
run(${CMAKE_COMMAND} --build ${BINARY_DIR} --parallel --target tessera_package)
run(${CMAKE_CPACK_COMMAND} -G DEB --config ${BINARY_DIR}/CPackConfig.cmake -B ${BINARY_DIR}/packages)
file(GLOB packages ${BINARY_DIR}/packages/*.deb)
run(lintian --fail-on error ${packages})

# A tree with this host's list of packages, and with no file of theirs.
file(MAKE_DIRECTORY ${database}/updates ${database}/info ${tree}/etc ${tree}-programs)
file(COPY /var/lib/dpkg/status DESTINATION ${database})
file(GLOB lists /var/lib/dpkg/info/*.list)
file(COPY ${lists} /var/lib/dpkg/info/format DESTINATION ${database}/info)
file(WRITE ${tree}-programs/ldconfig "#!/bin/sh\nexec /sbin/ldconfig -r ${tree}\n")
file(CHMOD ${tree}-programs/ldconfig PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE)
dpkg(--install ${packages})
expect("a package is not configured" NOT "${output}" MATCHES "dependency problems")

# The program and its manual.
file(GLOB_RECURSE library ${tree}/usr/lib/*/libtessera.so)
cmake_path(GET library PARENT_PATH folder)
set(with_libraries ${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${folder})
run(${with_libraries} ${tree}/usr/bin/tessera --version)
foreach(file IN ITEMS ${folder}/libtessera.so ${folder}/libtessera.so.0.1)
  run(objdump --private-headers ${file})
  expect("${file} has no soname of its own" "${output}" MATCHES "SONAME +libtessera[.]so[.]0[.]1\n")
endforeach()
expect("there is no manual" EXISTS ${tree}/usr/share/man/man1/tessera-rechunk.1.gz)
expect_documentation(${tree}/usr/share/doc/tessera)

# A project finds the package, and a program is built by pkg-config with nothing but the library.
run(${CMAKE_COMMAND} -S ${PROJECTS}/find_package -B ${tree}/project -G ${GENERATOR}
    -DCMAKE_CXX_COMPILER=${CXX_COMPILER} -DCMAKE_PREFIX_PATH=${tree}/usr
    -DTESSERA_COMPONENTS=${COMPONENTS} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${folder}/pkgconfig pkg-config --cflags --libs tessera)
expect("a program names more libraries than Tessera" NOT "${output}" MATCHES "blosc")
separate_arguments(flags UNIX_COMMAND "${output}")
run(${CXX_COMPILER} -std=c++20 ${PROJECTS}/consumer.cpp -o ${tree}/consumer ${flags})
run(${with_libraries} ${tree}/consumer)
run(objdump --private-headers ${tree}/consumer)
expect("a program does not name the soname" "${output}" MATCHES "NEEDED +libtessera[.]so[.]0[.]1\n")

list(TRANSFORM packages REPLACE ".*/([^/_]+)_[^/]*" "\\1" OUTPUT_VARIABLE names)
dpkg(--purge ${names})
file(GLOB_RECURSE rest ${tree}/usr/*)
list(LENGTH rest count)
expect("removed packages leave ${rest}" ${count} EQUAL 0)
file(REMOVE_RECURSE ${BINARY_DIR} ${tree} ${tree}-programs)
