// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where the elements of an array go to, as plans and tasks see it.

#include "tessera/core/array_source.hpp"
#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <memory>
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

  /// Makes what was written part of the array, where readers saw none of it before; once it is, the
  /// call does nothing.
  virtual void commit() const {}

  /// Notes in the array that its chunks are those of the run `identity`.
  virtual void mark(const std::string& identity) const = 0;

  /// Removes what `mark` wrote.
  virtual void unmark() const = 0;
};

/// The right of one run to write an array, or a part of it: others are refused until it goes.
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
  array_destination() = default;
  array_destination(const array_destination&) = delete;
  array_destination& operator=(const array_destination&) = delete;
  virtual ~array_destination() = default;

  /// Returns the name under which `register_array_kind` knows it.
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// Returns where it is, for people: "/data/era5.zarr/u".
  [[nodiscard]] virtual std::string name() const = 0;

  [[nodiscard]] virtual const element_type& type() const = 0;
  [[nodiscard]] virtual const index_vector& shape() const = 0;
  [[nodiscard]] virtual const chunk_grid& read_grid() const = 0;
  [[nodiscard]] virtual const chunk_grid& write_grid() const = 0;
  [[nodiscard]] virtual chunk_cost read_cost() const = 0;
  [[nodiscard]] virtual chunk_cost write_cost() const = 0;
  /// Tells whether a chunk that is read lies in memory row by row.
  [[nodiscard]] virtual bool is_row_major() const = 0;

  /// Claims the array, or the part of it, for the run `identity`. A null pointer, as by this
  /// default, if no other run can reach it. Throws if another run has claimed any of it.
  [[nodiscard]] virtual std::unique_ptr<array_claim> claim(const std::string& /*identity*/) const {
    return nullptr;
  }

  /// Makes the array, for the run `identity`, whose mark it gets, unless that is empty.
  [[nodiscard]] virtual std::shared_ptr<const array_sink> create(
      const std::string& identity) const = 0;
  /// Opens the array that this or another process has made.
  [[nodiscard]] virtual std::shared_ptr<const array_sink> open() const = 0;
  /// Opens the array that an earlier run has made and this one goes on with: what does not tell
  /// arrays apart becomes what it is here.
  [[nodiscard]] virtual std::shared_ptr<const array_sink> take_over() const = 0;

  /// Tells whether an array is there.
  [[nodiscard]] virtual bool exists() const = 0;
  /// Tells whether the run `identity` has made the array that is there, and nobody else has written
  /// over it since.
  [[nodiscard]] virtual bool is_marked(const std::string& identity) const = 0;
  /// Throws where an array is there that must be kept, or where none is there to write a part of.
  virtual void require_replaceable() const = 0;

  /// Returns the destination, one that `make_intermediate` has made, in the place `run` of a run.
  [[nodiscard]] virtual std::shared_ptr<const array_destination> in(
      const std::string& run) const = 0;

  /// Returns how another process finds the destination. Throws: as `array_source::recipe`.
  [[nodiscard]] virtual array_recipe recipe(const std::string& array) const = 0;

  /// A destination, and what its plan calls it: "result 1, 'mean',".
  using named = std::pair<const array_destination*, std::string>;

  /// Throws where `all`, the results of one plan, stand in each other's way.
  virtual void check_together(std::span<const named> all) const = 0;
  /// Throws where one of `all`, the results of one plan that works in `work_dir` (empty: nowhere),
  /// cannot go to its place. What they take the place of does not count.
  virtual void check_room(std::span<const array_destination* const> all,
                          const std::string& work_dir) const = 0;
  /// Throws value_error where one of `all` would take the place of one of `sources`.
  virtual void refuse_overwriting(std::span<const array_destination* const> all,
                                  std::span<const array_source* const> sources) const = 0;
};

/// `array_destination::check_together` for each class that there is among `all`.
void check_together(std::span<const array_destination::named> all);

/// `array_destination::check_room` for each class that there is among `all`.
void check_room(std::span<const array_destination* const> all, const std::string& work_dir);

/// `array_destination::refuse_overwriting` for each class that there is among `all`.
void refuse_overwriting(std::span<const array_destination* const> all,
                        std::span<const array_source* const> sources);

}  // namespace tessera
