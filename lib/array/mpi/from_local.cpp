// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/from_local.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/communicator.hpp"
#include "tessera/plan/node.hpp"

#include "array/mpi/redistribute.hpp"
#include "array/mpi/tiling.hpp"
#include "core/api/fingerprint.hpp"
#include "plan/api/distribution.hpp"

#include <algorithm>
#include <cstdint>
#include <fmt/format.h>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

namespace {

using mpi::check;

int rank_in(MPI_Comm comm) {
  int rank = 0;
  check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  return rank;
}

int size_of_comm(MPI_Comm comm) {
  int size = 0;
  check(MPI_Comm_size(comm, &size), "MPI_Comm_size");
  return size;
}

/// Throws on all ranks the problem of the first rank that has one.
void agree(MPI_Comm comm, const std::string& problem) {
  const int size = size_of_comm(comm);
  int first = problem.empty() ? size : rank_in(comm);
  check(MPI_Allreduce(MPI_IN_PLACE, &first, 1, MPI_INT, MPI_MIN, comm), "MPI_Allreduce");
  if (first == size) return;
  std::string text = problem;
  auto length = static_cast<int>(text.size());
  check(MPI_Bcast(&length, 1, MPI_INT, first, comm), "MPI_Bcast");
  text.resize(static_cast<std::size_t>(length));
  check(MPI_Bcast(text.data(), length, MPI_CHAR, first, comm), "MPI_Bcast");
  throw shape_error("from_local: " + text);
}

/// Returns `numbers` of each rank. Requires: all ranks pass the same count.
std::vector<index_vector> gather(MPI_Comm comm, const index_vector& numbers) {
  const auto count = static_cast<int>(numbers.size());
  const auto num_ranks = static_cast<std::size_t>(size_of_comm(comm));
  std::vector<index_t> gathered(numbers.size() * num_ranks);
  check(
      MPI_Allgather(numbers.data(), count, MPI_INT64_T, gathered.data(), count, MPI_INT64_T, comm),
      "MPI_Allgather");
  std::vector<index_vector> rows;
  for (auto row = gathered.begin(); rows.size() < num_ranks; row += count) {
    rows.emplace_back(row, row + count);
  }
  return rows;
}

/// Returns the parts that the ranks state, after a check that all state the same array.
std::vector<mpi::stated_part> gather_parts(MPI_Comm comm, const detail::local_elements& mine) {
  std::optional<index_vector> part = mine.part;
  if (!part && mine.count == 0) part = index_vector(mine.shape.size(), 0);
  const index_vector unknown(mine.shape.size(), -1);
  const std::vector<index_vector> shapes = gather(comm, mine.shape);
  const std::vector<index_vector> offsets = gather(comm, mine.offset);
  const std::vector<index_vector> extents = gather(comm, part.value_or(unknown));
  const auto differs = [&mine](const index_vector& shape) { return shape != mine.shape; };
  const bool has_other = std::any_of(shapes.begin(), shapes.end(), differs);
  agree(comm, has_other ? "the ranks state different shapes" : "");
  std::vector<mpi::stated_part> parts;
  for (std::size_t rank = 0; rank < shapes.size(); ++rank) {
    parts.push_back({offsets[rank], std::nullopt});
    if (extents[rank] != unknown) parts.back().extents = extents[rank];
  }
  return parts;
}

/// Returns the reason for which the elements do not fit `box`, or "".
std::string problem_of(const detail::local_elements& mine, const region& box,
                       const index_vector& strides, int rank) {
  if (box.empty()) return {};
  index_t last = 0;
  for (std::size_t axis = 0; axis < strides.size(); ++axis) {
    if (strides[axis] < 0) {
      return fmt::format("rank {} has the negative stride {}", rank, strides[axis]);
    }
    last += (box.stop[axis] - box.start[axis] - 1) * strides[axis];
  }
  const bool is_dense = !mine.strides;
  const auto count = static_cast<index_t>(mine.count);
  if (is_dense ? count == last + 1 : count > last) return {};
  return fmt::format("rank {} has {} elements for {}, which takes {}{}", rank, count,
                     format_region(box), is_dense ? "" : "at least ", last + 1);
}

/// Returns a checksum of the elements of `box`, for the array's identity. Collective.
///
/// A sum over the ranks, so that it is equal on all of them.
std::string identity_of(MPI_Comm comm, const mpi::part_in_memory& part, const region& box,
                        std::size_t itemsize) {
  fingerprint hash;
  hash.add(format_region(box));
  index_vector extents = box.empty() ? index_vector(box.rank(), 0) : box.shape();
  if (!box.empty()) {
    const index_t row = extents.empty() ? 1 : std::exchange(extents.back(), 1);
    const index_t step = extents.empty() ? 1 : part.strides.back();
    const auto size = static_cast<index_t>(itemsize);
    index_vector position(extents.size());
    do {
      const std::byte* first = part.data + offset_of(position, part.strides) * size;
      if (step == 1) {
        hash.add(std::span(first, static_cast<std::size_t>(row) * itemsize));
        continue;
      }
      for (index_t i = 0; i < row; ++i) hash.add(std::span(first + i * step * size, itemsize));
    } while (next_position(position, extents));
  }
  std::array<std::uint64_t, 2> sum = hash.words();
  check(MPI_Allreduce(MPI_IN_PLACE, sum.data(), 2, MPI_UINT64_T, MPI_SUM, comm), "MPI_Allreduce");
  return fmt::format("{:016x}{:016x}", sum[0], sum[1]);
}

/// Returns the regular grid to which elements are sent if they form no regular grid.
mpi::rank_grid new_grid(const index_vector& shape, int num_ranks) {
  std::vector<int> divisions(shape.size(), 0);
  check(MPI_Dims_create(num_ranks, static_cast<int>(divisions.size()), divisions.data()),
        "MPI_Dims_create");
  return mpi::even_grid(shape, divisions);
}

std::vector<region> boxes_of(const mpi::rank_grid& by_rank, std::size_t num_ranks) {
  const index_vector nothing(by_rank.grid.rank(), 0);
  std::vector<region> boxes(num_ranks, region{nothing, nothing});
  for (std::size_t chunk = 0; chunk < by_rank.holders.size(); ++chunk) {
    boxes[by_rank.holders[chunk]] =
        by_rank.grid.chunk_region(by_rank.grid.chunk_at(static_cast<index_t>(chunk)));
  }
  return boxes;
}

}  // namespace

array_handle detail::local_node(MPI_Comm comm, const local_elements& elements,
                                array_layout& layout) {
  const auto rank = static_cast<std::size_t>(rank_in(comm));
  const auto num_ranks = static_cast<std::size_t>(size_of_comm(comm));
  const std::size_t itemsize = size_of(elements.type);
  std::vector<region> boxes = mpi::boxes_of(layout.shape, gather_parts(comm, elements));
  mpi::part_in_memory part{elements.data,
                           elements.strides.value_or(row_major_strides(boxes[rank].shape()))};
  agree(comm, problem_of(elements, boxes[rank], part.strides, static_cast<int>(rank)));
  agree(comm, mpi::problem_of(layout.shape, boxes));

  std::shared_ptr<std::byte[]> owner;
  std::optional<mpi::rank_grid> by_rank = mpi::regular_grid(layout.shape, boxes);
  if (!by_rank) {
    by_rank = new_grid(layout.shape, static_cast<int>(num_ranks));
    const std::vector<region> after = boxes_of(*by_rank, num_ranks);
    owner = mpi::redistribute(comm, itemsize, part, boxes, after);
    part = {owner.get(), row_major_strides(after[rank].shape())};
    boxes = after;
  }
  layout.chunks = by_rank->grid.chunks();
  layout.is_automatic = false;
  auto parts = std::make_shared<const distribution>(
      distribution{by_rank->grid, std::move(by_rank->holders), num_ranks, boxes[rank],
                   identity_of(comm, part, boxes[rank], itemsize)});
  return std::make_shared<const array_node>(
      array_node{elements.type, layout.shape, layout.chunks, "local",
                 memory_source{std::move(owner), part.data, part.strides, std::move(parts)}});
}

}  // namespace tessera
