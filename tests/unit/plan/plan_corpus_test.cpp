// SPDX-License-Identifier: Apache-2.0
/// \file
/// The plans that fuzzing begins with are written by this version: fuzzing would stop at the first
/// missing field of an older plan.

#include "fuzz/plan_kernels.hpp"
#include "plan/plan_json.hpp"

#include <array>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

namespace tessera {
namespace {

[[maybe_unused]] const bool are_known = testing::know_plan_kernels();

TEST(PlanCorpus, IsRead) {
  alignas(64) static constexpr std::array<std::byte, 1024> elements{};
  std::set<std::string> kinds;
  for (const auto& seed : std::filesystem::directory_iterator(TESSERA_PLAN_CORPUS)) {
    std::ifstream file(seed.path());
    const auto text = nlohmann::json::parse(file);
    SCOPED_TRACE(seed.path());
    ASSERT_NO_THROW(static_cast<void>(parse_plan(text, {elements, nullptr})));
    for (const auto& operation : text.at("operations")) {
      kinds.insert(operation.at("primitive").at("kind").get<std::string>());
    }
  }
  EXPECT_EQ(kinds, (std::set<std::string>{"blocks", "copy", "scans", "stages", "strips"}));
}

}  // namespace
}  // namespace tessera
