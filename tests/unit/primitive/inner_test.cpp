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

/// Returns the refusal of a stage of kind `inner`; the JSON has no further fields.
std::string refusal_of_inner(const std::string& inner) {
  const std::string within = R"({"kind":")" + inner + R"(","json":{}})";
  return refusal_of_json("stages", R"({"stages":[{"primitive":)" + within + "}]}");
}

// Files cannot nest stages as deep as they like.
TEST(InnerPrimitives, HaveNoStagesThemselves) {
  EXPECT_EQ(refusal_of_inner("stages"), "a stage of an operation may not have stages itself");
  EXPECT_NE(refusal_of_inner("copy"), refusal_of_inner("stages"));
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
