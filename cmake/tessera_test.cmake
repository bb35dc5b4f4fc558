# SPDX-License-Identifier: Apache-2.0

include(GoogleTest)
find_package(GTest REQUIRED)

# tessera_add_test(<name> SOURCES <file>... [LIBRARIES <library>...] [LABELS <label>...])
#
# Creates the GoogleTest executable <name> and one CTest entry for each of its tests. Without
# LABELS the label is "fast".
function(tessera_add_test name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES;LABELS")
  if(arg_UNPARSED_ARGUMENTS OR NOT arg_SOURCES)
    message(FATAL_ERROR "tessera_add_test(${name}): SOURCES is required, and found without a "
                        "keyword: '${arg_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT arg_LABELS)
    set(arg_LABELS fast)
  endif()
  list(JOIN arg_LABELS "\\;" labels)

  add_executable(${name} ${arg_SOURCES})
  set_target_properties(${name} PROPERTIES CXX_EXTENSIONS OFF)
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/lib ${PROJECT_SOURCE_DIR}/tests)
  target_link_libraries(${name} PRIVATE tessera::tessera tessera_build_flags ${arg_LIBRARIES}
                                        GTest::gtest GTest::gtest_main)
  gtest_discover_tests(
    ${name}
    DISCOVERY_MODE PRE_TEST
    DISCOVERY_TIMEOUT 60
    PROPERTIES LABELS "${labels}" TIMEOUT 600)
endfunction()
