// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/slurm.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/array_executor.hpp"
#include "executor/engine_options.hpp"
#include "executor/slurm/job_queue.hpp"

#include <array>
#include <fmt/format.h>
#include <string_view>
#include <utility>

namespace tessera::slurm {

namespace {

/// The smallest default limit of Slurm for the length of a job array.
constexpr std::size_t max_batches = 1000;

/// The options with a text as value, by their names.
constexpr std::array<std::pair<std::string_view, std::string slurm_options::*>, 4> text_options{
    {{"partition", &slurm_options::partition},
     {"time", &slurm_options::time},
     {"account", &slurm_options::account},
     {"directory", &slurm_options::directory}}};

std::string name_of(const slurm_options& options) {
  std::string text = fmt::format("slurm:workers={}", options.workers);
  for (const auto& [key, option] : text_options) {
    if (options.*option != slurm_options{}.*option) {
      text += fmt::format(",{}={}", key, options.*option);
    }
  }
  for (const std::string& argument : options.extra) text += ",sbatch=" + argument;
  return text;
}

std::shared_ptr<executor> executor_of(slurm_options options) {
  std::string name = name_of(options);
  job_arrays::array_options arrays{
      "slurm", options.workers, options.directory, options.timing, true, {}};
  arrays.connect = [options = std::move(options)](const std::string& run) {
    return std::make_unique<job_queue>(options, run);
  };
  return std::make_shared<job_arrays::array_executor>(std::move(name), max_batches, true,
                                                      std::move(arrays));
}

/// Sets an option of text or adds an argument.
void set_text(slurm_options& options, std::string_view key, const std::string& value) {
  if (key == "sbatch") {
    options.extra.push_back(value);
    return;
  }
  for (const auto& [name, option] : text_options) {
    if (name == key) options.*option = value;
  }
}

std::shared_ptr<executor> make_by_name(std::string_view text) {
  constexpr std::array<std::string_view, 6> keys{"workers", "partition", "time",
                                                 "account", "directory", "sbatch"};
  slurm_options options;
  const auto take = [&options](std::string_view key, const std::string& value) -> std::string {
    if (key == "workers") return take_count(value, "workers", options.workers);
    set_text(options, key, value);
    return {};
  };
  read_engine_options(text, {keys, "slurm:workers=8,partition=debug,time=00:10:00"}, take);
  return executors::slurm(std::move(options));
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
