// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies arrays and groups, in the same chunks or in others.

#include "tessera/array/any_array.hpp"
#include "tessera/array/plan.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/spec_settings.hpp"
#include "tessera/executor/executors.hpp"
#include "tessera/zarr/zarr_group.hpp"

#include "tool/chunk_text.hpp"
#include "tool/commands.hpp"

#include <fmt/format.h>
#include <iostream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::tool {

namespace {

/// What is copied: arrays, each with where it goes, and the groups that hold them.
struct contents {
  std::vector<any_array> arrays;
  std::vector<std::string> places;
  struct group {
    std::string place;
    tessera::attributes attributes;
  };
  std::vector<group> groups;
  bool is_consolidated = false;
};

spec limits_of(const copy_options& options) {
  spec limits = default_spec();
  if (!options.memory.empty()) {
    limits.allowed_memory = parse_allowed_memory("--memory", options.memory);
  }
  if (!options.work_dir.empty()) limits.work_dir = parse_work_dir("--work-dir", options.work_dir);
  return limits;
}

/// Returns what is at `from`, which is an array if it is no group.
contents find(const copy_options& options, const spec& limits) {
  contents all;
  const zarr_location where = locate(options.from);
  const std::string prefix = where.path.empty() ? "" : where.path + "/";
  if (!where.store->exists(prefix + ".zgroup")) {
    all.arrays.push_back(open_any(options.from, limits));
    all.places.push_back(options.to);
    return all;
  }
  const zarr_group root = zarr_group::open(where.store, where.path);
  all.is_consolidated = root.is_consolidated();
  all.groups.push_back({options.to, root.attributes()});
  for (const zarr_member& member : root.members()) {
    const std::string place = options.to + "/" + member.path;
    if (member.is_array) {
      all.arrays.push_back(
          open_any(where.store, prefix + member.path, open_options{.spec = limits}));
      all.places.push_back(place);
    } else {
      all.groups.push_back({place, root.group(member.path).attributes()});
    }
  }
  return all;
}

codec::configuration compressor_of(const std::string& text) {
  if (text == "none") return codec::none{};
  return codec::configuration::from_json(
      text.starts_with("{") ? text : fmt::format(R"({{"id": "{}"}})", text));
}

/// Returns how `x` is stored: as it is, but for what the options say.
store_options options_for(const any_array& x, const copy_options& options) {
  store_options as = as_stored(x);
  if (!options.compressor.empty()) as.compressor = compressor_of(options.compressor);
  as.existing = options.replaces ? existing::replace : existing::keep;
  return as;
}

std::vector<stored_any_array> copies_of(const contents& all, const copy_options& options) {
  std::optional<wanted_chunks> chunks;
  if (!options.chunks.empty()) {
    chunks.emplace(options.chunks);
    chunks->require_names(all.arrays);
  }
  std::vector<stored_any_array> copies;
  for (std::size_t i = 0; i < all.arrays.size(); ++i) {
    const any_array x = chunks ? rechunk(all.arrays[i], chunks->of(all.arrays[i])) : all.arrays[i];
    copies.push_back(stored(x, all.places[i], options_for(x, options)));
  }
  return copies;
}

}  // namespace

int copy(const copy_options& options) {
  const run_with how{.executor = options.workers ? executors::threads(*options.workers)
                                                 : default_executor()};
  const contents all = find(options, limits_of(options));
  const auto copies = plan(copies_of(all, options), how);
  if (options.is_plan) {
    std::cout << copies.explain();
    return 0;
  }
  std::cout << copies << '\n' << "cost: " << copies.cost() << std::endl;
  for (const contents::group& group : all.groups) {
    (void)zarr_group::create(group.place, group.attributes);
  }
  copies.execute();
  if (all.is_consolidated) consolidate(zarr_group::open(options.to));
  return 0;
}

}  // namespace tessera::tool
