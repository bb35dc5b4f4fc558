# SPDX-License-Identifier: Apache-2.0
#
# Says once to whom it may not be clear that a build without a type is one without optimisation: the
# kernels of expressions are compiled with the programs that use them.

get_property(is_multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
get_property(is_said GLOBAL PROPERTY TESSERA_BUILD_TYPE_IS_SAID)
if(NOT is_said AND NOT is_multi_config AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CXX_FLAGS MATCHES "-O")
  set_property(GLOBAL PROPERTY TESSERA_BUILD_TYPE_IS_SAID ON)
  message(NOTICE "Tessera: CMAKE_BUILD_TYPE is not set, so that your programs and Tessera's kernels "
                 "in them are compiled without optimisation and run many times slower; configure "
                 "with -DCMAKE_BUILD_TYPE=Release unless that is what you want.")
endif()
unset(is_multi_config)
unset(is_said)
