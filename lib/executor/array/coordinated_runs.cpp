// SPDX-License-Identifier: Apache-2.0
#include "executor/api/coordinated_runs.hpp"

#include "tessera/core/error.hpp"
#include "tessera/store/open_store.hpp"

#include "core/api/location_names.hpp"
#include "executor/array/coordinator.hpp"
#include "store/api/folder_sizes.hpp"

#include <algorithm>
#include <memory>

namespace tessera {

namespace {

/// The beginning of the names of runs (run_folder.cpp).
constexpr std::string_view prefix_of_runs = "tessera-";

coordinated_run describe_run(const std::string& location, std::chrono::milliseconds silence) {
  const auto store = open_store(location);
  const job_arrays::sign_of_life sign = job_arrays::last_sign_of_life(*store);
  return {.location = location,
          .driver = sign.driver,
          .silence = sign.age,
          .size = detail::size_of_values(*store),
          .is_running = sign.epoch != 0 && (!sign.age || *sign.age <= silence)};
}

}  // namespace

std::vector<coordinated_run> coordinated_runs(const std::string& directory,
                                              std::chrono::milliseconds silence) {
  std::vector<coordinated_run> runs;
  for (std::string name : open_store(directory)->list_folder("")) {
    if (!name.starts_with(prefix_of_runs) || name.back() != '/') continue;
    name.pop_back();
    runs.push_back(describe_run(name_in(directory, name), silence));
  }
  std::ranges::sort(runs, {}, &coordinated_run::location);
  return runs;
}

std::size_t remove_coordinated_runs(const std::string& directory,
                                    std::chrono::milliseconds silence) {
  std::size_t num_removed = 0;
  for (const coordinated_run& run : coordinated_runs(directory, silence)) {
    if (run.is_running) continue;
    try {
      job_arrays::coordinator successor(open_store(run.location), "a removal",
                                        {.silence = silence});
      successor.end();
      ++num_removed;
    } catch (const value_error&) {
      // Another program has taken the run over since.
    }
  }
  return num_removed;
}

}  // namespace tessera
