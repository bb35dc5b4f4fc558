// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The memory that the control groups of a process leave it.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

namespace tessera {

/// Returns the least memory limit of the control groups that `membership` (the text of
/// /proc/self/cgroup) names and of those above them, in versions 1 and 2; nothing where there is
/// no limit or none can be read.
///
/// `root` is where the groups are mounted: /sys/fs/cgroup.
/// Source: cgroups(7), "memory.max" of version 2 and "memory.limit_in_bytes" of version 1.
[[nodiscard]] std::optional<std::uint64_t> cgroup_memory_limit(std::string_view membership,
                                                               const std::filesystem::path& root);

}  // namespace tessera
