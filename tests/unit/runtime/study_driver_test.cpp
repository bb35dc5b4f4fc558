// SPDX-License-Identifier: Apache-2.0
#include "runtime/study_driver.hpp"

#include "tessera/core/error.hpp"

#include "runtime/run_program.hpp"

#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <string>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

using words = std::vector<std::string>;

TEST(StudyRequest, IsReadFromItsParts) {
  const study_request request = parse_study_request(
      "workers=1,2,4;repeat=5;simulated=100;engine=slurm:workers={workers};out=a b");
  EXPECT_EQ(request.workers, (std::vector<std::size_t>{1, 2, 4}));
  EXPECT_EQ(request.simulated, (std::vector<std::size_t>{100}));
  EXPECT_EQ(request.repetitions, 5U);
  EXPECT_EQ(request.engine, "slurm:workers={workers}");
  EXPECT_EQ(request.folder, "a b");
}

TEST(StudyRequest, IsRefusedIfAPartIsUnknown) {
  for (const char* text : {"", "repeat=5", "workers=0", "workers=1,x", "worker=1", "workers",
                           "workers=1;repeat=", "workers=-1"}) {
    EXPECT_THROW((void)parse_study_request(text), value_error) << text;
  }
}

TEST(StudyCommand, SetsTheOptionsOfThePoint) {
  const study_request request = parse_study_request("workers=1,2");
  const words command =
      command_of_point({"/bin/means", "--tessera-study=workers=1,2", "in", "--tessera-memory=1GB",
                        "--tessera-executor=serial", "--", "--tessera-executor=x"},
                       request, 2, false, "r/1");
  EXPECT_EQ(command, (words{"/bin/means", "--tessera-executor=threads:2", "--tessera-report=r/1",
                            "--tessera-resume=never", "--tessera-progress=never", "in",
                            "--tessera-memory=1GB", "--", "--tessera-executor=x"}));
}

TEST(StudyCommand, StartsRanksByTheLaunchCommand) {
  const study_request request = parse_study_request("workers=4;launch=srun -n {workers}");
  const words command = command_of_point({"means"}, request, 4, false, "r");
  EXPECT_EQ(words(command.begin(), command.begin() + 5),
            (words{"srun", "-n", "4", "means", "--tessera-executor=mpi"}));
  const study_request each = parse_study_request("workers=4;launch=a {workers} --b={workers}");
  const words twice = command_of_point({"means"}, each, 4, false, "r");
  EXPECT_EQ(words(twice.begin(), twice.begin() + 3), (words{"a", "4", "--b=4"}));
  // Costs of the default spec: a request waits 100 us.
  const std::string simulated = command_of_point({"means"}, request, 50, true, "r").at(1);
  EXPECT_EQ(simulated.find("--tessera-executor=simulated:workers=50,"), 0U) << simulated;
  EXPECT_NE(simulated.find("latency=100us"), std::string::npos) << simulated;
}

TEST(StudyOfProgram, KeepsFoldersOfNoStudy) {
  const std::filesystem::path folder =
      testing::TempDir() + "study_of_program" + std::to_string(getpid());
  std::filesystem::create_directories(folder / "runs/mine");
  const study_request request = parse_study_request("workers=1;out=" + folder.string());
  EXPECT_THROW(run_study_of_program(request, {"/bin/true"}), value_error);
  EXPECT_TRUE(std::filesystem::exists(folder / "runs/mine"));
  std::filesystem::remove_all(folder);
}

TEST(RunProgram, ReturnsTheExitCodeAndKeepsTheOutput) {
  const std::string output = testing::TempDir() + "run_program.txt";
  EXPECT_EQ(run_program({"sh", "-c", "echo out; echo err >&2; exit 3"}, output), 3);
  std::ifstream file(output);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), "out\nerr\n");
  EXPECT_EQ(run_program({"sh", "-c", "kill -KILL $$"}, output), 128 + 9);
  EXPECT_THROW((void)run_program({"/no/such/program"}, output), value_error);
  std::filesystem::remove(output);
}

TEST(Repetition, NeedsARecord) {
  point_result point;
  EXPECT_THROW(add_repetition(point, testing::TempDir() + "no_record", 1), value_error);
}

}  // namespace
}  // namespace tessera
