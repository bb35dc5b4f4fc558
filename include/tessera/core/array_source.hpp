// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The port of arrays that plans and tasks read.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tessera {

/// The memory for moving one chunk between memory and storage.
struct chunk_cost {
  /// The bytes of a whole chunk, overhang included, as it is in memory.
  std::size_t decoded = 0;
  /// The most bytes of an encoded chunk; zero if it is stored as it is in memory.
  std::size_t encoded = 0;
  /// The bytes of a copy of the chunk in another layout, made before encoding; zero if none is
  /// needed.
  std::size_t scratch = 0;
  /// The most bytes that a codec allocates by itself.
  std::size_t workspace = 0;
  /// The number of requests to the store.
  index_t requests = 1;
  /// Whether only the bytes between the first and the last wanted element of a stored chunk are
  /// read.
  bool has_ranges = false;
  /// The memory that the client of a store keeps in a process that reads from it.
  std::size_t client = 0;
};

/// The recipe by which another process of the same program finds an array.
struct array_recipe {
  /// The name under which `register_array_kind` knows how.
  std::string kind;
  /// JSON, an object.
  std::string content;
  /// JSON of metadata that do not tell the array from another, such as the names of axes; may be
  /// empty.
  std::string aside = {};
};

/// An array whose elements are read in chunks.
///
/// Threads: all members may be called from several threads at the same time.
/// Memory: reading allocates nothing but `read_cost().workspace`; the caller brings each buffer.
class array_source {
 public:
  array_source() = default;
  array_source(const array_source&) = delete;
  array_source& operator=(const array_source&) = delete;
  virtual ~array_source() = default;

  /// Returns store and path for people: "/data/era5.zarr/u".
  [[nodiscard]] virtual std::string name() const = 0;

  [[nodiscard]] virtual const element_type& type() const = 0;
  [[nodiscard]] virtual const index_vector& shape() const = 0;

  /// Returns the grid of the chunks that are read.
  [[nodiscard]] virtual const chunk_grid& read_grid() const = 0;
  [[nodiscard]] virtual chunk_cost read_cost() const = 0;
  /// Returns the strides, in elements, of a chunk that was read.
  [[nodiscard]] virtual const index_vector& chunk_strides() const = 0;
  /// Returns the element of missing chunks.
  [[nodiscard]] virtual std::span<const std::byte> fill() const = 0;

  /// Decodes a chunk into the front of `decoded`. Returns false, and leaves `decoded` as it was, if
  /// the chunk is missing and full of `fill()`.
  [[nodiscard]] virtual bool read_chunk(std::span<const index_t> chunk,
                                        std::span<std::byte> decoded,
                                        std::span<std::byte> encoded) const = 0;

  /// Gathers the elements of `box`, or every step-th of them if `steps` are given, into `into`. The
  /// layout is `strides`, in elements, if they are given, else dense and row-major. Returns false
  /// if each of their chunks is missing, so that all are `fill()`.
  virtual bool read_region(const region& box, std::span<std::byte> into,
                           std::span<std::byte> decoded, std::span<std::byte> encoded,
                           std::span<const index_t> steps = {},
                           std::span<const index_t> strides = {}) const = 0;

  /// Tells whether `source` is the same array.
  [[nodiscard]] virtual bool is_same(const array_source& source) const = 0;

  /// Returns a text that identifies the present elements of the array. It changes when any chunk is
  /// written, added or removed.
  ///
  /// Complexity: a look at each chunk. Throws: store_error <- they cannot be listed.
  [[nodiscard]] virtual std::string state() const = 0;

  /// Returns how another process finds the array.
  ///
  /// Throws: value_error <- it cannot: the message names `array`, as people call it, and remedies.
  [[nodiscard]] virtual array_recipe recipe(const std::string& array) const = 0;
};

}  // namespace tessera
