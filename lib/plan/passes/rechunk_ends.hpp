// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Rechunks that begin where their elements are computed, and end where they are read.

#include "tessera/core/spec.hpp"

#include "plan/graph.hpp"
#include "plan/rechunk/route.hpp"

#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {

/// An array that is read in other blocks than it, or what it is made of, has chunks.
///
/// `maker` makes it element by element of others, and it is written in its chunks; or it is operand
/// `operand` of `reader`, which nobody else reads, and need not be. Without a maker it is there
/// already.
struct rechunk_ends {
  vertex maker = array_graph::null_vertex();
  vertex array = array_graph::null_vertex();
  vertex reader = array_graph::null_vertex();
  std::size_t operand = 0;

  [[nodiscard]] bool has_maker() const { return maker != array_graph::null_vertex(); }
  [[nodiscard]] bool has_reader() const { return reader != array_graph::null_vertex(); }
};

/// Returns the ends of what `maker` makes, with its reader where it has one that may be an end;
/// nothing where it makes anything else than elements.
[[nodiscard]] std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex maker);

/// Returns those of `array`, which is there and used by `use`; nothing where blocks are of whole
/// chunks.
[[nodiscard]] std::optional<rechunk_ends> rechunk_ends_at(const array_graph& graph, vertex array,
                                                          const use_of_array& use,
                                                          const spec& limits);

/// Copies from one end to the other: the first is the maker's, who computes on the way, the last
/// the reader's.
class rechunk_between {
 public:
  /// Returns the best of those that keep to the memory; nothing where there are none.
  [[nodiscard]] static std::optional<rechunk_between> find(const array_graph& graph,
                                                           const rechunk_ends& ends,
                                                           const spec& limits);

  /// Returns what is run, in order: maker and reader are among them.
  [[nodiscard]] const std::vector<planned_operation>& operations() const { return planned_; }
  [[nodiscard]] const rechunk_ends& ends() const { return ends_; }
  /// Returns the route that is taken, then the next best.
  [[nodiscard]] const std::vector<rechunking::route>& routes() const { return routes_; }

  /// Puts them into the graph. Where there is one, the reader's, it reads what the maker copied,
  /// and the maker is gone.
  void apply(array_graph& graph, const spec& limits) const;

 private:
  rechunk_between(const rechunk_ends& ends, rechunking::route_end end,
                  std::vector<rechunking::route> routes)
      : ends_(ends), end_(end), routes_(std::move(routes)) {}

  [[nodiscard]] const std::vector<rechunking::copy>& copies() const {
    return routes_.front().copies;
  }

  /// Tells whether the reader reads what the maker does.
  [[nodiscard]] bool is_direct() const { return ends_.has_reader() && copies().size() == 1; }
  /// Works out all operations, with arrays whose place is open where passes take them to be, or
  /// all in storage.
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
