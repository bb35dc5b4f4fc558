// SPDX-License-Identifier: Apache-2.0
#include "grid_engine/cluster.hpp"

#include "executor/array/run_command.hpp"

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <system_error>
#include <unistd.h>

namespace tessera::testing {

namespace fs = std::filesystem;

const std::string& test_folder() {
  struct folder {
    std::string path =
        (fs::temp_directory_path() / fmt::format("grid-engine-test-{}", getpid())).string();
    ~folder() {
      std::error_code ignored;
      fs::remove_all(path, ignored);
    }
  };
  static const folder only;
  return only.path;
}

grid_engine_options quick_options(std::size_t workers) {
  using namespace std::chrono_literals;
  grid_engine_options options;
  options.workers = workers;
  options.directory = test_folder();
  options.timing = {.poll = 20ms, .query = 300ms, .visible = 100ms, .patience = 60s};
  return options;
}

std::string shell(const std::string& line) {
  const job_arrays::command_result result = job_arrays::run_command({"sh", "-c", line});
  EXPECT_TRUE(result.is_well) << line << ": " << result.output << result.complaint;
  return result.output;
}

void cluster(const std::string& action) {
  const char* script = std::getenv("TESSERA_GRID_ENGINE_CLUSTER");
  ASSERT_NE(script, nullptr);
  (void)shell(fmt::format("{} {}", script, action));
}

}  // namespace tessera::testing
