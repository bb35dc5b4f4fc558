// SPDX-License-Identifier: Apache-2.0
#include "core/cgroup_limit.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

namespace tessera {

namespace {

namespace fs = std::filesystem;
using limit = std::optional<std::uint64_t>;

/// Reads a limit in bytes. Returns nullopt for "max", or if the file cannot be read.
limit read_limit(const fs::path& path) {
  std::ifstream file(path);
  std::uint64_t value = 0;
  return file >> value ? limit(value) : std::nullopt;
}

limit least(limit a, limit b) {
  if (!a || !b) return a ? a : b;
  return std::min(*a, *b);
}

/// Returns the least limit from the group up to the root: a limit applies to all groups below.
/// Inside a container the lower groups may be invisible.
limit least_above(const fs::path& root, fs::path group, const std::string& file) {
  limit result = read_limit(root / file);
  for (; !group.empty(); group = group.parent_path()) {
    result = least(result, read_limit(root / group / file));
  }
  return result;
}

}  // namespace

std::optional<std::uint64_t> cgroup_memory_limit(std::string_view membership,
                                                 const fs::path& root) {
  limit result;
  std::istringstream lines{std::string(membership)};
  for (std::string line; std::getline(lines, line);) {
    // hierarchy:controllers:/path
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const fs::path group = fs::path(line.substr(second + 1)).relative_path();
    if (controllers == ",,") {
      result = least(result, least_above(root, group, "memory.max"));
    } else if (controllers.find(",memory,") != std::string::npos) {
      result = least(result, least_above(root / "memory", group, "memory.limit_in_bytes"));
    }
  }
  return result;
}

}  // namespace tessera
