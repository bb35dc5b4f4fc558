// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes a GoogleTest test of a function, for suites that are registered once for each subject.

#include <functional>
#include <gtest/gtest.h>
#include <string>
#include <utility>

namespace tessera::testing {

/// Registers `body` as the test `<suite>.<name>`.
inline void register_case(const std::string& suite, const char* name, std::function<void()> body) {
  struct running_test final : ::testing::Test {
    explicit running_test(std::function<void()> run) : body(std::move(run)) {}
    void TestBody() override { body(); }
    std::function<void()> body;
  };
  ::testing::RegisterTest(
      suite.c_str(), name, nullptr, nullptr, __FILE__, __LINE__,
      [body = std::move(body)]() -> ::testing::Test* { return new running_test(body); });
}

}  // namespace tessera::testing
