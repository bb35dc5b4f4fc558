// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/slurm.hpp"
#include "tessera/executor/worker_role.hpp"

#include "executor/array/session.hpp"
#include "executor/engine_options.hpp"
#include "executor/slurm/job_queue.hpp"

#include <algorithm>
#include <array>
#include <chrono>
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

class slurm_executor final : public executor {
 public:
  explicit slurm_executor(slurm_options options) : options_(std::move(options)) {
    arrays_ = {
        "slurm", options_.workers, options_.directory, options_.timing,
        [this](const std::string& run) { return std::make_unique<job_queue>(options_, run); }};
  }

  std::string name() const override {
    std::string text = fmt::format("slurm:workers={}", options_.workers);
    for (const auto& [key, option] : text_options) {
      if (options_.*option != slurm_options{}.*option) {
        text += fmt::format(",{}={}", key, options_.*option);
      }
    }
    for (const std::string& argument : options_.extra) text += ",sbatch=" + argument;
    return text;
  }
  std::size_t num_workers() const override { return options_.workers; }
  executor_traits traits() const override {
    return {.shares_memory = false,
            .shares_host = false,
            .stops_tasks = true,
            .max_batches = std::max(max_batches, 8 * options_.workers),
            .cost_per_batch = std::chrono::seconds{1}};
  }
  std::unique_ptr<executor_session> start(workload& work) override {
    return std::make_unique<job_arrays::session>(work, arrays_);
  }

 private:
  slurm_options options_;
  job_arrays::array_options arrays_;
};

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
  return std::make_shared<tessera::slurm::slurm_executor>(std::move(options));
}

}  // namespace tessera::executors

extern "C" {
/// The component's linker option `--undefined` names this symbol, so that static libraries link
/// this object.
extern const bool tessera_slurm_is_registered;
const bool tessera_slurm_is_registered =
    tessera::register_executor("slurm", tessera::slurm::make_by_name);
}
