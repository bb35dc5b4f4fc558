// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rechunks from the producer of an array to its reader.

#include "tessera/core/spec.hpp"

#include "plan/graph.hpp"
#include "plan/rechunk/route.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

/// An array whose chunks align neither with the chunks of its source nor with the blocks of its
/// reader.
///
/// `producer` computes it element by element; null: the array is stored. `reader` is its only
/// reader, with the array as operand `operand`, so that the array itself need not be written; null:
/// the array is written in its chunks.
struct rechunk_ends {
  vertex producer = array_graph::null_vertex();
  vertex array = array_graph::null_vertex();
  vertex reader = array_graph::null_vertex();
  std::size_t operand = 0;

  [[nodiscard]] bool has_producer() const { return producer != array_graph::null_vertex(); }
  [[nodiscard]] bool has_reader() const { return reader != array_graph::null_vertex(); }
};

/// Returns the ends of the output of `producer`, with its only reader if that may be an end;
/// nullopt unless `producer` is elementwise.
[[nodiscard]] std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph,
                                                          vertex producer);

/// Returns the ends of the stored `array` and one use of it, or nullopt if blocks of the reader
/// hold whole chunks.
[[nodiscard]] std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex array,
                                                          const use_of_array& use,
                                                          const spec& limits);

/// The copies from one end to the other. The producer is the first of them and computes on the way;
/// the reader is the last.
class rechunk_between {
 public:
  /// Returns the best copies that keep to the memory, or nullopt if there are none.
  [[nodiscard]] static std::optional<rechunk_between> find(const array_graph& graph,
                                                           const rechunk_ends& ends,
                                                           const spec& limits);

  /// Returns the operations in order, producer and reader included.
  [[nodiscard]] const std::vector<planned_operation>& operations() const { return planned_; }
  [[nodiscard]] const rechunk_ends& ends() const { return ends_; }
  /// Returns the best route, then the next best.
  [[nodiscard]] const std::vector<rechunking::route>& routes() const { return routes_; }

  /// Rewrites the graph. If the reader is the only copy, it reads the input of the producer, and
  /// the producer is removed.
  void apply(array_graph& graph, const spec& limits) const;

 private:
  rechunk_between(const rechunk_ends& ends, rechunking::route_end end,
                  std::vector<rechunking::route> routes)
      : ends_(ends), end_(end), routes_(std::move(routes)) {}

  [[nodiscard]] const std::vector<rechunking::copy>& copies() const {
    return routes_.front().copies;
  }

  /// Tells whether the reader reads the input of the producer.
  [[nodiscard]] bool is_direct() const { return ends_.has_reader() && copies().size() == 1; }
  /// Returns the planned operations, with arrays of open placement in memory if they fit, or all in
  /// storage.
  [[nodiscard]] std::vector<planned_operation> plan(const array_graph& graph, const spec& limits,
                                                    bool are_all_stored) const;
  [[nodiscard]] operation first(const array_graph& graph) const;
  [[nodiscard]] operation last(const array_graph& graph) const;
  [[nodiscard]] planned_array between(const array_graph& graph, std::size_t copy,
                                      const spec& limits) const;

  rechunk_ends ends_;
  rechunking::route_end end_;
  std::vector<rechunking::route> routes_;
  std::vector<planned_operation> planned_;
};

}  // namespace tessera
