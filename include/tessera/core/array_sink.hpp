// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The port of arrays that plans and tasks write: sinks, destinations, claims.

#include "tessera/core/array_source.hpp"
#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// An array whose elements are written in chunks, and may be read again.
///
/// Threads: as long as no two of them write one chunk, all members may be called from several
/// threads at the same time.
class array_sink : public array_source {
 public:
  /// Returns the grid of the chunks that are written.
  [[nodiscard]] virtual const chunk_grid& write_grid() const = 0;

  /// Tells whether a chunk that was written is there. One that a power failure has left empty is
  /// not.
  [[nodiscard]] virtual bool has_chunk(std::span<const index_t> chunk) const = 0;

  /// Stores a chunk, atomically. `data` is one whole chunk, row-major, overhang included.
  virtual void write_chunk(std::span<const index_t> chunk, const std::byte* data,
                           std::span<std::byte> encoded, std::span<std::byte> scratch) const = 0;

  /// Stores the elements of `box`, which `from` holds dense and row-major.
  virtual void write_region(const region& box, std::span<const std::byte> from,
                            std::span<std::byte> decoded, std::span<std::byte> encoded) const = 0;

  /// Makes the written elements part of the array, if readers have seen none of them before. A
  /// second call does nothing.
  virtual void commit() const {}

  /// Notes in the array that its chunks are those of the run `identity`.
  virtual void mark(const std::string& identity) const = 0;

  /// Removes the mark that `mark` wrote.
  virtual void unmark() const = 0;
};

/// The right of one run to write an array, or a part of it. Other runs are refused until the claim
/// ends.
class array_claim {
 public:
  array_claim() = default;
  array_claim(const array_claim&) = delete;
  array_claim& operator=(const array_claim&) = delete;
  virtual ~array_claim() = default;

  /// Throws if the array has been removed, or taken by another writer, since it was claimed.
  virtual void confirm() const = 0;
};

/// The place of an array that a run makes.
///
/// A plan looks at the destinations of its results together: `check_together`, `check_room` and
/// `refuse_overwriting` are called for one destination of each class, with all of that class.
class array_destination {
 public:
  /// The elements of whole chunks that a run reads and writes back unchanged.
  struct border {
    std::shared_ptr<const array_source> source;
    /// The whole chunks, in the array of the source.
    region box;
    /// The elements that the run changes, inside `box`.
    region changed;
  };

  array_destination() = default;
  array_destination(const array_destination&) = delete;
  array_destination& operator=(const array_destination&) = delete;
  virtual ~array_destination() = default;

  /// Returns the name under which `register_array_kind` knows it.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Returns the location for messages: "/data/era5.zarr/u".
  [[nodiscard]] virtual std::string name() const = 0;

  [[nodiscard]] virtual const element_type& type() const = 0;
  [[nodiscard]] virtual const index_vector& shape() const = 0;
  [[nodiscard]] virtual const chunk_grid& read_grid() const = 0;
  [[nodiscard]] virtual const chunk_grid& write_grid() const = 0;
  [[nodiscard]] virtual chunk_cost read_cost() const = 0;
  [[nodiscard]] virtual chunk_cost write_cost() const = 0;
  /// Tells whether a chunk that is read lies in memory row by row.
  [[nodiscard]] virtual bool is_row_major() const = 0;

  /// Tests now, beside other requests, how the server of the array makes claims: several round
  /// trips, once in a process. This default does nothing.
  virtual void prepare_claim() const {}
  /// Claims the array, or the part of it, for the run `identity`. A null pointer, as by this
  /// default, if no other run can reach it. Throws if another run has claimed any of it.
  [[nodiscard]] virtual std::unique_ptr<array_claim> claim(const std::string& identity) const;

  /// Makes the array, for the run `identity`, whose mark it gets, unless that is empty.
  [[nodiscard]] virtual std::shared_ptr<const array_sink> create(
      const std::string& identity) const = 0;
  /// Opens the array that this or another process has made.
  [[nodiscard]] virtual std::shared_ptr<const array_sink> open() const = 0;
  /// Opens the array that an earlier run has created and this run continues. Metadata that do not
  /// tell arrays apart become the ones of this destination.
  [[nodiscard]] virtual std::shared_ptr<const array_sink> take_over() const = 0;

  /// Tells whether an array is there.
  [[nodiscard]] virtual bool exists() const = 0;
  /// Tells whether the run `identity` has created the stored array, and no other run has written to
  /// it since.
  [[nodiscard]] virtual bool is_marked(const std::string& identity) const = 0;
  /// Throws if a stored array must be kept, or if there is no array to write a part of.
  virtual void require_replaceable() const = 0;

  /// Returns the destination, one that `make_intermediate` has made, in the place `run` of a run.
  [[nodiscard]] virtual std::shared_ptr<const array_destination> in(
      const std::string& run) const = 0;

  /// Returns how another process finds the destination. Throws: as `array_source::recipe`.
  [[nodiscard]] virtual array_recipe recipe(const std::string& array) const = 0;

  /// A destination, and its name in messages: "result 1 ('mean')".
  using named = std::pair<const array_destination*, std::string>;

  /// Throws if two of `destinations`, the results of one plan, are in conflict.
  virtual void check_together(std::span<const named> destinations) const = 0;
  /// Throws if one of `destinations`, the results of one plan, cannot go to its location because of
  /// stored arrays or of the work directory `work_dir` (empty: none). Stored arrays that the
  /// results replace do not count.
  virtual void check_room(std::span<const array_destination* const> destinations,
                          const std::string& work_dir) const = 0;
  /// Throws value_error if one of `destinations` would replace one of `sources`.
  virtual void refuse_overwriting(std::span<const array_destination* const> destinations,
                                  std::span<const array_source* const> sources) const = 0;

  /// Returns the border of the destination, or nullopt if its results cover whole chunks.
  [[nodiscard]] virtual std::optional<border> find_border() const { return std::nullopt; }
};

/// `array_destination::check_together` for each class that there is among `destinations`.
void check_together(std::span<const array_destination::named> destinations);

/// `array_destination::check_room` for each class that there is among `destinations`.
void check_room(std::span<const array_destination* const> destinations,
                const std::string& work_dir);

/// `array_destination::refuse_overwriting` for each class that there is among `destinations`.
void refuse_overwriting(std::span<const array_destination* const> destinations,
                        std::span<const array_source* const> sources);

}  // namespace tessera
