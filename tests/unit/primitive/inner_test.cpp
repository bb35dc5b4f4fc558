// SPDX-License-Identifier: Apache-2.0
/// \file
/// Primitives within primitives, as files have them.

#include "tessera/core/error.hpp"
#include "tessera/primitive/primitive.hpp"

#include "unit/core/message_of.hpp"

#include <array>
#include <cstddef>
#include <exception>
#include <gtest/gtest.h>
#include <string>

namespace tessera {
namespace {

/// Returns the message by which a primitive of `kind` refuses `json`.
std::string refusal_of_json(const std::string& kind, const std::string& json) {
  try {
    static_cast<void>(parse_primitive(kind, json));
  } catch (const std::exception& refusal) {
    return refusal.what();
  }
  return "nothing";
}

/// Returns the refusal of a primitive of kind `inner` within one of kind `outer`; the JSON has no
/// further fields.
std::string refusal_of(const std::string& outer, const std::string& inner) {
  const std::string within = R"({"kind":")" + inner + R"(","json":{}})";
  return refusal_of_json(outer, R"({"then":)" + within + R"(,"stages":[{"primitive":)" + within +
                                    R"(}],"inputs":[]})");
}

// Stages may have prologues, and neither stands within itself; so files cannot make them as deep as
// they like.
TEST(InnerPrimitives, StandInOneOrder) {
  const std::array<std::string, 3> kinds{"copy", "prologue", "stages"};
  for (std::size_t outer = 1; outer < kinds.size(); ++outer) {
    for (std::size_t inner = 0; inner < kinds.size(); ++inner) {
      const std::string said = "an operation of kind '" + kinds[outer] +
                               "' may not contain one of kind '" + kinds[inner] + "'";
      EXPECT_EQ(refusal_of(kinds[outer], kinds[inner]) == said, inner >= outer)
          << refusal_of(kinds[outer], kinds[inner]);
    }
  }
}

/// Returns the refusal of `count` stages that copy an operand.
std::string refusal_of_stages(std::size_t count) {
  std::string stages;
  for (std::size_t i = 0; i < count; ++i) {
    stages += (i == 0 ? "" : ",");
    stages += R"({"primitive":{"kind":"copy","json":{"shape":[4],"type":"float64"}},"at":2,)"
              R"("inputs":[{"number":0}],"step":[],"emitted":true})";
  }
  return refusal_of_json("stages", R"({"stages":[)" + stages + "]}");
}

TEST(InnerPrimitives, StagesAreUpToAFew) {
  EXPECT_EQ(refusal_of_stages(128), "nothing");
  EXPECT_EQ(refusal_of_stages(129), "an operation has more than 128 stages");
}

TEST(InnerPrimitives, StagesReadOutputsOfStagesBeforeThem) {
  const std::string copy =
      R"({"primitive":{"kind":"copy","json":{"shape":[4],"type":"float64"}},"at":2,)"
      R"("step":[],"emitted":true,"inputs":[{"number":0,"stage":)";
  EXPECT_NE(refusal_of_json("stages", R"({"stages":[)" + copy + R"(0,"map":{}}]}]})"), "nothing");
}

TEST(Primitives, OfAnUnknownKindAreRefusedWithTheNearestKind) {
  const std::string message =
      testing::message_of<value_error>([] { static_cast<void>(parse_primitive("strip", "{}")); });
  EXPECT_NE(message.find("'strip' (did you mean \"strips\"?)"), std::string::npos) << message;
}

}  // namespace
}  // namespace tessera
