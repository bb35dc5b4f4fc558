// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Random programs with intermediates in the host's memory, or in storage, so that both suffice:
/// for all engines.

#include "tessera/array/array.hpp"
#include "tessera/core/bytes.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/scheduler/executor.hpp"

#include "plan/graph.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace tessera::testing {

/// A random program, which can be planned under several limits.
struct random_program {
  std::vector<std::array<std::size_t, 3>> steps;
  std::vector<index_t> chunks;

  [[nodiscard]] array<double, 1> under(const spec& limits) const;
};

/// A generator for properties of RapidCheck.
[[nodiscard]] random_program any_program();

/// Returns the same program wherever it is asked for.
[[nodiscard]] random_program program_of(std::uint64_t seed);

/// Returns the memory that a plan holds, worked out from its operations alone: each runs whole, one
/// after the other.
[[nodiscard]] bytes most_memory(const bounded_plan::implementation& plan);

struct placement {
  /// The plan was refused before it ran: a task, or the host, would need too much memory.
  bool is_refused = false;
  /// Whether any array that is computed is in memory, and any between operations in storage.
  bool holds_arrays = false;
  bool stores_arrays = false;
  /// The first mistake; empty if there is none.
  std::string fault;
};

/// Plans and runs `program` on `engine`, in `limits`, of which the host's memory is one.
[[nodiscard]] placement place(const random_program& program, const spec& limits,
                              const std::shared_ptr<executor>& engine);

}  // namespace tessera::testing
