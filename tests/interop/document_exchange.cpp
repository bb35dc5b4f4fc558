// SPDX-License-Identifier: Apache-2.0
//
// Encodes and decodes chunks of Zarr version 3 for a test that is written in another language:
//
//   document_exchange <list>
//
// Each line is "encode" or "decode", the file of the array's document, the file that is read and
// the file that is written, separated by tabs. Elements are little-endian, in row-major order. A
// line that fails is answered by one line "<file that is read>: <error>".
#include "tessera/core/error.hpp"

#include "unit/zarr/v3/chunks.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void run(const std::vector<std::string>& row) {
  auto document = ts::detail::v3::array_document::parse(read_file(row.at(1)));
  // A document that is written again describes the same chunks.
  document = ts::detail::v3::array_document::parse(document.to_json());
  const std::string text = read_file(row.at(2));
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  const ts::testing::buffer in(begin, begin + text.size());
  const ts::testing::buffer out = row.at(0) == "encode"
                                      ? ts::testing::encode_chunk(document, in, true)
                                      : ts::testing::decode_chunk(document, in);
  std::ofstream(row.at(3), std::ios::binary)
      .write(reinterpret_cast<const char*>(out.data()), static_cast<std::streamsize>(out.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream list(argv[1]);
  std::string line;
  while (std::getline(list, line)) {
    std::vector<std::string> row;
    std::istringstream columns(line);
    for (std::string column; std::getline(columns, column, '\t');) row.push_back(column);
    try {
      run(row);
    } catch (const ts::error& failure) {
      std::cout << row.at(2) << ": " << failure.what() << '\n';
    }
  }
  return 0;
}
