// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Helpers of the tests of the language.

#include "tessera/array/ndarray.hpp"

#include <cmath>
#include <cstddef>
#include <filesystem>
#include <gtest/gtest.h>
#include <initializer_list>
#include <string>
#include <string_view>

namespace tessera::test {

/// Expects shape and elements; floats may differ by the rounding of a few operations.
template <class T, std::size_t N>
void expect_values(const ndarray<T, N>& result, const std::array<index_t, N>& shape,
                   std::initializer_list<T> values) {
  ASSERT_EQ(result.shape(), shape);
  ASSERT_EQ(static_cast<std::size_t>(result.size()), values.size());
  const T* expected = values.begin();
  for (index_t i = 0; i < result.size(); ++i) {
    const T value = result.data()[i];
    if constexpr (std::is_same_v<T, double>) {
      EXPECT_NEAR(value, expected[i], 4e-15 * std::max(1.0, std::abs(expected[i]))) << "at " << i;
    } else if constexpr (std::is_same_v<T, float>) {
      EXPECT_NEAR(value, expected[i], 2e-6F * std::max(1.0F, std::abs(expected[i]))) << "at " << i;
    } else {
      EXPECT_EQ(value, expected[i]) << "at " << i;
    }
  }
}

/// Expects that `f` throws an `Error` with each of `parts` in its message.
template <class Error, class F>
void expect_error(const F& f, std::initializer_list<std::string_view> parts) {
  try {
    f();
    FAIL() << "nothing was thrown";
  } catch (const Error& e) {
    const std::string message = e.what();
    for (const std::string_view part : parts) {
      EXPECT_NE(message.find(part), std::string::npos) << "'" << part << "' is not in: " << message;
    }
  }
}

/// A directory of this test alone, removed with the object.
class scratch_directory {
 public:
  scratch_directory() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::path(testing::TempDir()) /
            (std::string("tessera-") + info->test_suite_name() + "-" + info->name());
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  scratch_directory(const scratch_directory&) = delete;
  scratch_directory& operator=(const scratch_directory&) = delete;
  ~scratch_directory() { std::filesystem::remove_all(path_); }

  [[nodiscard]] std::string operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace tessera::test
