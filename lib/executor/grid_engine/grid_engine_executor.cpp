// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/grid_engine.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/array_executor.hpp"
#include "executor/grid_engine/job_queue.hpp"
#include "executor/submit_options.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tessera::grid_engine {

namespace {

/// The most batches of an operation: each element costs the master about a quarter of a second.
constexpr std::size_t max_batches = 1000;

const submit_options<grid_engine_options>& syntax() {
  static const submit_options<grid_engine_options> options{
      .engine = "grid_engine",
      .command = "qsub",
      .example = "grid_engine:workers=8,queue=all.q,time=00:10:00",
      .texts = {{"queue", &grid_engine_options::queue},
                {"time", &grid_engine_options::time},
                {"project", &grid_engine_options::project},
                {"memory", &grid_engine_options::memory},
                {"directory", &grid_engine_options::directory}}};
  return options;
}

std::shared_ptr<executor> executor_of(grid_engine_options options) {
  std::string name = syntax().print(options);
  job_arrays::array_options arrays{.name = "grid_engine",
                                   .workers = options.workers,
                                   .directory = options.directory,
                                   .timing = options.timing,
                                   .has_queue = true,
                                   .connect = {}};
  arrays.connect = [options = std::move(options)](const std::string& run) {
    return std::make_unique<job_queue>(options, run);
  };
  constexpr bool stops_tasks = true;
  return std::make_shared<job_arrays::array_executor>(std::move(name), max_batches, stops_tasks,
                                                      std::move(arrays));
}

std::shared_ptr<executor> make_by_name(std::string_view name) {
  return executors::grid_engine(syntax().parse(name));
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
