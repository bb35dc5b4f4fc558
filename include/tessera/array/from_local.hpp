// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays of which each rank of an MPI program holds a part in memory; a part of the component
/// `mpi`.

#include "tessera/array/array.hpp"
#include "tessera/array/creation.hpp"
#include "tessera/core/spec.hpp"

#include <array>
#include <cstddef>
#include <mpi.h>
#include <optional>
#include <span>
#include <utility>

namespace tessera {

/// The layout of the part of a rank in its memory.
template <std::size_t N>
struct from_local_options {
  /// The extents of the part; not set: along each axis up to where the next part begins.
  std::optional<std::array<index_t, N>> part = std::nullopt;
  /// The distance of neighbours along each axis, in elements; not set: dense, in row-major order.
  /// Strides leave out a halo around the part.
  std::optional<std::array<index_t, N>> strides = std::nullopt;
  std::optional<tessera::spec> spec = std::nullopt;
};

namespace detail {

/// The argument of `from_local` on one rank, without its type.
struct local_elements {
  dtype type{};
  const std::byte* data = nullptr;
  std::size_t count = 0;
  index_vector shape;
  index_vector offset;
  std::optional<index_vector> part;
  std::optional<index_vector> strides;
};

/// Returns the node of the array, and writes its chunks to `layout`. Collective.
[[nodiscard]] array_handle local_node(MPI_Comm comm, const local_elements& elements,
                                      array_layout& layout);

}  // namespace detail

/// Returns the array of which each rank of `comm` holds a part: the part at `offset`, with its
/// elements at `elements`. Collective: every rank calls it, with the same shape.
///
/// Tasks run on the ranks that hold the data: an elementwise function and a reduction read the
/// parts in place, so `mean(x)` moves a few numbers. Reads across parts (other chunks, slices,
/// products) read a copy: each rank first writes its part to the work directory. Compute on an
/// executor of the same communicator, `executors::mpi(comm)`.
///
/// Shape:    `shape`; the parts together cover it, and none of them overlap. A part may be empty.
/// Chunks:   the parts, if they form a regular grid, all equal but for the last along each axis.
///           Other parts are sent around once, into a regular grid, and `elements` is free.
/// Memory:   nothing is copied if the parts form a regular grid; else the new part.
/// Requires: the elements live, and do not change, as long as the array or a result is computed.
/// Throws:   shape_error, on all ranks <- shapes differ, parts leave gaps, overlap or reach beyond
///           the array, or `elements` is not as long as its part.
template <element T, std::size_t N>
[[nodiscard]] array<T, N> from_local(MPI_Comm comm, std::span<const T> elements,
                                     const std::array<index_t, N>& shape,
                                     const std::array<index_t, N>& offset,
                                     from_local_options<N> options = {}) {
  const auto to_optional = [](const std::optional<std::array<index_t, N>>& extents) {
    return extents ? std::optional(detail::to_vector(*extents)) : std::nullopt;
  };
  array_layout layout = detail::new_layout("from_local", detail::to_vector(shape), sizeof(T),
                                           {.spec = std::move(options.spec)});
  array_handle handle =
      detail::local_node(comm,
                         {dtype_of<T>, reinterpret_cast<const std::byte*>(elements.data()),
                          elements.size(), detail::to_vector(shape), detail::to_vector(offset),
                          to_optional(options.part), to_optional(options.strides)},
                         layout);
  return {whole_of(std::move(handle)), std::move(layout)};
}
template <element T, std::size_t N>
[[nodiscard]] array<T, N> from_local(MPI_Comm comm, std::span<const T> elements,
                                     const index_t (&shape)[N], const index_t (&offset)[N],
                                     from_local_options<N> options = {}) {
  return from_local<T, N>(comm, elements, std::to_array(shape), std::to_array(offset),
                          std::move(options));
}

}  // namespace tessera
