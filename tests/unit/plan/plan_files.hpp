// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Files as strings.

#include <fstream>
#include <iterator>
#include <string>

namespace tessera::testing {

inline std::string file_contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline void write_file(const std::string& path, const std::string& contents) {
  std::ofstream(path, std::ios::binary) << contents;
}

}  // namespace tessera::testing
