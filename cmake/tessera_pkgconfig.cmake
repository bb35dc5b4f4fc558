# SPDX-License-Identifier: Apache-2.0
#
# Files for pkg-config, for programs that are built without CMake. Components have files of their
# own: tessera-grid_engine, tessera-http, tessera-mpi, tessera-s3, tessera-slurm. They are linked before the library, which they need.

# tessera_link_flags(<name> <variable>)
#
# Sets the variable to what a program passes to the linker for the libraries that <name> links.
function(tessera_link_flags name variable)
  get_target_property(libraries ${name} LINK_LIBRARIES)
  set(flags "")
  foreach(library IN LISTS libraries)
    string(REGEX REPLACE "^\\$<BUILD_INTERFACE:.*>$" "" library "${library}")
    if(NOT TARGET "${library}" OR library MATCHES "^tessera")
      continue()
    endif()
    get_target_property(type ${library} TYPE)
    if(type STREQUAL "INTERFACE_LIBRARY")
      list(APPEND flags $<TARGET_PROPERTY:${library},INTERFACE_LINK_LIBRARIES>)
    else()
      list(APPEND flags $<TARGET_LINKER_FILE:${library}>)
    endif()
  endforeach()
  set(${variable} "$<JOIN:$<REMOVE_DUPLICATES:${flags}>, >" PARENT_SCOPE)
endfunction()

# tessera_header_flags(<name> <variable>)
#
# Sets the variable to what a program passes to the compiler for the headers that those of <name>
# include. Compilers search /usr/include by themselves, in an order that -I would change.
function(tessera_header_flags name variable)
  string(REGEX REPLACE "([][+.*()^$?|\\\\])" "\\\\\\1" own "${PROJECT_SOURCE_DIR}/include")
  set(folders $<REMOVE_DUPLICATES:$<TARGET_PROPERTY:${name},INTERFACE_INCLUDE_DIRECTORIES>>)
  set(folders "$<FILTER:${folders},EXCLUDE,^/usr/include$|^${own}$>")
  set(${variable} "$<$<BOOL:${folders}>:-I$<JOIN:${folders}, -I>>" PARENT_SCOPE)
endfunction()

# tessera_library_lines(<name> <variable> [<option>...])
#
# Sets the variable to the lines about the library <name>: a program that links a shared one names no
# library behind it, except MPI, which it calls itself.
function(tessera_library_lines name variable)
  tessera_link_flags(${name} libraries)
  set(lines "Libs: -L\${libdir} ${ARGN} -l${name}")
  if(BUILD_SHARED_LIBS AND NOT name STREQUAL "tessera_mpi")
    string(APPEND lines "\nLibs.private: ${libraries}")
  else()
    string(APPEND lines " ${libraries}")
  endif()
  set(${variable} "${lines}" PARENT_SCOPE)
endfunction()

# tessera_create_pkgconfig(<file> <description> <lines>)
function(tessera_create_pkgconfig file description lines)
  file(RELATIVE_PATH prefix /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
  file(
    GENERATE
    OUTPUT ${PROJECT_BINARY_DIR}/${file}.pc
    CONTENT
      "prefix=\${pcfiledir}/${prefix}
libdir=\${prefix}/${CMAKE_INSTALL_LIBDIR}
includedir=\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}

Name: ${file}
Description: ${description}
Version: ${PROJECT_VERSION}
${lines}
")
endfunction()

# tessera_install_pkgconfig()
#
# Installs the files for the library and for each component that is installed.
function(tessera_install_pkgconfig)
  tessera_library_lines(tessera libraries)
  tessera_header_flags(tessera headers)
  tessera_create_pkgconfig(tessera "${PROJECT_DESCRIPTION}"
                           "Cflags: -I\${includedir} ${headers}\n${libraries}")
  install(FILES ${PROJECT_BINARY_DIR}/tessera.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig
          COMPONENT development)
  get_property(components GLOBAL PROPERTY TESSERA_COMPONENTS)
  foreach(component IN LISTS components)
    tessera_library_lines(tessera_${component} libraries
                          -Wl,--undefined=tessera_${component}_is_registered)
    tessera_header_flags(tessera_${component} headers)
    set(required "")
    if(component STREQUAL "s3")
      set(required "tessera-http, ")
    endif()
    tessera_create_pkgconfig(
      tessera-${component} "The component ${component} of Tessera"
      "Requires: ${required}tessera = ${PROJECT_VERSION}
Cflags: ${headers}
${libraries}")
    # A component that was not built is left out of the package.
    install(
      CODE "set(TESSERA_COMPONENT_FILE \"$<TARGET_FILE:tessera_${component}>\")
if(EXISTS \"\${TESSERA_COMPONENT_FILE}\")
  file(INSTALL \"${PROJECT_BINARY_DIR}/tessera-${component}.pc\"
       DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/pkgconfig\")
endif()"
      COMPONENT development)
  endforeach()
endfunction()
