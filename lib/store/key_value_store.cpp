// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/key_value_store.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

[[noreturn]] void throw_malformed(std::string_view key) {
  // A hostile key may be of any length and hold any byte.
  constexpr std::size_t longest = 200;
  std::string shown(key.substr(0, longest));
  std::replace(shown.begin(), shown.end(), '\0', '?');
  throw store_error(
      fmt::format("key \"{}\": must be names joined by \"/\", none of them empty, "
                  "\".\" or \"..\", without NUL and backslash",
                  shown));
}

}  // namespace

void validate_key(std::string_view key) {
  // One pass without calls: this stands before every read and write of a chunk.
  std::size_t begin = 0;
  for (std::size_t i = 0; i <= key.size(); ++i) {
    if (i < key.size() && key[i] != '/') {
      if (key[i] == '\0' || key[i] == '\\') throw_malformed(key);
      continue;
    }
    const std::size_t length = i - begin;
    if (length == 0) throw_malformed(key);
    if (length <= 2 && key[begin] == '.' && key[i - 1] == '.') throw_malformed(key);
    begin = i + 1;
  }
}

void validate_folder(std::string_view folder) {
  if (!folder.empty()) validate_key(folder);
}

}  // namespace tessera
