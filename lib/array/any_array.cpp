// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"

#include "tessera/array/plan.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"

#include "array/name_axes.hpp"
#include "array/stored_array_of.hpp"
#include "array/type_text.hpp"

#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// Names the axes of a copy as those of `x`.
void name_as(const any_array& x, zarr_destination& copy) {
  std::vector<std::string> names = x.stored().dimension_names();
  names.resize(x.rank());
  detail::name_axes(copy, std::move(names));
}

/// Returns where a copy of `x` goes that has all of its metadata.
zarr_destination faithful(const any_array& x, zarr_location where) {
  zarr_destination destination;
  destination.store = std::move(where.store);
  destination.path = detail::normalised_path(where.path);
  destination.metadata = x.metadata();
  destination.metadata.chunks = x.chunks();
  destination.attributes = x.attributes();
  name_as(x, destination);
  return destination;
}

zarr_destination with_options(const any_array& x, zarr_location where,
                              const store_options& options) {
  const zarr_metadata& source = x.metadata();
  const array_layout layout{source.shape, clip_chunks(x.chunks(), source.shape), x.spec()};
  zarr_destination destination =
      detail::make_destination(std::move(where), source.dtype, layout, options);
  if (destination.within) return destination;
  if (std::holds_alternative<std::nullptr_t>(options.fill_value) && source.fill_value) {
    destination.metadata.fill_value = source.fill_value;
  }
  if (!destination.are_names_given) name_as(x, destination);
  for (const auto& [name, value] : x.attributes()) {
    if (!destination.attributes.contains(name)) destination.attributes.set(name, value);
  }
  return destination;
}

any_array run(const stored_any_array& copy, const run_with& how) {
  return plan(copy, how).compute();
}

}  // namespace

stored_any_array::stored_any_array(const any_array& x, zarr_destination destination) {
  auto [view, layout] = detail::view_of(x.stored(), x.stored().name(), x.spec());
  layout_ = std::move(layout);
  output_.array = computed(materialise("copy", view, layout_.shape, destination.metadata.chunks));
  output_.destination = as_destination(std::move(destination));
}

any_array open_any(const std::string& path, const open_options& options) {
  return {detail::with_options(zarr_array::open(path), options), detail::spec_of(options)};
}

any_array open_any(const std::string& path, const spec& limits) {
  return open_any(path, open_options{.spec = limits});
}

any_array open_any(std::shared_ptr<key_value_store> store, std::string_view path,
                   const open_options& options) {
  return {detail::with_options(zarr_array::open(std::move(store), path), options),
          detail::spec_of(options)};
}

any_array rechunk(const any_array& x, const chunk_lengths& chunks) {
  any_array other = x;
  const spec limits = x.spec() ? *x.spec() : default_spec();
  other.chunks_ = chunks.resolve("rechunk", x.shape(), x.metadata().dtype.itemsize(), limits,
                                 clip_chunks(x.chunks(), x.shape()));
  return other;
}

store_options as_stored(const any_array& x) {
  const zarr_metadata& of = x.metadata();
  store_options options;
  options.chunks = std::vector<index_t>(x.chunks().begin(), x.chunks().end());
  options.filters = of.filters;
  options.compressor = of.compressor;
  options.attributes = x.attributes();
  options.dimension_separator = of.dimension_separator;
  options.order = of.order;
  return options;
}

stored_any_array stored(const any_array& x, const std::string& path) {
  return {x, faithful(x, locate(path))};
}

stored_any_array stored(const any_array& x, const std::string& path, const store_options& options) {
  return {x, with_options(x, locate(path), options)};
}

any_array store(const any_array& x, const std::string& path, const run_with& how) {
  return run(stored(x, path), how);
}

any_array store(const any_array& x, std::shared_ptr<key_value_store> store, std::string_view path,
                const run_with& how) {
  return run({x, faithful(x, {std::move(store), std::string(path)})}, how);
}

any_array store(const any_array& x, const std::string& path, const store_options& options,
                const run_with& how) {
  return run(stored(x, path, options), how);
}

namespace detail {

void throw_not_visited(const zarr_array& opened) {
  throw value_error(
      fmt::format("visit: {} holds {} elements and has rank {}, which the function does not take; "
                  "give one that "
                  "does, or a greater rank as visit<rank>(x, f)",
                  opened.name(), text_of(opened.metadata().dtype), opened.rank()));
}

}  // namespace detail
}  // namespace tessera
