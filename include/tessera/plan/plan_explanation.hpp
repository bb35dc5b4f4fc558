// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a plan will do, and why.

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

/// What a plan will do, and why: the facts that it was made by, put together for people, who print
/// it, and for programs, which read its members or its JSON.
///
/// Operations, arrays and notes that are alike are told as one, with their `count`: a loop of ten
/// thousand rounds takes a few lines.
///
/// Example: `std::cout << ts::plan(anomaly).explain();`
struct plan_explanation {
  /// What a pass has made of operations, or why it has left them.
  struct note {
    std::string pass;
    /// The operation's label, or the name that it had where it is no more.
    std::string operation;
    std::string text;
    /// Whether something was done.
    bool is_done = false;
    std::size_t count = 1;
  };

  /// What the tasks of an operation read from an array, or write to one.
  struct access {
    std::string array;
    std::string place;
    std::size_t count = 1;
    /// Decoded, or in memory, without requests; nothing of what is computed where it is read.
    bytes moved{};
    index_t num_requests = 0;
    /// What is read, of what there is to be seen: more than 1 where chunks are read several times,
    /// or only in part. 0 where that is not known.
    double amplification = 0;
  };

  struct operation {
    std::string label;
    std::size_t count = 1;
    /// Whether all of these have this label.
    bool are_equal = true;
    /// Of all `count` together, on the workers of the plan.
    plan_cost cost;
    /// How often each of these has a task, for one operation.
    index_t num_rounds = 0;
    /// Its part in the work of the plan.
    double share = 0;
    index_vector domain;
    /// What a task walks, and its steps.
    index_vector block;
    index_vector step;
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

  /// An array that the plan makes.
  struct made {
    std::string name;
    std::string place;
    std::size_t count = 1;
    bytes size{};
    bool is_result = false;
    /// From the operation that makes it to the last that reads it, counted from 1.
    std::size_t first_operation = 0;
    std::size_t last_operation = 0;
    /// Why it is there.
    std::string why;
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

  plan_cost cost;
  /// The greatest memory of a task, what is reserved included, and what is allowed.
  bytes task_memory{};
  bytes allowed_memory{};
  memory_bound bound;
  std::vector<operation> operations;
  std::vector<source> sources;
  std::vector<made> arrays;
  /// In their order; nothing for a plan from a file, which does not say how it was made.
  std::optional<std::vector<pass>> passes;

  /// Returns all of it, in lines of at most 100 columns.
  [[nodiscard]] std::string to_string() const;
  /// Returns all of it as JSON: an object with members of the names above; sizes in bytes, times in
  /// seconds.
  [[nodiscard]] std::string to_json() const;
};

/// Prints `explanation.to_string()`.
std::ostream& operator<<(std::ostream& out, const plan_explanation& explanation);

}  // namespace tessera
