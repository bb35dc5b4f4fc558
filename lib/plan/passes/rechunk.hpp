// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rechunks of one array: what copies, in storage or in memory, make of them.

#include "tessera/core/spec.hpp"
#include "tessera/plan/memory_bound.hpp"

#include "plan/array_storage.hpp"
#include "plan/graph.hpp"
#include "plan/rechunk/route.hpp"

#include <optional>
#include <vector>

namespace tessera {

/// Copies between must save at least this share of what is made least.
inline constexpr double least_saving = 0.1;

/// An operation that reads one array and makes one of the same shape in other chunks.
struct rechunk {
  planned_array from;
  planned_array to;
  array_storage source;
  array_storage target;
};

/// Returns what an operation rechunks, where it does nothing else to positions.
[[nodiscard]] std::optional<rechunk> rechunk_of(const array_graph& graph, vertex v,
                                                const spec& limits);

/// An operation, as copies and itself behind them.
struct staged {
  /// The one that is taken, then the next best.
  std::vector<rechunking::route> routes;
  std::vector<planned_operation> operations;

  [[nodiscard]] const std::vector<rechunking::copy>& copies() const {
    return routes.front().copies;
  }
};

/// Returns copies that are clearly better than the operation as it is; none if there are none.
[[nodiscard]] std::optional<staged> better(const rechunk& one, const operation& what, bool fits_now,
                                           const spec& limits);

/// Makes `copies` of the operation `v`.
void put_before(array_graph& graph, vertex v, const std::vector<rechunking::copy>& copies);

/// Makes the tasks of an operation walk one block, at once.
void walk_by(operation& what, const index_vector& block);

/// Returns what results, and copies in memory, hold together.
[[nodiscard]] bytes held_in_memory(const array_graph& graph);

/// A copy of the whole array into memory, in blocks of a chunk, and the operation that reads it
/// there, in blocks of a chunk that it makes.
class copy_in_memory {
 public:
  copy_in_memory(const rechunk& one, const operation& what);

  /// Tells whether the tasks keep to the allowed memory, and the host holds one of each worker
  /// besides the array and what there is in memory already.
  [[nodiscard]] bool fits(const array_graph& graph, const plan_workers& workers,
                          const spec& limits) const;
  [[nodiscard]] double merit(const costs& figures, std::size_t num_workers) const;
  void apply(array_graph& graph, vertex v) const;

 private:
  const rechunk& one_;
  operation read_;
  operation make_;
  planned_operation first_;
  planned_operation second_;
};

}  // namespace tessera
