// SPDX-License-Identifier: Apache-2.0
#include "tool/array_files.hpp"

#include "tessera/core/error.hpp"
#include "tessera/storage/attributes.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"

#include <fmt/format.h>
#include <unordered_set>

namespace tessera::tool {

array_description describe_array(const key_value_store& store, const std::string& path,
                                 std::optional<char> separator) {
  array_description array;
  array.name = detail::name_of_node(store, path);
  auto node = detail::find_node(store, path, detail::node_kind::array);
  if (node) array.format = node->format;
  const detail::node_format& format = *array.format;
  const std::string key = detail::node_key(path, format.array_key);
  if (node) array.document = std::move(node->texts.find(format.array_key)->second);
  try {
    const auto values = format.read_attributes(store, path, {});
    const detail::array_outline outline =
        format.outline(array.document, values.value_or(attributes()));
    array.grid = chunk_grid(outline.dimensions.shape, outline.chunks);
    array.chunks = outline.parts.empty() ? outline.chunks : outline.parts;
    static_cast<void>(array.grid.size());
    array.separator = separator.value_or(outline.separator);
    array.key_style = outline.key_style;
    array.states_fill_value = outline.states_fill_value;
    array.dimension_names = outline.dimensions.names;
  } catch (const error& failure) {
    throw zarr_error(fmt::format("{}: {}", detail::name_of_node(store, key), failure.what()));
  }
  return array;
}

index_t count_missing(const array_description& array, const array_files& files) {
  return array.grid.size() - static_cast<index_t>(files.chunks.size());
}

std::string first_missing(const array_description& array, const array_files& files) {
  const std::unordered_set<std::string_view> present(files.chunks.begin(), files.chunks.end());
  const detail::chunk_names names = array.names();
  index_t first = 0;
  while (present.contains(names.name_of(array.grid.chunk_at(first)))) ++first;
  return names.name_of(array.grid.chunk_at(first));
}

void require_chunks(const array_description& array, const array_files& files,
                    std::string_view option) {
  const index_t missing = count_missing(array, files);
  if (missing == 0 || option == "fill" || (option.empty() && array.states_fill_value)) return;
  const std::string others =
      missing == 1 ? " is missing" : fmt::format(" and {} more are missing", missing - 1);
  throw zarr_error(fmt::format(
      "chunk {}{}{}", first_missing(array, files), others,
      option.empty() ? ", and the array states no fill value, so that nothing says what they hold; "
                       "with --missing fill they are zeros, as zarr-python reads them"
                     : ", and --missing error is asked for"));
}

}  // namespace tessera::tool
