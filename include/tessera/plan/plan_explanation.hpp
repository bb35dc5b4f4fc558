// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Explanations of plans: work, placements and decisions.

#include "tessera/core/bytes.hpp"
#include "tessera/core/index.hpp"
#include "tessera/plan/memory_bound.hpp"
#include "tessera/plan/plan_cost.hpp"

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

/// The explanation of a plan: the work of its operations, the placement of its arrays, and the
/// decisions of the planner. People print it; programs read its members or its JSON.
///
/// Operations, arrays and notes that are alike are told as one, with their `count`: a loop of ten
/// thousand rounds takes a few lines.
///
/// Example: `std::cout << ts::plan(anomaly).explain();`
struct plan_explanation {
  /// The rewrite of an operation by a pass, or the refusal to rewrite it.
  struct note {
    std::string pass;
    /// The operation's label, or the former name of an operation that was removed.
    std::string operation;
    std::string text;
    /// Whether the operation was rewritten.
    bool is_done = false;
    std::size_t count = 1;
  };

  /// The reads of an array, or the writes to one, by the tasks of an operation.
  struct access {
    std::string array;
    std::string place;
    std::size_t count = 1;
    /// Decoded bytes, or bytes of memory without requests. Generated elements do not count.
    bytes moved{};
    index_t num_requests = 0;
    /// The bytes read per byte needed: more than 1 if chunks are read several times, or needed only
    /// in part. 0 if it is unknown.
    double amplification = 0;
  };

  /// A stage of an operation: a product, say, that a fold takes in as it is computed.
  struct stage {
    std::string label;
    /// The part of a task that the stage computes at once: "step", "sweep" or "task".
    std::string scope;
    /// Its work buffers, and its outputs that never leave the task.
    bytes buffers{};
  };

  struct operation {
    std::string label;
    /// The number in the plan's order, from 0, of each operation that this entry tells of.
    std::vector<std::size_t> numbers = {};
    std::size_t count = 1;
    /// Whether all of these have this label.
    bool are_equal = true;
    /// Of all `count` together, on the workers of the plan.
    plan_cost cost;
    /// The number of tasks for each worker, for one operation.
    index_t num_rounds = 0;
    /// Its part in the work of the plan.
    double share = 0;
    index_vector domain;
    /// The part of the domain of one block, and of one step.
    index_vector block;
    index_vector step;
    /// The blocks that a task takes, one after the other.
    index_t blocks_per_task = 1;
    /// In the order of their runs; nothing if the operation is one stage alone.
    std::vector<stage> stages = {};
    std::vector<access> reads = {};
    std::vector<access> writes = {};
    std::vector<note> notes = {};
  };

  /// An array that is read from outside of the plan.
  struct source {
    std::string name;
    std::string place;
    std::size_t count = 1;
    bytes size{};
    /// Decoded, of all operations, and over `size`.
    bytes bytes_read{};
    double times_read = 0;
    std::size_t num_readers = 0;
  };

  /// An array that the plan computes.
  struct computed_array {
    std::string name;
    std::string place;
    std::size_t count = 1;
    bytes size{};
    bool is_result = false;
    /// The number of the operation that writes it, and of the last one that reads it.
    std::size_t first_operation = 0;
    std::size_t last_operation = 0;
    /// The reason for its place.
    std::string reason;
  };

  struct pass {
    std::string name;
    bool is_on = true;
    /// The whole plan, on the workers of `spec::costs`.
    plan_cost before;
    plan_cost after;
    /// Of operations that are no more.
    std::vector<note> notes = {};
  };

  /// An attempt at the plan: the planner makes some with fewer passes, or less memory for a task.
  struct attempt {
    /// The passes and limits of the attempt: "all passes that are on, but keep".
    std::string passes;
    bool is_chosen = false;
    /// The reason for which another attempt was chosen, with its figures.
    std::string why_lost;
    std::size_t count = 1;
  };

  plan_cost cost;
  /// The greatest memory of a task, reserved memory included, and the allowed memory.
  bytes task_memory{};
  bytes allowed_memory{};
  memory_bound bound;
  std::vector<operation> operations;
  std::vector<source> sources;
  std::vector<computed_array> arrays;
  /// In their order; nothing for a plan from a file, which does not say how it was made.
  std::optional<std::vector<pass>> passes;
  /// In their order; `passes` tells of the chosen one. Empty for a plan from a file.
  std::vector<attempt> attempts;

  /// Returns all of it, in lines of at most 100 columns.
  [[nodiscard]] std::string to_string() const;
  /// Returns all of it as JSON: an object with members of the names above; sizes in bytes, times in
  /// seconds.
  [[nodiscard]] std::string to_json() const;
};

/// Prints `explanation.to_string()`.
std::ostream& operator<<(std::ostream& out, const plan_explanation& explanation);

}  // namespace tessera
