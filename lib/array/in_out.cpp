// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/in_out.hpp"

#include "tessera/core/error.hpp"
#include "tessera/observe/progress_bar.hpp"
#include "tessera/store/filesystem_store.hpp"

#include <fmt/format.h>

namespace tessera {
namespace detail {
namespace {

/// Returns the last part of a path: what plans call the array.
std::string last_part(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

}  // namespace

std::pair<array_view, array_layout> open_view(zarr_array opened, dtype type, std::size_t rank,
                                              std::shared_ptr<const spec> spec) {
  if (opened.dtype() != type) {
    throw dtype_error(fmt::format(
        "open: {} holds {} elements, and {} is asked for; open it as {} "
        "and convert it with astype",
        opened.name(), name_of(opened.dtype()), name_of(type), name_of(opened.dtype())));
  }
  if (opened.rank() != rank) {
    throw shape_error(fmt::format(
        "open: {} has shape {} of rank {}, and rank {} is asked for; open "
        "it with rank {}",
        opened.name(), format_shape(opened.shape()), opened.rank(), rank, opened.rank()));
  }
  array_layout layout{opened.shape(), clip_chunks(opened.chunks(), opened.shape()),
                      std::move(spec)};
  auto node = std::make_shared<const array_node>(array_node{
      type, layout.shape, layout.chunks, last_part(opened.name()), stored_source{opened}});
  return {whole_of(std::move(node)), std::move(layout)};
}

zarr_destination make_destination(std::shared_ptr<key_value_store> store, std::string_view path,
                                  dtype type, const array_layout& layout,
                                  const store_options& options) {
  const spec& limits = layout.spec ? *layout.spec : default_spec();
  zarr_destination destination;
  destination.store = std::move(store);
  destination.path = path;
  destination.metadata.shape = layout.shape;
  destination.metadata.chunks =
      options.chunks.is_automatic()
          ? layout.chunks
          : options.chunks.resolve("store", layout.shape, size_of(type), limits, layout.chunks);
  destination.metadata.dtype = type;
  destination.metadata.compressor = options.compressor;
  destination.metadata.dimension_separator = options.dimension_separator;
  destination.attributes = options.attributes;
  if (!options.dimension_names.empty()) {
    if (options.dimension_names.size() != layout.shape.size()) {
      throw shape_error(
          fmt::format("store: {} dimension names are given for an array of shape {}; "
                      "give one for each axis, or none",
                      options.dimension_names.size(), format_shape(layout.shape)));
    }
    destination.attributes.set("_ARRAY_DIMENSIONS", options.dimension_names);
  }
  return destination;
}

std::shared_ptr<key_value_store> directory(const std::string& path) {
  return std::make_shared<filesystem_store>(path);
}

}  // namespace detail

void store(const std::vector<store_target>& targets) {
  std::vector<plan_output> outputs;
  std::vector<array_layout> layouts;
  for (const store_target& target : targets) {
    outputs.push_back(target.output());
    layouts.push_back(target.layout());
  }
  static_cast<void>(
      execute(detail::make_bounded_plan(std::move(outputs), layouts, {}), default_observers()));
}

}  // namespace tessera
