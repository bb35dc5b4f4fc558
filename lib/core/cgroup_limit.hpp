// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory limit of the control groups of a process.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace tessera {

/// Returns the least memory limit of the control groups of `membership` (the text of
/// /proc/self/cgroup) and of the groups above, in versions 1 and 2, or nullopt if there is no
/// readable limit.
///
/// `root` is the mount point of the groups: /sys/fs/cgroup.
/// Source: cgroups(7), "memory.max" of version 2 and "memory.limit_in_bytes" of version 1.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory_limit(std::string_view membership,
                                                               const std::filesystem::path& root);

}  // namespace tessera
