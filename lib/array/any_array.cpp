// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"

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

any_array copy_to(const any_array& x, zarr_destination destination, const run_with& how) {
  auto [view, layout] = detail::view_of(x.stored(), x.stored().name(), x.spec());
  const array_handle array =
      computed(materialise("copy", view, layout.shape, destination.metadata.chunks));
  std::vector<plan_output> outputs{{array, as_destination(std::move(destination))}};
  const bounded_plan plan = detail::make_bounded_plan(std::move(outputs), {layout}, {}, how);
  const auto copy = execute(plan, detail::complete(how)).front().stored;
  return {zarr_array_of(*copy)->with({}), x.spec()};
}

/// Names the axes of a copy as those of `x`.
void name_as(const any_array& x, zarr_destination& copy) {
  std::vector<std::string> names = x.stored().dimension_names();
  names.resize(x.rank());
  detail::name_axes(copy, std::move(names));
}

any_array copy_faithfully(const any_array& x, zarr_location where, const run_with& how) {
  zarr_destination destination;
  destination.store = std::move(where.store);
  destination.path = detail::normalised_path(where.path);
  destination.metadata = x.metadata();
  destination.attributes = x.attributes();
  name_as(x, destination);
  return copy_to(x, std::move(destination), how);
}

}  // namespace

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

any_array store(const any_array& x, const std::string& path, const run_with& how) {
  return copy_faithfully(x, locate(path), how);
}

any_array store(const any_array& x, std::shared_ptr<key_value_store> store, std::string_view path,
                const run_with& how) {
  return copy_faithfully(x, {std::move(store), std::string(path)}, how);
}

any_array store(const any_array& x, const std::string& path, const store_options& options,
                const run_with& how) {
  const zarr_metadata& source = x.metadata();
  const array_layout layout{source.shape, clip_chunks(source.chunks, source.shape), x.spec()};
  zarr_destination destination =
      detail::make_destination(locate(path), source.dtype, layout, options);
  if (destination.part) return copy_to(x, std::move(destination), how);
  if (std::holds_alternative<std::nullptr_t>(options.fill_value) && source.fill_value) {
    destination.metadata.fill_value = source.fill_value;
  }
  if (!destination.are_names_given) name_as(x, destination);
  for (const auto& [name, value] : x.attributes()) {
    if (!destination.attributes.contains(name)) destination.attributes.set(name, value);
  }
  return copy_to(x, std::move(destination), how);
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
