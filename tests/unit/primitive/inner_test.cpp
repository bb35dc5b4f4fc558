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
                           R"(,"inputs":[],"operands":1,"stream":[1],"count":1,"made":0})";
  try {
    static_cast<void>(parse_primitive(outer, json));
  } catch (const std::exception& refusal) {
    return refusal.what();
  }
  return "nothing";
}

// Of these, none stands within itself, nor within one before it; so files cannot make them as deep
// as they like.
TEST(InnerPrimitives, StandInOneOrder) {
  const std::array<std::string, 4> kinds{"copy", "prologue", "held", "epilogue"};
  for (std::size_t outer = 1; outer < kinds.size(); ++outer) {
    for (std::size_t inner = 0; inner < kinds.size(); ++inner) {
      const std::string said = "found an operation of kind '" + kinds[inner] +
                               "' within one of kind '" + kinds[outer] + "'";
      EXPECT_EQ(refusal_of(kinds[outer], kinds[inner]) == said, inner >= outer)
          << refusal_of(kinds[outer], kinds[inner]);
    }
  }
}

}  // namespace
}  // namespace tessera
