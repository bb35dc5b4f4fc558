// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/slurm.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/array_executor.hpp"
#include "executor/slurm/job_queue.hpp"
#include "executor/submit_options.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace tessera::slurm {

namespace {

/// The smallest default limit of Slurm for the length of a job array.
constexpr std::size_t max_batches = 1000;

const submit_options<slurm_options>& syntax() {
  static const submit_options<slurm_options> options{
      .engine = "slurm",
      .command = "sbatch",
      .example = "slurm:workers=8,partition=debug,time=00:10:00",
      .texts = {{"partition", &slurm_options::partition},
                {"time", &slurm_options::time},
                {"account", &slurm_options::account},
                {"directory", &slurm_options::directory}}};
  return options;
}

std::shared_ptr<executor> executor_of(slurm_options options) {
  std::string name = syntax().print(options);
  job_arrays::array_options arrays{.name = "slurm",
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
  return executors::slurm(syntax().parse(name));
}

}  // namespace

}  // namespace tessera::slurm

namespace tessera::executors {

std::shared_ptr<executor> slurm(slurm_options options) {
  if (options.workers == 0) throw value_error("slurm: the number of workers must be positive");
  (void)program_arguments();
  return tessera::slurm::executor_of(std::move(options));
}

}  // namespace tessera::executors

extern "C" {
/// The component's linker option `--undefined` names this symbol, so that static libraries link
/// this object.
extern const bool tessera_slurm_is_registered;
const bool tessera_slurm_is_registered =
    tessera::register_executor("slurm", tessera::slurm::make_by_name);
}
