// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"

#include "tessera/array/plan.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"

#include "array/stored_array_of.hpp"
#include "array/stored_part.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/unfinished_array.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

/// Names the axes of a copy as the axes of `x`.
void name_as(const any_array& x, zarr_destination& copy) {
  std::vector<std::string> names = x.stored().dimension_names();
  names.resize(x.rank());
  detail::name_axes(copy, std::move(names));
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
    return detail::make_destination(std::move(target), x.dtype(), x.shown().layout, options);
  }
  const zarr_metadata& source = x.metadata();
  const array_layout layout{source.shape, clip_chunks(x.chunks(), source.shape), x.spec()};
  zarr_destination destination =
      detail::make_destination(std::move(target), source.dtype, layout, options);
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
  destination.path = detail::normalised_path(target.path);
  destination.metadata = x.metadata();
  destination.metadata.dimension_names = {};
  destination.metadata.chunks = x.chunks();
  drop_divided_shards(destination.metadata);
  destination.metadata =
      detail::in_format(std::move(destination.metadata),
                        detail::format_for(destination, std::nullopt, x.metadata().format));
  destination.attributes = x.attributes();
  name_as(x, destination);
  return destination;
}

any_array run(const stored_any_array& copy, const run_with& settings) {
  return plan(copy, settings).compute();
}

}  // namespace

any_array::any_array(zarr_array opened, std::shared_ptr<const tessera::spec> spec)
    : opened_(std::move(opened)), spec_(std::move(spec)), chunks_(opened_->chunks()) {}

any_array::any_array(array_view view, const array_layout& layout)
    : shown_(detail::show(std::move(view), layout)), spec_(layout.spec), chunks_(layout.chunks) {}

dtype any_array::dtype() const {
  return opened_ ? opened_->dtype() : shown_->view.array->type.number();
}

const index_vector& any_array::shape() const {
  return opened_ ? opened_->shape() : shown_->layout.shape;
}

const zarr_array& any_array::stored() const {
  if (opened_) return *opened_;
  throw value_error(fmt::format(
      "any_array: {} is not stored, so that no file says anything of it; store it first",
      shown_->view.array->name));
}

detail::shown_array any_array::shown() const {
  if (!opened_) return {shown_->view, rechunked_layout(shown_->layout, chunks_)};
  static_cast<void>(opened_->dtype());
  auto [view, layout] = detail::view_of(*opened_, opened_->name(), spec_);
  return {std::move(view), rechunked_layout(layout, chunks_)};
}

any_array any_array::field(const tessera::field& wanted) const {
  any_array values(detail::open_field(stored(), wanted), spec_);
  std::copy(chunks_.begin(), chunks_.end(), values.chunks_.begin());
  return values;
}

std::shared_ptr<const detail::shown_array> any_array::shown_as(tessera::dtype type,
                                                               std::size_t rank) const {
  if (opened_) {
    const auto field_shown = detail::open_shown(*opened_, type, rank, spec_);
    return detail::show(field_shown->view, rechunked_layout(field_shown->layout, chunks_));
  }
  const std::string& name = shown_->view.array->name;
  if (dtype() != type) {
    throw dtype_error(
        fmt::format("as: {} has {} elements, and {} is asked for; convert it with "
                    "astype",
                    name, name_of(dtype()), name_of(type)));
  }
  if (this->rank() != rank) {
    throw shape_error(fmt::format("as: {} has shape {} of rank {}, and rank {} is asked for", name,
                                  format_shape(shape()), this->rank(), rank));
  }
  return detail::show(shown_->view, rechunked_layout(shown_->layout, chunks_));
}

stored_any_array::stored_any_array(const any_array& x, zarr_destination destination) {
  auto [view, layout] = x.is_stored() ? detail::view_of(x.stored(), x.stored().name(), x.spec())
                                      : std::pair(x.shown().view, x.shown().layout);
  layout_ = std::move(layout);
  output_.destination = as_destination(std::move(destination));
  const index_vector written = detail::chunks_of(*output_.destination);
  const array_handle copy = materialise("copy", view, layout_.shape, written);
  output_.array = computed(detail::with_border(copy, layout_, *output_.destination));
}

any_array open_any(const std::string& path, const open_options& options) {
  return {detail::with_options(detail::as_before_overwriting(zarr_array::open(path)), options),
          detail::spec_of(options)};
}

any_array open_any(const std::string& path, const spec& limits) {
  return open_any(path, open_options{.spec = limits});
}

any_array open_any(std::shared_ptr<key_value_store> store, std::string_view path,
                   const open_options& options) {
  return {detail::with_options(
              detail::as_before_overwriting(zarr_array::open(std::move(store), path)), options),
          detail::spec_of(options)};
}

any_array rechunk(const any_array& x, const chunk_lengths& chunks) {
  any_array regridded = x;
  const spec limits = x.spec() ? *x.spec() : default_spec();
  const std::size_t itemsize = x.is_stored() ? x.metadata().dtype.itemsize() : size_of(x.dtype());
  regridded.chunks_ =
      chunks.resolve("rechunk", x.shape(), itemsize, limits, clip_chunks(x.chunks(), x.shape()));
  return regridded;
}

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

stored_any_array stored(const any_array& x, const std::string& path) {
  return {x, faithful(x, locate(path))};
}

stored_any_array stored(const any_array& x, const std::string& path, const store_options& options) {
  return {x, with_options(x, locate(path), options)};
}

any_array store(const any_array& x, const std::string& path, const run_with& settings) {
  return run(stored(x, path), settings);
}

any_array store(const any_array& x, std::shared_ptr<key_value_store> store, std::string_view path,
                const run_with& settings) {
  return run({x, faithful(x, {std::move(store), std::string(path)})}, settings);
}

any_array store(const any_array& x, const std::string& path, const store_options& options,
                const run_with& settings) {
  return run(stored(x, path, options), settings);
}

namespace detail {

void throw_not_visited(const any_array& x) {
  throw value_error(
      fmt::format("visit: {} holds {} elements and has rank {}, which the function does not take; "
                  "give one that "
                  "does, or a greater rank as visit<rank>(x, f)",
                  x.is_stored() ? x.stored().name() : x.shown().view.array->name,
                  name_of(x.dtype()), x.rank()));
}

}  // namespace detail
}  // namespace tessera
