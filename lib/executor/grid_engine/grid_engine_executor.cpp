// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/grid_engine.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/array_executor.hpp"
#include "executor/engine_options.hpp"
#include "executor/grid_engine/job_queue.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tessera::grid_engine {

namespace {

/// The most batches of an operation: each element costs the master about a quarter of a second.
constexpr std::size_t max_batches = 1000;

/// The options with a text as value, by their names.
constexpr std::array<std::pair<std::string_view, std::string grid_engine_options::*>, 5>
    text_options{{{"queue", &grid_engine_options::queue},
                  {"time", &grid_engine_options::time},
                  {"project", &grid_engine_options::project},
                  {"memory", &grid_engine_options::memory},
                  {"directory", &grid_engine_options::directory}}};

std::string name_of(const grid_engine_options& options) {
  std::string text = fmt::format("grid_engine:workers={}", options.workers);
  for (const auto& [key, option] : text_options) {
    if (options.*option != grid_engine_options{}.*option) {
      text += fmt::format(",{}={}", key, options.*option);
    }
  }
  for (const std::string& argument : options.extra) text += ",qsub=" + argument;
  return text;
}

std::shared_ptr<executor> executor_of(grid_engine_options options) {
  std::string name = name_of(options);
  job_arrays::array_options arrays{
      "grid_engine", options.workers, options.directory, options.timing, true, {}};
  arrays.connect = [options = std::move(options)](const std::string& run) {
    return std::make_unique<job_queue>(options, run);
  };
  return std::make_shared<job_arrays::array_executor>(std::move(name), max_batches, true,
                                                      std::move(arrays));
}

/// Sets an option of text or adds an argument.
void set_text(grid_engine_options& options, std::string_view key, const std::string& value) {
  if (key == "qsub") {
    options.extra.push_back(value);
    return;
  }
  for (const auto& [name, option] : text_options) {
    if (name == key) options.*option = value;
  }
}

std::shared_ptr<executor> make_by_name(std::string_view text) {
  constexpr std::array<std::string_view, 7> keys{"workers", "queue",     "time", "project",
                                                 "memory",  "directory", "qsub"};
  grid_engine_options options;
  const auto take = [&options](std::string_view key, const std::string& value) -> std::string {
    if (key == "workers") return take_count(value, "workers", options.workers);
    set_text(options, key, value);
    return {};
  };
  read_engine_options(text, {keys, "grid_engine:workers=8,queue=all.q,time=00:10:00"}, take);
  return executors::grid_engine(std::move(options));
}

}  // namespace

}  // namespace tessera::grid_engine

namespace tessera::executors {

std::shared_ptr<executor> grid_engine(grid_engine_options options) {
  if (options.workers == 0) {
    throw value_error("grid_engine: the number of workers must be positive");
  }
  (void)program_arguments();
  return tessera::grid_engine::executor_of(std::move(options));
}

}  // namespace tessera::executors

extern "C" {
/// The component's linker option `--undefined` names this symbol, so that static libraries link
/// this object.
extern const bool tessera_grid_engine_is_registered;
const bool tessera_grid_engine_is_registered =
    tessera::register_executor("grid_engine", tessera::grid_engine::make_by_name);
}
