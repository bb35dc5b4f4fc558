// SPDX-License-Identifier: Apache-2.0
//
// Encodes and decodes for a test that is written in another language:
//
//   codec_exchange <list>
//
// Each line is "encode" or "decode", the kind, size and byte order ('<' or '>') of the elements,
// the number of decoded bytes, the file that is read, the file that is written, and the
// configurations of the filters and, as the last, of the compressor; all separated by tabs. A line
// that fails is answered by one line "<file that is read>: <error>".
#include "tessera/core/error.hpp"

#include "codec/api/codec_chain.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace ts = tessera;

namespace {

using buffer = std::vector<std::byte>;

buffer read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

void write_file(const std::string& path, const buffer& data) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(data.data()), static_cast<std::streamsize>(data.size()));
}

void run(const std::vector<std::string>& row) {
  const ts::codec_elements elements(std::stoul(row.at(2)), row.at(1).at(0),
                                    row.at(3) == ">" ? std::endian::big : std::endian::little);
  std::vector<ts::codec::configuration> filters;
  for (std::size_t i = 7; i < row.size(); ++i) {
    filters.push_back(ts::codec::configuration::from_json(row[i]));
  }
  const ts::codec::configuration compressor = filters.back();
  filters.pop_back();
  const auto codec = ts::make_codec_chain(filters, compressor, elements);
  const std::size_t decoded_size = std::stoul(row.at(4));
  const buffer in = read_file(row.at(5));
  const bool is_encoding = row.at(0) == "encode";
  buffer out(is_encoding ? codec->max_encoded_size(decoded_size) : decoded_size);
  if (is_encoding) {
    out.resize(codec->encode(in, out));
  } else {
    codec->decode(in, out);
  }
  write_file(row.at(6), out);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: codec_exchange <list>\n";
    return 2;
  }
  std::ifstream list(argv[1]);
  int status = 0;
  for (std::string line; std::getline(list, line);) {
    std::vector<std::string> row;
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, '\t');) row.push_back(field);
    try {
      run(row);
    } catch (const std::exception& failure) {
      std::cout << row.at(5) << ": " << failure.what() << "\n";
      status = 1;
    }
  }
  return status;
}
