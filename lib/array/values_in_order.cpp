// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/detail/values_in_order.hpp"

#include "tessera/core/default_spec.hpp"

#include "core/api/host_memory.hpp"
#include "core/api/location_names.hpp"

#include <algorithm>
#include <exception>

namespace tessera::detail {
namespace {

/// Values take at most this share of the memory, and twice as much during a merge.
constexpr std::size_t share = 8;

spec limits_of(const array_layout& of) { return of.spec ? *of.spec : default_spec(); }

}  // namespace

index_t most_merged(const array_layout& of, std::size_t size) {
  const spec limits = limits_of(of);
  const bytes room = std::min(limits.allowed_memory, limits.host_memory.value_or(host_memory()));
  return static_cast<index_t>(room.count() / share / size);
}

directory_of_run::directory_of_run(const array_layout& of, const std::string& description)
    : directory_(limits_of(of).work_dir, "", description) {}

directory_of_run::~directory_of_run() {
  try {
    directory_.remove();
  } catch (const std::exception&) {
    // The directory stays, as after a run that was killed.
  }
}

std::string directory_of_run::path(const char* name) const {
  return name_in(directory_.name(), name);
}

}  // namespace tessera::detail
