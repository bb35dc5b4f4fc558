// SPDX-License-Identifier: Apache-2.0
/// \file
/// Primitives within primitives, as files have them.

#include "tessera/core/error.hpp"
#include "tessera/primitive/primitive.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

/// Returns what is said of a primitive of kind `inner` within one of kind `outer`, of which no more
/// is there.
std::string refusal_of(const std::string& outer, const std::string& inner) {
  const std::string within = R"({"kind":")" + inner + R"(","json":{}})";
  const std::string json = R"({"first":)" + within + R"(,"then":)" + within +
                           R"(,"inputs":[],"operands":1,"stream":[1],"count":1,"made":0,)" +
                           R"("levels":[]})";
  try {
    static_cast<void>(parse_primitive(outer, json));
  } catch (const std::exception& refusal) {
    return refusal.what();
  }
  return "nothing";
}

// Of these, none stands within itself, nor within one before it, and some epilogues alone behind
// one another; so files cannot make them as deep as they like.
TEST(InnerPrimitives, StandInOneOrder) {
  const std::array<std::string, 5> kinds{"copy", "prologue", "held", "epilogue", "cascade"};
  for (std::size_t outer = 1; outer < kinds.size(); ++outer) {
    for (std::size_t inner = 0; inner < kinds.size(); ++inner) {
      if (kinds[outer] == "epilogue" && kinds[inner] == "epilogue") continue;
      const std::string said = "an operation of kind '" + kinds[outer] +
                               "' may not contain one of kind '" + kinds[inner] + "'";
      EXPECT_EQ(refusal_of(kinds[outer], kinds[inner]) == said, inner >= outer)
          << refusal_of(kinds[outer], kinds[inner]);
    }
  }
}

/// Returns what is said of so many epilogues behind one another, and nothing behind them.
std::string refusal_of_epilogues(std::size_t count) {
  std::string json = R"({"operands":1,"then":{"kind":"none","json":{}},"made":0,"count":1})";
  for (std::size_t i = 0; i < count; ++i) {
    json = R"({"first":{"kind":"epilogue","json":)" + json +
           R"(},"then":{"kind":"none","json":{}},"operands":1,"made":0,"count":1})";
  }
  try {
    static_cast<void>(parse_primitive("epilogue", json));
  } catch (const std::exception& refusal) {
    return refusal.what();
  }
  return "nothing";
}

TEST(InnerPrimitives, EpiloguesStandBehindOneAnotherUpToAFew) {
  const std::string too_many = "an operation has more than 16 epilogues in a row";
  EXPECT_NE(refusal_of_epilogues(15), too_many);
  EXPECT_EQ(refusal_of_epilogues(16), too_many);
  EXPECT_EQ(refusal_of_epilogues(1000), too_many);
}

}  // namespace
}  // namespace tessera
