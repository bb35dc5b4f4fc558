// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Where the elements of an array come from, as plans and tasks see it.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/region.hpp"

#include <cstddef>
#include <span>
#include <string>

namespace tessera {

/// What it takes to move one chunk between memory and where it is stored.
struct chunk_cost {
  /// The bytes of a whole chunk, overhang included, as it is in memory.
  std::size_t decoded = 0;
  /// The most bytes that it has as it is stored; zero where that is how it is in memory.
  std::size_t encoded = 0;
  /// The bytes in which it is laid out anew before it is encoded; zero where it need not be.
  std::size_t scratch = 0;
  /// The most bytes that a codec allocates by itself.
  std::size_t workspace = 0;
  /// How often the store is asked.
  index_t requests = 1;
  /// Whether of a chunk, as it is stored, what lies between the first and the last element that is
  /// wanted is read, and no more.
  bool has_ranges = false;
};

/// How another process of the same program finds an array.
struct array_recipe {
  /// The name under which `register_array_kind` knows how.
  std::string kind;
  /// JSON, an object.
  std::string content;
  /// JSON of what does not tell the array from another, such as what its axes are called; may be
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

  /// Gathers the elements of `box`, of which every step-th is kept where `steps` are given, into
  /// `into`: by `strides`, in elements, where they are given, else dense and row-major. Returns
  /// false if each of their chunks is missing, so that all are `fill()`.
  virtual bool read_region(const region& box, std::span<std::byte> into,
                           std::span<std::byte> decoded, std::span<std::byte> encoded,
                           std::span<const index_t> steps = {},
                           std::span<const index_t> strides = {}) const = 0;

  /// Tells whether `other` is the same array.
  [[nodiscard]] virtual bool is_same(const array_source& other) const = 0;

  /// Returns a text that tells what the array holds now from what it holds later, when any of its
  /// chunks has been written, added or removed.
  ///
  /// Complexity: a look at each chunk. Throws: store_error <- they cannot be listed.
  [[nodiscard]] virtual std::string state() const = 0;

  /// Returns how another process finds the array.
  ///
  /// Throws: value_error <- it cannot: the message names `array`, as people call it, and remedies.
  [[nodiscard]] virtual array_recipe recipe(const std::string& array) const = 0;
};

}  // namespace tessera
