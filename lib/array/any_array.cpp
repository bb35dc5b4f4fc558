// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"

#include "tessera/array/plan.hpp"
#include "tessera/core/default_spec.hpp"
#include "tessera/core/error.hpp"

#include "array/copy_destination.hpp"
#include "array/stored_array_of.hpp"
#include "array/stored_part.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

namespace {

any_array run(const stored_any_array& copy, const run_with& settings) {
  return plan(copy, settings).compute();
}

}  // namespace

any_array::any_array(std::shared_ptr<const stored_array> opened,
                     std::shared_ptr<const tessera::spec> spec)
    : opened_(std::move(opened)), spec_(std::move(spec)), chunks_(opened_->chunks()) {}

any_array::any_array(array_view view, const array_layout& layout)
    : shown_(detail::show(std::move(view), layout)), spec_(layout.spec), chunks_(layout.chunks) {}

dtype any_array::dtype() const {
  return opened_ ? opened_->dtype() : shown_->view.array->type.number();
}

const index_vector& any_array::shape() const {
  return opened_ ? opened_->shape() : shown_->layout.shape;
}

const stored_array& any_array::stored() const {
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
  static_cast<void>(stored());
  any_array values(detail::open_field(opened_, wanted), spec_);
  std::copy(chunks_.begin(), chunks_.end(), values.chunks_.begin());
  return values;
}

detail::shared_state<detail::shown_array> any_array::shown_as(tessera::dtype type,
                                                              std::size_t rank) const {
  if (opened_) {
    const auto field_shown = detail::open_shown(opened_, type, rank, spec_);
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

stored_any_array::stored_any_array(const any_array& x,
                                   std::shared_ptr<const array_destination> destination) {
  auto [view, layout] = x.is_stored() ? detail::view_of(x.stored(), x.stored().name(), x.spec())
                                      : std::pair(x.shown().view, x.shown().layout);
  layout_ = std::move(layout);
  output_.destination = std::move(destination);
  const index_vector written = detail::chunks_of(*output_.destination);
  const array_handle copy = materialise("copy", view, layout_.shape, written);
  output_.array = computed(detail::with_border(copy, layout_, *output_.destination));
}

any_array open_any(const std::string& path, const open_options& options) {
  return {detail::open_stored(path, options)->before_overwriting(), detail::spec_of(options)};
}

any_array open_any(const std::string& path, const spec& limits) {
  return open_any(path, open_options{.spec = limits});
}

any_array open_any(std::shared_ptr<key_value_store> store, std::string_view path,
                   const open_options& options) {
  return {detail::open_stored(std::move(store), path, options)->before_overwriting(),
          detail::spec_of(options)};
}

any_array rechunk(const any_array& x, const chunk_lengths& chunks) {
  any_array regridded = x;
  const spec limits = x.spec() ? *x.spec() : default_spec();
  const std::size_t itemsize =
      x.is_stored() ? x.stored().stored_type().itemsize() : size_of(x.dtype());
  regridded.chunks_ =
      chunks.resolve("rechunk", x.shape(), itemsize, limits, clip_chunks(x.chunks(), x.shape()));
  return regridded;
}

stored_any_array stored(const any_array& x, const std::string& path) {
  return {x, detail::copy_destination(x, path)};
}

stored_any_array stored(const any_array& x, const std::string& path, const store_options& options) {
  return {x, detail::copy_destination(x, path, options)};
}

any_array store(const any_array& x, const std::string& path, const run_with& settings) {
  return run(stored(x, path), settings);
}

any_array store(const any_array& x, std::shared_ptr<key_value_store> store, std::string_view path,
                const run_with& settings) {
  return run({x, detail::copy_destination(x, std::move(store), path)}, settings);
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
