// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A plan: the operations that compute some arrays, with the memory of every task known.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/plan/array_view.hpp"
#include "tessera/plan/memory_bound.hpp"
#include "tessera/plan/passes.hpp"
#include "tessera/plan/plan_cost.hpp"
#include "tessera/plan/plan_explanation.hpp"

#include <cstddef>
#include <iosfwd>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace tessera {

/// An array that a plan is asked for: into memory, or into the array at `destination`.
struct plan_output {
  array_handle array;
  std::shared_ptr<const array_destination> destination = nullptr;
};

/// The operations that compute some arrays, with the memory of every task known.
///
/// A directed acyclic graph of operations and arrays whose size depends on the number of array
/// operations, never on the number of chunks. A plan never changes once it is made; copies share
/// it. One that needs more memory than is allowed is refused; with `bound_memory` switched off it
/// is made, to be looked at, and running it is refused.
class bounded_plan {
 public:
  /// Throws: shape_error, value_error <- an output's destination does not fit the array.
  ///         value_error <- a figure of `spec.costs` is out of its range; two outputs go to one
  ///         place, or one into another. shape_error <- two outputs in one group have an axis of
  ///         one name, of extents that differ.
  ///         memory_error <- as `check_memory`, unless `bound_memory` is switched off.
  bounded_plan(std::vector<plan_output> outputs, tessera::spec spec, pass_switches passes = {},
               const plan_workers& workers = {});

  [[nodiscard]] std::size_t num_operations() const;
  [[nodiscard]] index_t num_tasks() const;
  /// Returns the greatest memory of any task: reserved memory and the live sum of its buffers.
  [[nodiscard]] bytes projected_memory() const;
  /// Returns the most memory that results and intermediates hold between tasks at any time.
  [[nodiscard]] bytes resident_memory() const;
  /// Returns the most memory that a run of the plan holds on a host at once.
  [[nodiscard]] memory_bound bound() const;
  /// Returns the decoded bytes that the tasks read from, and write to, storage.
  [[nodiscard]] bytes bytes_read() const;
  [[nodiscard]] bytes bytes_written() const;
  /// Returns the cost of a run, by the figures of the spec: on the workers that the plan was made
  /// for, or on `num_workers`.
  [[nodiscard]] plan_cost cost() const;
  [[nodiscard]] plan_cost cost(std::size_t num_workers) const;
  [[nodiscard]] const tessera::spec& spec() const;

  /// Throws: memory_error <- a task would need more than the allowed memory, or the results with
  /// one task more than the host's limit; the message names the operation, its buffers, both sizes
  /// and the remedy.
  void check_memory() const;

  /// Returns a table of the operations: tasks, projected memory, bytes read and written.
  [[nodiscard]] std::string to_string() const;

  /// Returns the explanation of the plan: reads, writes and costs of operations, placements of
  /// arrays, rewrites and refusals of passes, and the attempts that lost.
  ///
  /// Complexity: as making the plan, of which it runs the passes once more.
  [[nodiscard]] plan_explanation explain() const;

  /// Throws value_error unless the plan can be run by other processes of this program: if it calls
  /// a function object whose state no bytes describe, or if an array is in a store that they cannot
  /// find. The message names the operation or the array, and the remedies.
  void check_portable() const;

  /// Returns 32 hexadecimal digits that are equal exactly if the plan makes the same results, in
  /// whichever process of this program it is made: a hash of its operations, their kernels and
  /// parameters, of the elements in memory that it reads, of the metadata and the state (of files:
  /// names, sizes, times) of the stored arrays that it reads, and of the program. Limits
  /// and workers do not count.
  ///
  /// Complexity: one walk over the folders of the arrays that it reads, one over the elements in
  /// memory; nothing is kept.
  /// Throws: value_error <- as `check_portable`. store_error <- a folder cannot be listed.
  [[nodiscard]] std::string identity() const;

  /// Writes the plan to the file `path`, which appears as a whole or not at all; with it the
  /// elements in memory that it reads, but no stored elements. The engine is chosen at the run.
  ///
  /// Throws: value_error <- as `check_portable`, or an array lies in the memory of several
  ///         processes. store_error <- the file cannot be written.
  void save(const std::string& path) const;

  /// Returns the plan that `save` wrote to `path`. Elements that came with it stay in the file and
  /// are used there, so that it must not be changed while the plan lives.
  ///
  /// Every promise that a plan makes is checked anew, whatever the file says.
  /// Throws: value_error <- the file is no plan, is damaged, was written by another version or
  ///         another build of the program; or an array that it reads has other metadata than it was
  ///         made for. store_error <- the file cannot be read. Else as opening its arrays does.
  [[nodiscard]] static bounded_plan load(const std::string& path);

  /// Writes the graph to `path`: a picture if it ends in ".svg", Graphviz's DOT if it ends in
  /// ".dot", else a picture of the format that its ending names, by the program `dot`. Without that
  /// program the DOT is written beside.
  ///
  /// Returns: the path written. Throws: store_error <- the file cannot be written.
  std::string visualize(const std::string& path) const;

  /// The plan's inside, for the engine that runs it.
  struct implementation;
  [[nodiscard]] const implementation& inside() const { return *implementation_; }

 private:
  explicit bounded_plan(std::shared_ptr<const implementation> inside)
      : implementation_(std::move(inside)) {}

  std::shared_ptr<const implementation> implementation_;
};

/// Prints `plan.to_string()`.
std::ostream& operator<<(std::ostream& out, const bounded_plan& plan);

}  // namespace tessera
