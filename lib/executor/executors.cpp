// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/executors.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/launcher.hpp"
#include "tessera/executor/simulated.hpp"

#include "core/api/nearest_name.hpp"
#include "core/api/registry.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdlib>
#include <fmt/format.h>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

constexpr std::size_t max_threads = 1024;

/// The executor of `set_default_executor`, and the executor in its absence.
struct default_slot {
  std::mutex mutex;
  std::shared_ptr<executor> chosen;
  std::string fallback_name;
  std::shared_ptr<executor> fallback;
};

default_slot& defaults() {
  static default_slot slot;
  return slot;
}

/// Returns the count behind the colon of "threads:4"; zero without a colon.
std::size_t parse_workers(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return 0;
  const std::string_view count = text.substr(colon + 1);
  std::size_t value = 0;
  const char* end = count.data() + count.size();
  const auto [stop, failure] = std::from_chars(count.data(), end, value);
  if (failure != std::errc{} || stop != end || value < 1 || value > max_threads) {
    throw value_error(fmt::format(
        "executor \"{}\": the number of workers is \"{}\", which must be an integer from "
        "1 to {}, as in \"{}:4\"",
        text, count, max_threads, text.substr(0, colon)));
  }
  return value;
}

std::shared_ptr<executor> make_serial(std::string_view text) {
  if (text != "serial") {
    throw value_error("executor \"" + std::string(text) +
                      "\" does not exist; \"serial\" takes no number of workers");
  }
  return executors::serial();
}

std::shared_ptr<executor> make_threads(std::string_view text) {
  return executors::threads(parse_workers(text));
}

std::shared_ptr<executor> make_processes(std::string_view text) {
  return executors::processes(parse_workers(text));
}

std::shared_ptr<executor> make_simulated(std::string_view text) {
  return executors::simulated(parse_simulated_options(text));
}

std::shared_ptr<executor> make_launcher(std::string_view text) {
  return executors::launcher(parse_launcher_options(text));
}

detail::registry<executor_factory>& factories() {
  static auto& table = *new detail::registry<executor_factory>{{"serial", make_serial},
                                                               {"threads", make_threads},
                                                               {"processes", make_processes},
                                                               {"launcher", make_launcher},
                                                               {"simulated", make_simulated}};
  return table;
}

/// The engines in separate components. A program has them only if it was linked with them.
constexpr std::array<std::string_view, 3> components{"grid_engine", "mpi", "slurm"};

[[noreturn]] void throw_unknown(std::string_view text, std::string_view name) {
  const std::string subject = "executor \"" + std::string(text) + "\" ";
  if (std::find(components.begin(), components.end(), name) != components.end()) {
    throw value_error(subject +
                      "is not part of this program: link it with tessera::" + std::string(name));
  }
  const std::vector<std::string_view> known = factories().names();
  std::vector<std::string_view> candidates(components.begin(), components.end());
  candidates.insert(candidates.end(), known.begin(), known.end());
  throw value_error(
      fmt::format("{}does not exist{}; this program has \"{}\"; a number of workers follows a "
                  "colon, as in \"threads:4\"",
                  subject, did_you_mean(name, candidates), fmt::join(known, "\", \"")));
}

}  // namespace

bool register_executor(const std::string& name, executor_factory make) {
  return factories().replace(name, std::move(make));
}

std::shared_ptr<executor> make_executor(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const executor_factory* const make = factories().find(name);
  if (make == nullptr) throw_unknown(text, name);
  return (*make)(text);
}

std::shared_ptr<executor> default_executor() {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  if (slot.chosen) return slot.chosen;
  const char* variable = std::getenv("TESSERA_EXECUTOR");
  const std::string name = variable != nullptr && *variable != '\0' ? variable : "threads";
  if (slot.fallback == nullptr || slot.fallback_name != name) {
    slot.fallback = make_executor(name);
    slot.fallback_name = name;
  }
  return slot.fallback;
}

std::shared_ptr<executor> set_default_executor(std::shared_ptr<executor> engine) {
  default_slot& slot = defaults();
  const std::lock_guard lock(slot.mutex);
  return std::exchange(slot.chosen, std::move(engine));
}

}  // namespace tessera
