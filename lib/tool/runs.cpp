// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/store/unfinished_runs.hpp"

#include "core/api/location_names.hpp"
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

nlohmann::ordered_json json_of(const std::vector<unfinished_run>& leftovers) {
  auto list = nlohmann::ordered_json::array();
  for (const unfinished_run& run : leftovers) {
    list.push_back({{"path", run.path},
                    {"bytes", run.size.count()},
                    {"is_running", run.is_running},
                    {"plan", run.description}});
  }
  return list;
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
  if (options.is_json) {
    print_json(json_of(leftovers));
  } else {
    for (const unfinished_run& run : leftovers) {
      std::cout << run.path << ": " << run.size << (run.is_running ? ", running" : ", unfinished")
                << '\n'
                << run.description << '\n';
    }
    if (leftovers.empty()) std::cout << fmt::format("no unfinished runs in {}\n", folder);
  }
  if (!options.removes) return 0;
  const std::size_t count = remove_unfinished_runs(folder);
  if (!options.is_json) std::cout << fmt::format("removed: {}\n", count);
  return 0;
}

}  // namespace tessera::tool
