// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies of arrays as Zarr arrays, with their metadata.

#include "tessera/array/any_array.hpp"

#include "array/copy_destination.hpp"
#include "array/zarr/zarr_destinations.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {
namespace detail {
namespace {

/// Names the axes of a copy as the axes of `x`.
void name_as(const any_array& x, zarr_destination& copy) {
  std::vector<std::string> names = x.stored().dimension_names();
  names.resize(x.rank());
  name_axes(copy, std::move(names));
}

/// Gives axes with a single chunk the chunk length of `x`, which may exceed the extent, as of
/// arrays that grow.
void keep_long_chunks(const any_array& x, zarr_metadata& copy) {
  for (std::size_t axis = 0; axis < copy.shape.size(); ++axis) {
    const index_t whole = std::max<index_t>(copy.shape[axis], 1);
    const index_t longest = std::max(whole, x.chunks()[axis]);
    const bool fits = copy.shards.empty() || copy.shards[axis] % longest == 0;
    if (copy.chunks[axis] == whole && fits) copy.chunks[axis] = longest;
  }
}

/// Removes shards that are no multiple of the chunks.
void drop_divided_shards(zarr_metadata& copy) {
  for (std::size_t axis = 0; axis < copy.shards.size(); ++axis) {
    if (copy.shards[axis] % copy.chunks[axis] == 0) continue;
    copy.shards = {};
    return;
  }
}

zarr_destination with_options(const any_array& x, zarr_location target,
                              const store_options& options) {
  if (!x.is_stored()) {
    return make_destination(std::move(target), x.dtype(), x.shown().layout, options);
  }
  const zarr_metadata& source = x.metadata();
  const array_layout layout{source.shape, clip_chunks(x.chunks(), source.shape), x.spec()};
  zarr_destination destination = make_destination(std::move(target), source.dtype, layout, options);
  if (destination.within) return destination;
  keep_long_chunks(x, destination.metadata);
  if (source.format == destination.metadata.format) {
    destination.metadata.other_members = source.other_members;
    destination.metadata.type_name = source.type_name;
  }
  if (std::holds_alternative<std::nullptr_t>(options.fill_value) && source.fill_value) {
    destination.metadata.fill_value = source.fill_value;
  }
  if (!destination.are_names_given) name_as(x, destination);
  for (const auto& [name, value] : x.attributes()) {
    if (!destination.attributes.contains(name)) destination.attributes.set(name, value);
  }
  return destination;
}

/// Returns the destination of a copy of `x` with all its metadata.
zarr_destination faithful(const any_array& x, zarr_location target) {
  if (!x.is_stored()) return with_options(x, std::move(target), {});
  zarr_destination destination;
  destination.store = std::move(target.store);
  destination.path = normalised_path(target.path);
  destination.metadata = x.metadata();
  destination.metadata.dimension_names = {};
  destination.metadata.chunks = x.chunks();
  drop_divided_shards(destination.metadata);
  destination.metadata = in_format(std::move(destination.metadata),
                                   format_for(destination, std::nullopt, x.metadata().format));
  destination.attributes = x.attributes();
  name_as(x, destination);
  return destination;
}

}  // namespace

std::shared_ptr<const array_destination> copy_destination(const any_array& x,
                                                          const std::string& path) {
  return as_destination(faithful(x, locate(path)));
}

std::shared_ptr<const array_destination> copy_destination(const any_array& x,
                                                          std::shared_ptr<key_value_store> store,
                                                          std::string_view path) {
  return as_destination(faithful(x, {std::move(store), std::string(path)}));
}

std::shared_ptr<const array_destination> copy_destination(const any_array& x,
                                                          const std::string& path,
                                                          const store_options& options) {
  return as_destination(with_options(x, locate(path), options));
}

}  // namespace detail

store_options as_stored(const any_array& x) {
  store_options options;
  options.chunks = std::vector<index_t>(x.chunks().begin(), x.chunks().end());
  if (!x.is_stored()) return options;
  const zarr_v2 encoding = zarr_v2::of(x.metadata());
  options.filters = encoding.filters;
  options.compressor = encoding.compressor;
  options.attributes = x.attributes();
  options.format = x.metadata().format;
  options.shards.assign(x.metadata().shards.begin(), x.metadata().shards.end());
  options.dimension_separator = encoding.separator;
  // Options have no other layouts.
  if (encoding.order == 'F') options.order = 'F';
  return options;
}

}  // namespace tessera
