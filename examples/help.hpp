// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Help texts of the examples.

#include <algorithm>
#include <string_view>

/// Tells whether a program was called with --help or -h.
inline bool asks_for_help(int argc, char** argv) {
  return std::any_of(argv + std::min(argc, 1), argv + argc, [](std::string_view argument) {
    return argument == "--help" || argument == "-h";
  });
}
