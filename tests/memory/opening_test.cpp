// SPDX-License-Identifier: Apache-2.0
/// \file
/// The memory of opening an array, against the size of its document.

#include "tessera/executor/memory.hpp"
#include "tessera/tessera.hpp"

#include "unit/store/temporary_directory.hpp"

#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <malloc.h>
#include <string>

namespace {

namespace ts = tessera;
using namespace ts::literals;

/// Returns a list of `count` times `element`.
std::string list_of(std::string_view element, int count) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i == 0 ? "" : ", ", element);
  return text + "]";
}

/// Returns an object of 100,000 texts of 100 characters.
std::string texts() {
  constexpr int count = 100'000;
  std::string text;
  for (int i = 0; i < count; ++i) {
    text += fmt::format("{}\"the attribute {:06}\": \"{:0100}\"", i == 0 ? "{" : ", ", i, i);
  }
  return text + "}";
}

/// Returns an object of 10^6 numbers with short names.
std::string names() {
  std::string text;
  for (int i = 0; i < 1'000'000; ++i) text += fmt::format("{}\"{}\": 1", i == 0 ? "{" : ", ", i);
  return text + "}";
}

struct document {
  const char* name;
  std::string (*attributes)();
};

class Opening : public ::testing::TestWithParam<document> {
 protected:
  // Large pieces go back to the system at once: glibc's cache is not the library's memory.
  void SetUp() override { mallopt(M_MMAP_THRESHOLD, 128 * 1024); }
};

TEST_P(Opening, TakesAtMostThreeTimesTheDocument) {
  const ts::testing::temporary_directory directory;
  const std::string path = directory / "x";
  std::filesystem::create_directory(path);
  std::ofstream(path + "/zarr.json")
      << R"({"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "int8",
        "fill_value": 0, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}],
        "attributes": )"
      << GetParam().attributes() << "}";
  const ts::bytes size{std::filesystem::file_size(path + "/zarr.json")};
  EXPECT_GE(size, 8_MB);
  malloc_trim(0);
  ASSERT_TRUE(ts::reset_peak_memory());
  const ts::bytes before = ts::resident_memory();
  const auto x = ts::zarr_array::open(path);
  const ts::bytes peak = ts::peak_memory();
  EXPECT_FALSE(x.attributes().empty());
  EXPECT_LE(peak, before + size * 3);
}

TEST(OpeningAGroup, TakesAtMostThreeTimesTheDocument) {
  mallopt(M_MMAP_THRESHOLD, 128 * 1024);
  const ts::testing::temporary_directory directory;
  const std::string path = directory / "x";
  std::filesystem::create_directory(path);
  constexpr int count = 50'000;
  {
    std::ofstream file(path + "/zarr.json");
    file << R"({"zarr_format": 3, "node_type": "group", "consolidated_metadata":
      {"kind": "inline", "must_understand": false, "metadata": {)";
    for (int i = 0; i < count; ++i) {
      file << fmt::format("{}\n\"x{}\": ", i == 0 ? "" : ",", i)
           << R"({"zarr_format": 3, "node_type": "array", "shape": [2], "data_type": "int8",
        "fill_value": 0, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": {"name": "default"}, "codecs": [{"name": "bytes"}]})";
    }
    file << "}}}";
  }
  const ts::bytes size{std::filesystem::file_size(path + "/zarr.json")};
  malloc_trim(0);
  ASSERT_TRUE(ts::reset_peak_memory());
  const ts::bytes before = ts::resident_memory();
  const auto group = ts::zarr_group::open(path);
  EXPECT_LE(ts::peak_memory(), before + size * 3);
  EXPECT_EQ(group.arrays().size(), static_cast<std::size_t>(count));
}

std::string text() { return fmt::format("{{\"a\": \"{}\"}}", std::string(10'000'000, 'x')); }
std::string numbers() { return fmt::format("{{\"a\": {}}}", list_of("0.125", 2'000'000)); }
std::string digits() { return fmt::format("{{\"a\": {}}}", list_of("1", 3'000'000)); }
std::string lists() { return fmt::format("{{\"a\": {}}}", list_of("[]", 3'000'000)); }

INSTANTIATE_TEST_SUITE_P(, Opening,
                         ::testing::Values(document{"Text", text}, document{"Numbers", numbers},
                                           document{"Digits", digits}, document{"Lists", lists},
                                           document{"Texts", texts}, document{"Names", names}),
                         [](const auto& tested) { return std::string(tested.param.name); });

}  // namespace
