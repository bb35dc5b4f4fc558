// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "core/api/location_names.hpp"
#include "executor/api/coordinated_runs.hpp"
#include "tool/commands.hpp"
#include "tool/print_json.hpp"

#include <cstddef>
#include <filesystem>
#include <fmt/format.h>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

namespace tessera::tool {

namespace {

nlohmann::ordered_json json_of(const std::vector<unfinished_run>& leftovers,
                               const std::vector<coordinated_run>& folders) {
  auto list = nlohmann::ordered_json::array();
  for (const coordinated_run& run : folders) {
    nlohmann::ordered_json row{{"path", run.location},
                               {"bytes", run.size.count()},
                               {"is_running", run.is_running},
                               {"driver", run.driver}};
    if (run.silence) row["silent_seconds"] = run.silence->count();
    list.push_back(row);
  }
  for (const unfinished_run& run : leftovers) {
    list.push_back({{"path", run.path},
                    {"bytes", run.size.count()},
                    {"is_running", run.is_running},
                    {"plan", run.description}});
  }
  return list;
}

/// Prints the folder of a run's messages: its driver, and since when that is silent.
void print(const coordinated_run& run) {
  std::cout << run.location << ": " << run.size
            << (run.is_running ? ", running\n" : ", the driver is gone\n");
  if (run.driver.empty()) return;
  std::cout << fmt::format("{}, its last sign of life {}\n", run.driver,
                           run.silence ? fmt::format("{} s ago", run.silence->count())
                                       : std::string("at a time that the store does not tell"));
}

/// Throws value_error if `folder`, which the call names, is not there: its name may be mistyped.
void require_folder(const std::string& folder) {
  std::error_code ignored;
  if (is_location(folder) || std::filesystem::is_directory(folder, ignored)) return;
  throw value_error(
      fmt::format("runs: there is no folder '{}'; write the work directory of the runs, that of "
                  "--tessera-work-dir or of spec::work_dir",
                  folder));
}

}  // namespace

int runs(const runs_options& options) {
  const std::string folder = options.work_dir.empty() ? default_spec().work_dir : options.work_dir;
  if (!options.work_dir.empty()) require_folder(folder);
  const std::vector<unfinished_run> leftovers = unfinished_runs(folder);
  // In a directory, the next run removes the folders of dead drivers.
  const auto folders =
      is_location(folder) ? coordinated_runs(folder) : std::vector<coordinated_run>();
  if (options.is_json) {
    print_json(json_of(leftovers, folders));
  } else {
    for (const unfinished_run& run : leftovers) {
      std::cout << run.path << ": " << run.size << (run.is_running ? ", running" : ", unfinished")
                << '\n'
                << run.description << '\n';
    }
    for (const coordinated_run& run : folders) print(run);
    if (leftovers.empty() && folders.empty())
      std::cout << fmt::format("no unfinished runs in {}\n", folder);
  }
  if (!options.removes) return 0;
  const std::size_t count =
      remove_unfinished_runs(folder) + (is_location(folder) ? remove_coordinated_runs(folder) : 0);
  if (!options.is_json) std::cout << fmt::format("removed: {}\n", count);
  return 0;
}

}  // namespace tessera::tool
