// SPDX-License-Identifier: Apache-2.0
#include "slurm/cluster.hpp"

#include "executor/slurm/commands.hpp"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <gtest/gtest.h>
#include <system_error>
#include <unistd.h>

namespace tessera::testing {

namespace fs = std::filesystem;

const std::string& own_folder() {
  struct folder {
    std::string path =
        (fs::temp_directory_path() / fmt::format("slurm-test-{}", getpid())).string();
    ~folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  };
  static const folder test_folder;
  return test_folder.path;
}

slurm_options quick_options(std::size_t workers) {
  using namespace std::chrono_literals;
  slurm_options options;
  options.workers = workers;
  options.directory = own_folder();
  options.timing = {.poll = 20ms, .query = 300ms, .visible = 100ms, .patience = 60s};
  return options;
}

std::string run_name() {
  std::error_code failure;
  for (const auto& run : fs::directory_iterator(own_folder(), failure)) {
    return run.path().filename().string();
  }
  return {};
}

std::string shell(const std::string& line) {
  slurm::command_result said = slurm::run_command({"sh", "-c", line});
  EXPECT_TRUE(said.is_well) << line << ": " << said.complaint;
  while (said.output.ends_with('\n')) said.output.pop_back();
  return said.output;
}

int num_jobs(const std::string& name, const std::string& states) {
  const std::string jobs = slurm::run_command({"sh", "-c",
                                               "squeue --noheader --array --states=" + states +
                                                   (name.empty() ? "" : " --name=" + name)})
                               .output;
  return static_cast<int>(std::count(jobs.begin(), jobs.end(), '\n'));
}

void cluster(const std::string& action, const std::string& node) {
  const char* configuration = std::getenv("SLURM_CONF");
  ASSERT_NE(configuration, nullptr);
  (void)shell(fmt::format("{} {} {} {}", TESSERA_CLUSTER_SCRIPT, action,
                          fs::path(configuration).parent_path().string(), node));
}

time_limit::time_limit(const std::string& minutes) {
  (void)shell("scontrol update PartitionName=debug MaxTime=" + minutes);
}

time_limit::~time_limit() { (void)shell("scontrol update PartitionName=debug MaxTime=UNLIMITED"); }

other_command::other_command(const std::string& name, const std::string& script)
    : path_(std::getenv("PATH")) {
  fs::create_directory(folder_);
  const std::string file = folder_ + "/" + name;
  std::ofstream(file) << "#!/bin/sh\nslurm=" << shell("command -v " + name) << '\n' << script;
  fs::permissions(file, fs::perms::owner_all);
  setenv("PATH", (folder_ + ":" + path_).c_str(), 1);
}

other_command::~other_command() {
  setenv("PATH", path_.c_str(), 1);
  fs::remove_all(folder_);
}

}  // namespace tessera::testing
