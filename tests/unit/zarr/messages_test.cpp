// SPDX-License-Identifier: Apache-2.0
//
// Messages of errors: each is one sentence with a remedy, and never much of a file's contents.
#include "tessera/core/error.hpp"
#include "tessera/store/filesystem_store.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "unit/store/temporary_directory.hpp"
#include "unit/zarr/support.hpp"

#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

namespace ts = tessera;
namespace fs = std::filesystem;

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;
using ts::testing::temporary_directory;
using namespace ts::testing::zarr;

std::string message_of_opening(const std::string& path) {
  return refusal_of<ts::zarr_error>([&] { (void)ts::zarr_array::open(path); });
}

TEST(Messages, SayWhatIsThereInsteadOfAnArray) {
  const temporary_directory directory;
  fs::create_directories(directory / "empty");
  std::ofstream(directory / "file.nc") << "CDF";
  (void)ts::zarr_group::create(directory / "group");
  const struct {
    std::string path;
    const char* says;
    const char* remedy;
  } cases[] = {
      {directory / "nothing", "does not exist", "check the path"},
      {directory / "file.nc", "is a file", "convert it"},
      {"/dev/null", "is a device", "check the path"},
      {directory / "empty", "has neither zarr.json nor .zarray", "check the path"},
      {directory / "group", "is a group", "name one of its arrays"},
  };
  for (const auto& wrong_path : cases) {
    EXPECT_THAT(message_of_opening(wrong_path.path),
                AllOf(StartsWith(wrong_path.path + " is no Zarr array: it " + wrong_path.says),
                      HasSubstr(wrong_path.remedy)));
    EXPECT_THAT(message_of_opening(wrong_path.path + "/"),
                StartsWith(wrong_path.path + " is no Zarr array"));
  }
  EXPECT_THAT(
      refusal_of<ts::zarr_error>([&] { (void)ts::zarr_group::open(directory / "file.nc"); }),
      HasSubstr("it is a file, and a Zarr group is a folder"));
}

/// Returns the fault of a message, or nothing if it is as it should be.
std::string fault_of(const std::string& message, const std::string& path) {
  if (message.find("json.exception") != std::string::npos) return "the parser speaks";
  if (message.find("\"\"") != std::string::npos) return "doubled quotes";
  if (message.find(std::string(201, 'x')) != std::string::npos) return "too much of the file";
  if (message.find(path + "/ ") != std::string::npos) return "a slash behind the path";
  if (message.find(path + "/:") != std::string::npos) return "a slash behind the path";
  const std::size_t first = message.find(path);
  if (first == std::string::npos) return "no path";
  return message.find(path, first + 1) == std::string::npos ? "" : "the path twice";
}

// Each member of `.zarray` in turn is malformed: long, of another type, cut off.
TEST(Messages, AreShortAndClean) {
  const temporary_directory directory;
  const std::string path = directory / "a.zarr";
  fs::create_directories(path);
  const std::string junk(10'000, 'x');
  const std::pair<const char*, const char*> members[] = {
      {"zarr_format", "2"}, {"shape", "[10]"},      {"chunks", "[5]"},
      {"dtype", "\"<f8\""}, {"compressor", "null"}, {"fill_value", "0"},
      {"order", "\"C\""},   {"filters", "null"},    {"dimension_separator", "\".\""}};
  const std::string values[] = {"\"" + junk + "\"",
                                "[\"" + junk + "\"]",
                                "[[\"" + junk + "\", \"<f9\"]]",
                                "[[\"" + junk + "\", \"<f8\"], [\"" + junk + "\", \"<f8\"]]",
                                "{\"id\": \"" + junk + "\"}",
                                "[{\"id\": \"" + junk + "\"}]",
                                "{\"id\": \"zlib\", \"" + junk + "\": 1}",
                                "[{\"id\": \"delta\", \"dtype\": \"" + junk + "\"}]",
                                "1e999",
                                junk,
                                "\"\\ud800\"",
                                "{\"a\": 1, \"a\": 2}",
                                "\"cut"};
  for (const auto& [name, usual] : members) {
    for (const std::string& value : values) {
      std::string text;
      for (const auto& [member, usual_value] : members) {
        text += (text.empty() ? "{\"" : ", \"") + std::string(member) + "\": ";
        text += std::string(member) == name ? value : usual_value;
      }
      std::ofstream(path + "/.zarray") << text << "}";
      try {
        (void)ts::zarr_array::open(path);
      } catch (const ts::error& failure) {
        EXPECT_EQ(fault_of(failure.what(), path), "") << failure.what();
      }
    }
  }
}

TEST(Messages, OfAttributesAndGroupsAreShortAndClean) {
  const temporary_directory directory;
  const std::string path = directory / "a.zarr";
  const std::string junk(10'000, 'x');
  (void)ts::zarr_array::create(path, plain_int32({1}, {1}));
  for (const std::string& text :
       {std::string(), junk, "\"" + junk + "\"", "{\"" + junk + "\": 1, \"" + junk + "\": 2}",
        "{\"" + junk + "\": \"\\udc00\"}", std::string("{\"a\": ")}) {
    std::ofstream(path + "/.zattrs") << text;
    const auto array = ts::zarr_array::open(path);
    const std::string message =
        refusal_of<ts::zarr_error>([&] { (void)array.attributes().to_json(); });
    EXPECT_EQ(fault_of(message, path), "") << message;
  }
  const std::string group = directory / "g.zarr";
  (void)ts::zarr_group::create(group);
  const std::string head = "{\"zarr_consolidated_format\": 1, \"metadata\": {\"";
  for (const std::string& text : {junk, "{\"" + junk + "\": 1}", head + junk + "/.zarray\": 3}}",
                                  head + junk + "/.zarray\": {}, \"" + junk + "/.zarray\": {}}}",
                                  head + "/" + junk + "\": {}}}"}) {
    std::ofstream(group + "/.zmetadata") << text;
    const std::string message = refusal_of<ts::error>([&] { (void)ts::zarr_group::open(group); });
    EXPECT_EQ(fault_of(message, group), "") << message;
  }
}

}  // namespace
