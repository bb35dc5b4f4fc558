# SPDX-License-Identifier: Apache-2.0
#
# Called by CPack between installing and packing: adds copyright and changelog to each package, and
# compresses what Debian wants compressed.

# compress(<file>...): replaces files by their compressed forms, the same at each run.
function(compress)
  foreach(file IN LISTS ARGN)
    execute_process(COMMAND gzip --no-name --best --force ${file} COMMAND_ERROR_IS_FATAL ANY)
  endforeach()
endfunction()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(part IN LISTS CPACK_COMPONENTS_ALL)
  string(TOUPPER ${part} key)
  set(package ${CPACK_DEBIAN_${key}_PACKAGE_NAME})
  set(root ${CPACK_TEMPORARY_DIRECTORY}/${part}/usr)
  if(NOT IS_DIRECTORY ${root})
    continue()
  endif()
  set(folder ${root}/share/doc/${package})
  configure_file(${CMAKE_CURRENT_LIST_DIR}/copyright ${folder}/copyright COPYONLY)
  configure_file(${CMAKE_CURRENT_LIST_DIR}/changelog.in ${folder}/changelog @ONLY)
  file(GLOB pages ${root}/share/man/man1/*.1)
  compress(${folder}/changelog ${pages})
endforeach()
