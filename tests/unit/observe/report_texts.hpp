// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The texts of the files of a report.

#include <array>
#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>
#include <zlib.h>

namespace tessera::testing {

/// Returns the text of a file.
inline std::string contents_of(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

/// Returns the text of a file that gzip has compressed.
inline std::string unzipped(const std::string& path) {
  std::string text;
  gzFile file = gzopen(path.c_str(), "rb");
  std::array<char, 4096> piece{};
  for (int size = 0; (size = gzread(file, piece.data(), piece.size())) > 0;) {
    text.append(piece.data(), static_cast<std::size_t>(size));
  }
  gzclose(file);
  return text;
}

inline std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

}  // namespace tessera::testing
