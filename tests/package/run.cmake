# SPDX-License-Identifier: Apache-2.0

# run(<command>...): runs a command that must succeed; `output` is what it printed then.
macro(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT code EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\n${output}")
  endif()
endmacro()

# expect(<text> <condition>...): fails with the text and the last output unless the condition holds.
macro(expect text)
  if(NOT (${ARGN}))
    message(FATAL_ERROR "${text}\n${output}")
  endif()
endmacro()

# expect_documentation(<folder>): if HAS_PAGES, fails unless the folder of a package's documentation has
# the book, the search and the reference.
macro(expect_documentation folder)
  if(HAS_PAGES)
    foreach(page IN ITEMS index.html search.js book/start.html gallery/index.html)
      expect("${folder} has no ${page}" EXISTS ${folder}/html/${page})
    endforeach()
    file(GLOB pages ${folder}/html/reference/*.html)
    list(LENGTH pages count)
    expect("${folder} has ${count} pages of the reference" ${count} GREATER 150)
  endif()
endmacro()
