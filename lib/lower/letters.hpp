// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The letters that name axes in an einsum, and values by letter.

#include "tessera/core/index.hpp"

#include <algorithm>
#include <array>
#include <string>

namespace tessera {

[[nodiscard]] inline bool has_letter(const std::string& letters, char letter) {
  return letters.find(letter) != std::string::npos;
}

[[nodiscard]] inline bool is_subset(const std::string& letters, const std::string& superset) {
  return std::all_of(letters.begin(), letters.end(),
                     [&](char letter) { return has_letter(superset, letter); });
}

/// Returns the letters of both texts, `letters` first, each once.
[[nodiscard]] inline std::string join_letters(const std::string& letters,
                                              const std::string& appended) {
  std::string result = letters;
  for (const char letter : appended) {
    if (!has_letter(result, letter)) result += letter;
  }
  return result;
}

/// An extent or a chunk for each letter; 1 unless it is set.
class letter_map {
 public:
  index_t& operator[](char letter) { return values_[static_cast<unsigned char>(letter)]; }
  index_t operator[](char letter) const { return values_[static_cast<unsigned char>(letter)]; }
  [[nodiscard]] index_vector of(const std::string& letters) const {
    index_vector values;
    for (const char letter : letters) values.push_back((*this)[letter]);
    return values;
  }

 private:
  std::array<index_t, 128> values_ = [] {
    std::array<index_t, 128> ones{};
    ones.fill(1);
    return ones;
  }();
};

}  // namespace tessera
