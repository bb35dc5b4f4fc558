// SPDX-License-Identifier: Apache-2.0
#include "executor/overwriting.hpp"

#include "tessera/core/error.hpp"

#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <system_error>

namespace tessera {

namespace {

/// Tells whether two arrays are the same folder, however they were named.
bool are_same(const zarr_array& source, const zarr_destination& target) {
  if (source.store() == target.store) return source.path() == target.path;
  const std::string name = target.store->name() + (target.path.empty() ? "" : "/" + target.path);
  std::error_code ignored;
  return std::filesystem::equivalent(source.name(), name, ignored);
}

}  // namespace

void refuse_overwriting(const zarr_array& source, const zarr_destination& target) {
  if (!are_same(source, target)) return;
  throw value_error(fmt::format(
      "store to '{}': the plan reads this array, so it cannot be written over; store to "
      "another path",
      source.name()));
}

}  // namespace tessera
