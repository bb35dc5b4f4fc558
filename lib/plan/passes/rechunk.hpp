// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rechunks of one array, and their rewrites into several copies in storage or one in memory.

#include "tessera/core/spec.hpp"
#include "tessera/plan/memory_bound.hpp"

#include "plan/array_storage.hpp"
#include "plan/graph.hpp"
#include "plan/rechunk/route_cache.hpp"

#include <optional>
#include <vector>

namespace tessera {

/// An operation that reads one array and computes one of the same shape in other chunks.
struct rechunk {
  planned_array from;
  planned_array to;
  array_storage source;
  array_storage target;
};

/// Returns the rechunk that operation `v` does, or nullopt if it moves elements or reads several
/// arrays.
[[nodiscard]] std::optional<rechunk> rechunk_of(const array_graph& graph, vertex v,
                                                const spec& limits);

/// A rechunk in stages: copies, and the operation itself as the last of them.
struct staged {
  /// The best route, then the next best.
  std::vector<rechunking::route> routes;
  std::vector<planned_operation> operations;

  [[nodiscard]] const std::vector<rechunking::copy>& copies() const {
    return routes.front().copies;
  }
};

/// Returns the stages that are clearly better than operation `op`, or nullopt if there are none.
[[nodiscard]] std::optional<staged> find_better(const rechunk& original, const operation& op,
                                                bool fits_now, const spec& limits,
                                                rechunking::route_cache& cache);

/// Inserts `copies` before operation `v`, which becomes the last of them.
void put_before(array_graph& graph, vertex v, const std::vector<rechunking::copy>& copies);

/// Sets block and step of an operation to `block`.
void set_blocks(operation& op, const index_vector& block);

/// Returns the size of the results and copies that are in memory.
[[nodiscard]] bytes count_bytes_in_memory(const array_graph& graph);

/// A rechunk by a copy of the whole array in memory: the copy goes by chunks of the source, and the
/// operation that reads it by chunks of its output.
class copy_in_memory {
 public:
  copy_in_memory(const rechunk& original, const operation& op);

  /// Tells whether the tasks keep to the allowed memory, and the host's memory holds one task of
  /// each worker beside the array and the arrays that are in memory already.
  [[nodiscard]] bool fits(const array_graph& graph, const plan_workers& workers,
                          const spec& limits) const;
  [[nodiscard]] double merit(const costs& figures, std::size_t num_workers) const;
  void apply(array_graph& graph, vertex v) const;

 private:
  const rechunk& rechunk_;
  operation read_;
  operation make_;
  planned_operation first_;
  planned_operation second_;
};

}  // namespace tessera
