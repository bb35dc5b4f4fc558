// SPDX-License-Identifier: Apache-2.0
#include "zarr/coordinates.hpp"

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/error.hpp"
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "zarr/api/array_files.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/api/siblings.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/write_claim.hpp"

#include <algorithm>
#include <cstddef>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::detail {

namespace {

constexpr std::size_t largest_chunk = std::size_t{1} << 30;

std::string_view name_in_group(std::string_view path) {
  return path.substr(path.rfind('/') + 1);  // from 0 if there is no '/'
}

/// Tells whether `array` is the coordinate of an axis of `to`: its rank is 1, its only axis has the
/// array's name, and its extent is the extent of the axis.
bool is_coordinate(const named_array& array, const zarr_destination& to) {
  if (array.names.size() != 1 || array.names.front() != name_in_group(array.path)) return false;
  const std::vector<std::string>& axes = *to.dimension_names;
  const auto axis = std::find(axes.begin(), axes.end(), array.names.front());
  return axis != axes.end() &&
         to.metadata.shape[static_cast<std::size_t>(axis - axes.begin())] == array.shape[0];
}

/// Tells whether `file` is a document of attributes alone.
bool is_attributes(std::string_view file) {
  return std::ranges::any_of(formats(), [file](const node_format* format) {
    return file == format->attributes_key && file != format->array_key;
  });
}

/// Returns the names of the files of the array at `path`, but for the document that makes it an
/// array. A store without lists may have any chunk of the grid.
std::vector<std::string> files_beside_document(const key_value_store& store,
                                               const std::string& path) {
  std::vector<std::string> files;
  if (store.traits().has_lists) {
    const std::size_t above = path.empty() ? 0 : path.size() + 1;
    for (const std::string& key : store.list(path)) {
      std::string file = key.substr(above);
      const bool is_chunk = file.front() != '.' && !is_node_document(file);
      if (is_chunk || is_attributes(file)) files.push_back(std::move(file));
    }
    return files;
  }
  for (const node_format* format : formats()) {
    if (is_attributes(format->attributes_key)) files.emplace_back(format->attributes_key);
  }
  const auto names = stored_chunk_names(store, path);
  if (!names) return files;
  const chunk_grid chunks(names->counts, index_vector(names->counts.size(), 1));
  for (index_t i = 0; i < chunks.size(); ++i) files.push_back(names->name_of(chunks.chunk_at(i)));
  return files;
}

/// Copies the files of the array at `source` to `target`: the document that makes it an array is
/// last, so that readers never see a part of the array.
void copy_files(const key_value_store& from, const std::string& source, key_value_store& to,
                const std::string& target) {
  const auto copy = [&](std::string_view file) {
    if (const auto value = from.read_all(node_key(source, file), largest_chunk)) {
      to.write(node_key(target, file), *value);
    }
  };
  for (const std::string& file : files_beside_document(from, source)) copy(file);
  for (const node_format* format : formats()) copy(format->array_key);
}

/// Returns a store in memory that has the array at `source` in another format, at the same path. A
/// coordinate has one axis, so that it fits in memory. Copied from there, it has its document last.
std::shared_ptr<key_value_store> converted_array(const std::shared_ptr<key_value_store>& from,
                                                 const std::string& source,
                                                 const node_format& format) {
  const zarr_array x = zarr_array::open(from, source).with({.missing = missing_chunks::fill});
  zarr_destination named;
  named.metadata = in_format(x.metadata(), format.number);
  named.attributes = x.attributes();
  if (!x.dimension_names().empty()) named.dimension_names = x.dimension_names();
  auto store = std::make_shared<memory_store>();
  const zarr_array copy =
      zarr_array::create(store, source, named.stored_metadata(), named.stored_attributes());
  chunk_buffers read(x);
  chunk_buffers written(copy);
  const chunk_grid& grid = x.shard_grid();
  for (index_t number = 0; number < grid.size(); ++number) {
    const region box = grid.chunk_region(grid.chunk_at(number));
    std::vector<std::byte> elements(static_cast<std::size_t>(num_elements(box.shape())) *
                                    x.itemsize());
    x.read_region(box, elements, read.decoded(), read.encoded());
    copy.write_region(box, elements, written.decoded(), written.encoded());
  }
  return store;
}

}  // namespace

std::vector<std::string> coordinates_of(const zarr_destination& to) {
  std::vector<std::string> paths;
  if (!to.coordinates || !to.dimension_names) return paths;
  const key_value_store& store = *to.coordinates->store;
  const std::string group = normalised_path(to.coordinates->path);
  for (const named_array& array : named_arrays_in(store, group, *to.dimension_names)) {
    if (is_coordinate(array, to)) paths.push_back(array.path);
  }
  return paths;
}

void copy_coordinates(const zarr_destination& to) {
  const std::string group(folder_above(normalised_path(to.path)));
  for (const std::string& source : coordinates_of(to)) {
    const std::string target = node_key(group, name_in_group(source));
    const auto node = find_node(*to.coordinates->store, source, node_kind::array);
    const node_format& format = format_of(to.metadata.format);
    bool is_claimed = false;
    try {
      change_alone(*to.store, target, "copy a coordinate", [&] {
        is_claimed = true;
        if (has_array_node(truth_of(*to.store), target)) return;
        require_room(underlying(to.store), target, format);
        // A copy that is interrupted leaves its mark, by which the next one knows the chunks.
        const std::string mark = mark_of(target, std::nullopt);
        to.store->write(mark, std::as_bytes(std::span(source)));
        const bool is_of_format = !node || node->format == &format;
        const auto files = is_of_format ? to.coordinates->store
                                        : converted_array(to.coordinates->store, source, format);
        change_metadata(*to.store, target, old_node::stays,
                        [&] { copy_files(*files, source, *to.store, target); });
        to.store->erase(mark);
      });
    } catch (const zarr_error&) {
      // The run that writes the array, perhaps this one, has claimed it: there is nothing to copy.
      if (is_claimed) throw;
    }
  }
}

}  // namespace tessera::detail
