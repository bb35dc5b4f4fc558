// SPDX-License-Identifier: Apache-2.0
#include "observe/api/study_files.hpp"

#include "tessera/core/error.hpp"

#include "observe/api/study_context.hpp"

#include <array>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

class StudyFiles : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(folder_); }

  std::string folder_ = testing::TempDir() + "study_files" + std::to_string(getpid());
};

point_result point_of(std::size_t workers, std::vector<double> seconds) {
  point_result point;
  point.engine = "threads";
  point.workers = workers;
  point.seconds = std::move(seconds);
  point.num_tasks = 7;
  point.moved = bytes{1'000'000};
  return point;
}

study_results study_of(std::vector<point_result> points) {
  return {"means", {{"host", "node1"}}, std::move(points)};
}

TEST_F(StudyFiles, AreReadAsTheyWereWritten) {
  study_results written = study_of({point_of(1, {8, 8.25}), point_of(2, {4})});
  written.notes = {"simulated:workers=8: no value"};
  write_study(written, folder_);
  const study_results read = read_study(folder_);
  EXPECT_EQ(json_of(read), json_of(written));
  EXPECT_EQ(read.points.at(0).seconds, (std::vector<double>{8, 8.25}));
  EXPECT_EQ(read.context.at("host"), "node1");
}

TEST_F(StudyFiles, HaveTheContextOfTheStudy) {
  study_results written = study_of({point_of(1, {8}), point_of(2, {4})});
  written.context = context_of_study();
  EXPECT_GE(written.context.size(), 18U);
  write_study(written, folder_);
  constexpr std::array files{"study.csv", "study.json",   "study.jsonl",    "study.md",
                             "time.svg",  "speed-up.svg", "efficiency.svg", "memory.svg"};
  for (const char* name : files) {
    std::ifstream file(folder_ + "/" + name);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    for (const auto& [key, fact] : written.context) {
      EXPECT_NE(text.find(key), std::string::npos) << key << " in " << name;
    }
  }
}

TEST_F(StudyFiles, ThatAreNoneAreRefused) {
  EXPECT_THROW((void)read_study(folder_), store_error);
  std::filesystem::create_directories(folder_);
  std::ofstream(folder_ + "/study.json") << R"({"study": "means", "points": 3})";
  EXPECT_THROW((void)read_study(folder_), value_error);
  std::ofstream(folder_ + "/study.json") << "{";
  EXPECT_THROW((void)read_study(folder_), value_error);
}

// Intervals of six and more times reach from the second least to the second greatest at most: of
// six, from the least to the greatest.
TEST_F(StudyFiles, AreComparedByIntervals) {
  const study_results first =
      study_of({point_of(1, {9.9, 10, 10, 10, 10, 10.1}), point_of(2, {4.9, 5, 5, 5, 5, 5.1}),
                point_of(4, {3, 3, 3, 3, 3, 3})});
  study_results second =
      study_of({point_of(1, {7.9, 8, 8, 8, 8, 8.1}), point_of(2, {4.8, 5, 5, 5, 5, 5.2})});
  second.context = {{"host", "node2"}};
  const std::string text = comparison_of(first, second);
  EXPECT_NE(text.find("0.800 (0.782 to 0.818)  faster"), std::string::npos) << text;
  EXPECT_NE(text.find("1.000 (0.941 to 1.061)  no difference shown"), std::string::npos) << text;
  EXPECT_EQ(text.find("   3 (3 to 3)"), std::string::npos) << text;
  EXPECT_NE(text.find("host: node1 | node2"), std::string::npos) << text;
  EXPECT_NE(comparison_of(second, first).find("slower"), std::string::npos);
}

TEST(StudyContext, HidesArgumentsOfThePrograms) {
  EXPECT_EQ(public_command({"means", "--key=secret", "--tessera-memory=1GB", "--study_out=a", "x"}),
            "means ... --tessera-memory=1GB --study_out=a ...");
}

TEST(StudyContext, WritesProcessorsInShort) {
  EXPECT_EQ(ranges_text({0, 1, 2, 3, 8, 10, 11}), "0-3,8,10-11");
  EXPECT_EQ(ranges_text({}), "");
}

TEST(StudyContext, FindsTheFileSystemOfAPath) {
  const std::string mounts =
      "proc /proc proc rw 0 0\n/dev/sda1 / ext4 rw 0 0\nnfs:/x /home nfs4 rw 0 0\n";
  EXPECT_EQ(file_system_of("/home/a", mounts), "nfs4 at /home");
  EXPECT_EQ(file_system_of("/homes", mounts), "ext4 at /");
  EXPECT_EQ(file_system_of("/home", ""), "unknown");
}

}  // namespace
}  // namespace tessera
