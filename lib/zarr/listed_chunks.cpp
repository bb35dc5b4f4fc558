// SPDX-License-Identifier: Apache-2.0
#include "zarr/listed_chunks.hpp"

#include "zarr/api/array_files.hpp"
#include "zarr/api/node_location.hpp"

#include <algorithm>
#include <optional>
#include <string_view>

namespace tessera::detail {

void for_each_listed_chunk(const key_value_store& store, const std::string& path,
                           const zarr_metadata& metadata, const chunk_visitor& visit) {
  const std::size_t above = path.empty() ? 0 : path.size() + 1;
  store.list_pages(path, [&](std::span<const std::string> page) {
    for (const std::string& key : page) {
      const auto chunk = parse_chunk_name(std::string_view(key).substr(above), metadata);
      if (chunk) visit(key, *chunk);
    }
    return true;
  });
}

namespace {

/// Returns the row-major position of a chunk in a grid, or nullopt if it is outside.
std::optional<index_t> number_in(const chunk_grid& grid, std::span<const index_t> chunk) {
  index_t number = 0;
  for (std::size_t axis = 0; axis < chunk.size(); ++axis) {
    const index_t count = grid.num_chunks()[axis];
    if (chunk[axis] < 0 || chunk[axis] >= count) return std::nullopt;
    number = number * count + chunk[axis];
  }
  return number;
}

/// Returns the number of requests of a list: stores tell at most 1000 keys by each.
index_t count_requests(const chunk_grid& grid) {
  double num_chunks = 1;
  for (const index_t count : grid.num_chunks()) num_chunks *= static_cast<double>(count);
  return static_cast<index_t>(std::min(num_chunks / 1000, 1e9));
}

}  // namespace

earlier_chunks::earlier_chunks(const zarr_array& array)
    : array_(array),
      num_requests_(count_requests(array.shard_grid())),
      is_listed_(!directory_of(*array.store()) && array.store()->traits().has_lists) {}

std::vector<index_t> earlier_chunks::list() const {
  std::vector<index_t> numbers;
  for_each_listed_chunk(*array_.store(), array_.path(), array_.metadata(),
                        [&](const std::string&, const index_vector& chunk) {
                          if (const auto number = number_in(array_.shard_grid(), chunk))
                            numbers.push_back(*number);
                        });
  std::ranges::sort(numbers);
  return numbers;
}

bool earlier_chunks::contains(std::span<const index_t> chunk) const {
  if (!is_listed_ || num_questions_.fetch_add(1) < num_requests_) return array_.has_chunk(chunk);
  std::call_once(has_list_, [this] { numbers_ = list(); });
  const auto number = number_in(array_.shard_grid(), chunk);
  return number && std::ranges::binary_search(numbers_, *number);
}

}  // namespace tessera::detail
