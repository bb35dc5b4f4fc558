// SPDX-License-Identifier: Apache-2.0
#include "zarr/stored_region.hpp"

#include "tessera/core/error.hpp"

#include "zarr/api/hierarchy.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/key_eraser.hpp"

#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <system_error>

namespace tessera::detail {

namespace {

constexpr std::string_view mark_name = ".tessera-run";
constexpr std::size_t longest_identity = 64;

std::string text_of(const index_vector& position) {
  return fmt::format("{}", fmt::join(position, "."));
}

/// Removes `rank` numbers, each after a '-' or a '.', from the front of `text` and returns them.
std::optional<index_vector> take_numbers(std::string_view& text, std::size_t rank) {
  index_vector numbers;
  while (numbers.size() < rank) {
    if (text.empty() || text.front() != (numbers.empty() ? '-' : '.')) return std::nullopt;
    index_t number = -1;
    const auto [end, failure] = std::from_chars(text.data() + 1, text.data() + text.size(), number);
    if (failure != std::errc{} || number < 0) return std::nullopt;
    numbers.push_back(number);
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  }
  return numbers;
}

/// Tells whether `a` and `b` describe the same array except for its extents.
bool differ_in_shape_alone(zarr_metadata a, const zarr_metadata& b) {
  a.shape = b.shape;
  return a == b;
}

/// Throws zarr_error: another run has appended elements in the region of `to`, and was stopped
/// after its last step. Only the user can tell whether they are the elements of this run.
[[noreturn]] void refuse_to_repeat(const zarr_destination& to, const std::string& name) {
  throw zarr_error(fmt::format(
      "append to '{}': a run that was stopped at its very end has appended {} there, from the "
      "shape {} to {}; these elements are whole, and nothing more has been written. This run is "
      "not known to be the same, as its program, inputs or work directory differ: if it is, "
      "nothing is left to do; if not, append again",
      name, format_region(to.within->changed()), format_shape(to.within->old_shape),
      format_shape(to.metadata.shape)));
}

}  // namespace

std::string mark_of(const std::string& array, const std::optional<zarr_region>& within) {
  if (!within) return node_key(array, mark_name);
  return node_key(array, fmt::format("{}-{}-{}-{}", mark_name, text_of(within->box.start),
                                     text_of(within->box.stop), text_of(within->old_shape)));
}

std::optional<zarr_region> marked_region(std::string_view name, std::size_t rank) {
  if (!name.starts_with(mark_name)) return std::nullopt;
  name.remove_prefix(mark_name.size());
  const auto start = take_numbers(name, rank);
  const auto stop = take_numbers(name, rank);
  const auto extents = take_numbers(name, rank);
  if (!start || !stop || !extents || !name.empty()) return std::nullopt;
  return zarr_region{{*start, *stop}, *extents};
}

std::string marked_identity(const key_value_store& store, const std::string& key) {
  const auto mark = store.read_all(key, longest_identity);
  if (!mark) return {};
  return {reinterpret_cast<const char*>(mark->data()), mark->size()};
}

std::vector<std::string> marked_appends(const key_value_store& store, const std::string& path,
                                        const region& box) {
  std::vector<std::string> identities;
  for (const std::string& name : store.list_folder(path)) {
    const auto marked = marked_region(name, box.rank());
    if (!marked || intersect(marked->box, box).empty()) continue;
    const bool is_append = !region::whole(marked->old_shape).contains(marked->box);
    if (is_append) identities.push_back(marked_identity(store, node_key(path, name)));
  }
  return identities;
}

void commit_append(const zarr_array& longer, const index_vector& old_shape) {
  const index_vector now = zarr_array::open(underlying(longer.store()), longer.path()).shape();
  if (now == longer.shape()) return;
  if (now != old_shape) {
    throw zarr_error(fmt::format(
        "append to '{}': it had the shape {} when the run began, and has {} now; what was written "
        "behind it is not part of it: append again",
        longer.name(), format_shape(old_shape), format_shape(now)));
  }
  longer.write_shape();
}

void erase_marks(key_value_store& store, const std::string& path, const region& box) {
  for (const std::string& name : store.list_folder(path)) {
    const auto marked = marked_region(name, box.rank());
    const bool is_apart = marked && intersect(marked->box, box).empty();
    if (name.starts_with(mark_name) && !is_apart) store.erase(node_key(path, name));
  }
}

void clear_region(const zarr_array& array, const zarr_region& within, const std::string& identity) {
  key_value_store& store = *array.store();
  erase_marks(store, array.path(), within.box);
  if (identity.empty()) return;
  const region chunks = array.shard_grid().chunks_touching(within.box);
  if (chunks.empty()) return;
  const index_vector extents = chunks.shape();
  index_vector position(array.rank());
  key_eraser inside(store);
  do {
    index_vector chunk = position;
    for (std::size_t axis = 0; axis < chunk.size(); ++axis) chunk[axis] += chunks.start[axis];
    if (within.changed().contains(array.shard_grid().chunk_region(chunk))) {
      inside.add(array.chunk_key(chunk));
    }
  } while (next_position(position, extents));
  inside.finish();
}

void require_as_planned(const zarr_destination& to, const zarr_array& array) {
  if (!differ_in_shape_alone(to.metadata, array.metadata())) {
    throw zarr_error(
        fmt::format("store to '{}': the array there has changed since the plan was made: its "
                    "metadata are others now; make the plan anew",
                    array.name()));
  }
  if (array.shape() == to.within->old_shape) return;
  const bool is_append = to.within->old_shape != to.metadata.shape;
  if (is_append) {
    // The mark of an append that died after its last step, which has nothing more to do.
    const std::string mark = mark_of(to.path, to.within);
    const bool is_there = array.shape() == to.metadata.shape && to.store->exists(mark);
    to.store->erase(mark);
    if (is_there) refuse_to_repeat(to, array.name());
    throw zarr_error(
        fmt::format("append to '{}': the array there had the shape {} when the plan was made, and "
                    "has {} now, by another writer; nothing has been written: append again",
                    array.name(), format_shape(to.within->old_shape), format_shape(array.shape())));
  }
  throw zarr_error(
      fmt::format("store to '{}': the array there had the shape {} when the plan was made, and has "
                  "{} now; make the plan anew",
                  array.name(), format_shape(to.within->old_shape), format_shape(array.shape())));
}

}  // namespace tessera::detail
