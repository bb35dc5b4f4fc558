// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/launcher.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/array_executor.hpp"
#include "executor/engine_options.hpp"
#include "executor/launcher/launcher_system.hpp"

#include <array>
#include <cstdlib>
#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace {

std::string name_of(const launcher_options& options) {
  return fmt::format("launcher:command={},workers={},max_elements={},directory={}", options.command,
                     options.workers, options.max_elements, options.directory);
}

/// Throws if a launcher has started this program without the role of a worker. The program would
/// start launchers in turn, without end.
void refuse_lost_environment() {
  if (std::getenv(launchers::index_variable) == nullptr || std::getenv(worker_variable) != nullptr)
    return;
  throw value_error(fmt::format(
      "launcher: {} is set, and {} is not; a launcher passes its whole environment on to each copy "
      "of the program",
      launchers::index_variable, worker_variable));
}

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
  refuse_lost_environment();
  (void)program_arguments();
  const std::string name = name_of(options);
  const std::size_t max_batches = options.max_elements;
  job_arrays::array_options arrays{"launcher",     options.workers, options.directory,
                                   options.timing, false,           {}};
  arrays.connect = [options = std::move(options)](const std::string& run) {
    return std::make_unique<launchers::launcher_system>(options, run);
  };
  return std::make_shared<job_arrays::array_executor>(name, max_batches, false, std::move(arrays));
}

}  // namespace tessera::executors
