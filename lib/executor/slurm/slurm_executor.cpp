// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/executor/slurm.hpp"
#include "tessera/executor/worker_role.hpp"

#include "core/api/nearest_name.hpp"
#include "executor/array/session.hpp"
#include "executor/slurm/job_queue.hpp"

#include <algorithm>
#include <array>
#include <charconv>
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

void set_option(slurm_options& options, std::string_view text, std::string_view part) {
  const std::size_t equals = std::min(part.find('='), part.size());
  const std::string_view key = part.substr(0, equals);
  const std::string value(part.substr(std::min(equals + 1, part.size())));
  const auto refuse = [&](std::string_view why) {
    throw value_error(
        fmt::format("executor \"{}\": {}; options are workers, partition, time, "
                    "account, directory and sbatch, as in "
                    "\"slurm:workers=8,partition=debug,time=00:10:00\"",
                    text, why));
  };
  if (value.empty()) refuse(fmt::format("\"{}\" has no value", part));
  if (key == "workers") {
    const char* end = value.data() + value.size();
    const auto [stop, failure] = std::from_chars(value.data(), end, options.workers);
    if (failure != std::errc{} || stop != end) refuse("\"" + value + "\" is no number of workers");
  } else if (key == "sbatch") {
    options.extra.push_back(value);
  } else {
    const auto named =
        std::ranges::find(text_options, key, [](const auto& entry) { return entry.first; });
    if (named == text_options.end()) {
      constexpr std::array<std::string_view, 6> keys{"workers", "partition", "time",
                                                     "account", "directory", "sbatch"};
      refuse(fmt::format("\"{}\" is no option{}", key, did_you_mean(key, keys)));
    }
    options.*named->second = value;
  }
}

std::shared_ptr<executor> make_by_name(std::string_view text) {
  slurm_options options;
  std::string_view rest = text.substr(std::min(text.find(':'), text.size()));
  while (!rest.empty()) {
    rest.remove_prefix(1);
    const std::string_view part = rest.substr(0, rest.find(','));
    set_option(options, text, part);
    rest.remove_prefix(part.size());
  }
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
