// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/error.hpp"
#include "tessera/observe/recorder.hpp"

#include "json/values.hpp"
#include "tool/commands.hpp"
#include "tool/print_json.hpp"
#include "tool/records.hpp"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace tessera::tool {

namespace {

namespace fs = std::filesystem;

bool is_record(const fs::path& folder) {
  std::error_code ignored;
  return fs::is_regular_file(folder / "run.tessera-log", ignored);
}

/// Returns the number that is the folder's name, or nullopt.
std::optional<int> number_of(const fs::path& folder) {
  const std::string name = folder.filename().string();
  int number = 0;
  const auto [end, failure] = std::from_chars(name.data(), name.data() + name.size(), number);
  if (failure != std::errc{} || end != name.data() + name.size()) return std::nullopt;
  return number;
}

}  // namespace

std::vector<fs::path> records_in(const std::string& folder, const std::string& command) {
  if (is_record(folder)) return {folder};
  std::vector<fs::path> records;
  std::error_code failure;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, failure)) {
    if (number_of(entry.path()) && is_record(entry.path())) records.push_back(entry.path());
  }
  if (records.empty()) {
    throw value_error(fmt::format(
        "tessera {}: \"{}\" holds no record of a run; run a program with --tessera-report={}",
        command, folder, folder));
  }
  std::ranges::sort(records, {}, [](const fs::path& record) { return *number_of(record); });
  return records;
}

int report(const report_options& options) {
  auto histories = nlohmann::ordered_json::array();
  for (const fs::path& record : records_in(options.folder, "report")) {
    write_report(record.string());
    if (options.is_json) {
      std::stringstream history;
      history << std::ifstream(record / "history.json").rdbuf();
      histories.push_back({{"record", record.string()}, {"history", fields::parse(history.str())}});
    } else {
      std::cout << record.string() << '\n' << std::ifstream(record / "history.csv").rdbuf() << '\n';
    }
  }
  if (options.is_json) print_json(histories);
  return 0;
}

}  // namespace tessera::tool
