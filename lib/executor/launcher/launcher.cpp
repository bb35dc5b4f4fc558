// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/launcher.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/session.hpp"
#include "executor/engine_options.hpp"
#include "executor/launcher/launcher_system.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace {

class launcher_executor final : public executor {
 public:
  explicit launcher_executor(launcher_options options) : options_(std::move(options)) {
    arrays_ = {"launcher", options_.workers, options_.directory, options_.timing,
               [this](const std::string& run) {
                 return std::make_unique<launchers::launcher_system>(options_, run);
               }};
  }

  std::string name() const override {
    return fmt::format("launcher:command={},workers={},max_elements={},directory={}",
                       options_.command, options_.workers, options_.max_elements,
                       options_.directory);
  }
  std::size_t num_workers() const override { return options_.workers; }
  executor_traits traits() const override {
    return {.shares_memory = false,
            .shares_host = false,
            .max_batches = std::max(options_.max_elements, 8 * options_.workers),
            .cost_per_batch = std::chrono::seconds{1}};
  }
  std::unique_ptr<executor_session> start(workload& work) override {
    return std::make_unique<job_arrays::session>(work, arrays_);
  }

 private:
  launcher_options options_;
  job_arrays::array_options arrays_;
};

}  // namespace

launcher_options parse_launcher_options(std::string_view text) {
  constexpr std::array<std::string_view, 4> keys{"command", "workers", "max_elements", "directory"};
  launcher_options options;
  const auto take = [&options](std::string_view key, const std::string& value) -> std::string {
    if (key == "workers") return take_count(value, "workers", options.workers);
    if (key == "max_elements") return take_count(value, "elements", options.max_elements);
    (key == "command" ? options.command : options.directory) = value;
    return {};
  };
  read_engine_options(text, {keys, "launcher:command=./launch.py,workers=100"}, take);
  return options;
}

}  // namespace tessera

namespace tessera::executors {

std::shared_ptr<executor> launcher(launcher_options options) {
  if (options.command.empty()) {
    throw value_error(
        "launcher: there is no command; name it, as in \"launcher:command=./launch.py\"");
  }
  if (options.workers == 0 || options.max_elements == 0) {
    throw value_error("launcher: the numbers of workers and of elements must be positive");
  }
  (void)program_arguments();
  return std::make_shared<launcher_executor>(std::move(options));
}

}  // namespace tessera::executors
