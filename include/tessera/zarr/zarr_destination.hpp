// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Zarr arrays as sources and destinations of plans.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/storage/attributes.hpp"
#include "tessera/storage/chunk_policy.hpp"
#include "tessera/storage/stored_array.hpp"
#include "tessera/store/key_value_store.hpp"
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
  /// The extents of the array before the run, which appends the elements beyond.
  index_vector old_shape;
  /// The elements that the run changes, if they are fewer than those of `box`: the others keep
  /// their values, which the task that writes their chunk reads.
  std::optional<region> elements = std::nullopt;

  [[nodiscard]] const region& changed() const { return elements ? *elements : box; }
};

/// The location and the encoding of an array that a run creates, or of which it writes a part.
struct zarr_destination {
  std::shared_ptr<key_value_store> store;
  std::string path;
  /// Those of the array once the run has ended.
  zarr_metadata metadata;
  tessera::attributes attributes;
  /// Whether chunks that hold the fill value alone are stored.
  empty_chunks empty = empty_chunks::write;
  /// Whether an existing array is kept or replaced.
  tessera::existing existing = tessera::existing::replace;
  /// The names of the axes, which version 2 stores as the attribute `_ARRAY_DIMENSIONS`; not set:
  /// nothing is said of them. They are no part of a plan's identity.
  std::optional<std::vector<std::string>> dimension_names = std::nullopt;
  /// Whether the names were asked for, and need not fit those of other arrays in the group.
  bool are_names_given = false;
  /// The group whose coordinates of the axes are stored beside the array; not set: none are. It is
  /// no part of a plan's identity.
  std::optional<zarr_location> coordinates = std::nullopt;
  /// Not set: the run makes the array.
  std::optional<zarr_region> within = std::nullopt;

  /// Returns the attributes with which the array is stored; in version 2 with the names.
  [[nodiscard]] tessera::attributes stored_attributes() const;
  /// Returns the metadata with which the array is stored; in version 3 with the names.
  [[nodiscard]] zarr_metadata stored_metadata() const;
};

/// Tells whether plans of this program know Zarr arrays, as those do of every program that calls
/// this: they hold the intermediates between operations.
[[nodiscard]] bool zarr_arrays_are_known();

/// Returns `array` as a source of elements.
[[nodiscard]] std::shared_ptr<const stored_array> as_source(zarr_array array);

namespace detail {

/// Returns the paths, in the store of `to.coordinates`, of the coordinates of the axes of `to`: the
/// arrays of one axis that have the name and the extent of one of them.
[[nodiscard]] std::vector<std::string> coordinates_of(const zarr_destination& to);

/// Names the axes of `to`, with a name for each: axis "" number 0 of the array "u" becomes
/// "u_dim_0".
void name_axes(zarr_destination& to, std::vector<std::string> names);

}  // namespace detail

/// Returns the place that `to` describes. Throws: zarr_error <- its metadata are not valid.
[[nodiscard]] std::shared_ptr<const array_destination> as_destination(zarr_destination to);

/// Returns the destination of `count` positions behind the end of `array` along `axis`. If an
/// append of as many positions was stopped after they became part of the array, it is their
/// destination: the run goes on.
[[nodiscard]] zarr_destination append_destination(const zarr_array& array, std::size_t axis,
                                                  index_t count);

/// Returns the part of an array in chunks of `chunks` of which a run changes `elements`, and which
/// has the extents `old_shape` before and `shape` afterwards.
[[nodiscard]] zarr_region part_of(const index_vector& chunks, const index_vector& shape,
                                  region elements, index_vector old_shape);

/// Returns the array behind a source or a sink, or nullptr if it is no Zarr array.
[[nodiscard]] const zarr_array* zarr_array_of(const array_source& source);

}  // namespace tessera
