// SPDX-License-Identifier: Apache-2.0
#include "unit/executor/processes/child_program.hpp"
#include "unit/store/temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <string>
#include <sys/wait.h>

namespace tessera {
namespace {

using testing::child_program;
using testing::temporary_directory;

const std::string program = TESSERA_PROCESSES_PROGRAM;

/// Copies the program into `directory`, under the name "program".
void copy_program(const temporary_directory& directory) {
  std::filesystem::copy_file(program, directory.path() / "program");
}

// The program's output ends when the last of its processes has ended.
TEST(ProgramWithWorkers, LeavesNoProcessBehindWhenItIsKilled) {
  child_program child(program, "hang");
  ASSERT_EQ(child.read_line(), "running");
  child.signal(SIGKILL);
  EXPECT_EQ(child.read_line(), "");
  EXPECT_TRUE(WIFSIGNALED(child.wait_for_end()));
}

TEST(ProgramWithWorkers, StopsCleanlyOnCtrlC) {
  child_program child(program, "stop");
  ASSERT_EQ(child.read_line(), "running");
  child.signal_group(SIGINT);
  EXPECT_EQ(child.read_line(), "stopping");
  EXPECT_EQ(child.read_line(), "interrupted, 0 failures");
  EXPECT_EQ(child.read_line(), "");
  EXPECT_EQ(child.wait_for_end(), 0);
}

TEST(ProgramWithWorkers, EndsAtOnceOnASecondCtrlC) {
  child_program child(program, "hang");
  ASSERT_EQ(child.read_line(), "running");
  child.signal_group(SIGINT);
  EXPECT_EQ(child.read_line(), "stopping");
  child.signal_group(SIGINT);
  EXPECT_EQ(child.read_line(), "");
  const int status = child.wait_for_end();
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(WTERMSIG(status), SIGINT);
}

TEST(ProgramWithWorkers, MayBeStartedByARelativePathAndReplacedMeanwhile) {
  const temporary_directory directory;
  copy_program(directory);
  child_program child("./program", "wait", directory.path());
  ASSERT_EQ(child.read_line(), "ready");
  std::filesystem::remove(directory.path() / "program");
  std::ofstream(directory / "program") << "#!/bin/false\n";
  std::filesystem::permissions(directory.path() / "program", std::filesystem::perms::owner_all);
  child.write_line("go");
  EXPECT_EQ(child.read_line(), "running");
  EXPECT_EQ(child.read_line(), "stopping");
  EXPECT_EQ(child.read_line(), "");
  EXPECT_EQ(child.wait_for_end(), 0);
}

}  // namespace
}  // namespace tessera
