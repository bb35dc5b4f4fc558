// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Zarr v2 arrays as plans see them: where elements come from and where they go.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/zarr/attributes.hpp"
#include "tessera/zarr/chunk_policy.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_location.hpp"
#include "tessera/zarr/zarr_metadata.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The part that a run writes of an array which is there already.
struct zarr_region {
  /// Whole chunks of the array as it is once the run has ended.
  region box;
  /// The extents with which the run finds the array; what is beyond, it appends.
  index_vector found;
  /// The elements that the run changes, if they are fewer than those of `box`: the others keep
  /// their values, which the task that writes their chunk reads.
  std::optional<region> elements = std::nullopt;

  [[nodiscard]] const region& changed() const { return elements ? *elements : box; }
};

/// Where and how a run stores an array, which it makes, or of which it writes a part.
struct zarr_destination {
  std::shared_ptr<key_value_store> store;
  std::string path;
  /// Those of the array once the run has ended.
  zarr_metadata metadata;
  tessera::attributes attributes;
  /// Whether chunks that hold the fill value alone are stored.
  empty_chunks empty = empty_chunks::write;
  /// What happens to an array that is there already.
  tessera::existing existing = tessera::existing::replace;
  /// The names of the axes, which are stored as the attribute `_ARRAY_DIMENSIONS`; not set: nothing
  /// is said of them. They are no part of a plan's identity.
  std::optional<std::vector<std::string>> dimension_names = std::nullopt;
  /// Whether the names were asked for, and need not fit those of other arrays in the group.
  bool are_names_given = false;
  /// The group whose coordinates of the axes are stored beside the array; not set: none are. It is
  /// no part of a plan's identity.
  std::optional<zarr_location> coordinates = std::nullopt;
  /// Not set: the run makes the array.
  std::optional<zarr_region> within = std::nullopt;

  /// Returns the attributes with which the array is stored: `attributes` and the names.
  [[nodiscard]] tessera::attributes stored_attributes() const;
};

/// Tells whether plans of this program know Zarr arrays, as those do of every program that calls
/// this: what is between operations is kept in them.
[[nodiscard]] bool zarr_arrays_are_known();

/// Returns `array` as a source of elements.
[[nodiscard]] std::shared_ptr<const array_source> as_source(zarr_array array);

namespace detail {

/// Returns the paths, in the store of `to.coordinates`, of the coordinates of the axes of `to`: the
/// arrays of one axis that have the name and the extent of one of them.
[[nodiscard]] std::vector<std::string> coordinates_of(const zarr_destination& to);

}  // namespace detail

/// Returns the place that `to` describes. Throws: zarr_error <- its metadata are not valid.
[[nodiscard]] std::shared_ptr<const array_destination> as_destination(zarr_destination to);

/// Returns the place of `count` positions behind the end of `array` along `axis`. Where an append
/// of as many was stopped when they had just become part of the array, it is theirs: its run goes
/// on.
[[nodiscard]] zarr_destination behind(const zarr_array& array, std::size_t axis, index_t count);

/// Returns the part of an array in chunks of `chunks` of which a run changes `elements`, and which
/// has the extents `found` before and `shape` afterwards.
[[nodiscard]] zarr_region part_of(const index_vector& chunks, const index_vector& shape,
                                  region elements, index_vector found);

/// Returns the array of which `to` is a part, as a source of the elements that keep their values.
/// A plan may read it though it writes there.
[[nodiscard]] std::shared_ptr<const array_source> border_source(const zarr_destination& to);

/// Returns the array behind a source or a sink; null where that is no Zarr array.
[[nodiscard]] const zarr_array* zarr_array_of(const array_source& source);

/// Returns what describes a place; null where that is none of a Zarr array.
[[nodiscard]] const zarr_destination* zarr_destination_of(const array_destination& to);

}  // namespace tessera
