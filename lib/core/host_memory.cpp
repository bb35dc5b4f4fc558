// SPDX-License-Identifier: Apache-2.0
#include "core/api/host_memory.hpp"

#include "core/cgroup_limit.hpp"

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <string>
#include <unistd.h>

namespace tessera {

bytes host_memory() {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  std::ifstream file("/proc/self/cgroup");
  const std::string membership(std::istreambuf_iterator<char>(file), {});
  const std::uint64_t installed = pages * page_size;
  const auto limit = cgroup_memory_limit(membership, "/sys/fs/cgroup");
  return bytes{std::min(installed, limit.value_or(installed))};
}

}  // namespace tessera
