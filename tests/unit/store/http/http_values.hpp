// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Values, stores and failures of the tests of HTTP stores.

#include "tessera/core/error.hpp"
#include "tessera/store/http.hpp"

#include <chrono>
#include <cstddef>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {

/// Returns `size` letters, which are other ones after each 26.
inline std::string letters(std::size_t size) {
  std::string text(size, 'a');
  for (std::size_t i = 0; i < size; ++i) text[i] = static_cast<char>('a' + (i + i / 26) % 26);
  return text;
}

inline std::string text_of(const std::vector<std::byte>& value) {
  return {reinterpret_cast<const char*>(value.data()), value.size()};
}

/// Returns the value of a key, "(missing)" if it is missing.
inline std::string read_value(const key_value_store& store, const std::string& key) {
  const auto value = store.read_all(key, std::size_t{1} << 30);
  return value ? text_of(*value) : "(missing)";
}

/// Options with a short time for attempts.
inline http_options impatient(std::chrono::milliseconds patience = std::chrono::milliseconds(400)) {
  http_options options;
  options.patience = patience;
  return options;
}

/// Returns the failure of a read.
template <class F>
store_error failure_of(F read) {
  try {
    static_cast<void>(read());
  } catch (const store_error& failure) {
    return failure;
  }
  ADD_FAILURE() << "no store_error was thrown";
  return store_error("");
}

}  // namespace tessera::testing
