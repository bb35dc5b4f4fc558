// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The trace of passes: rewrites, refusals and costs.

#include "tessera/plan/plan_cost.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// A refusal: a pass left an operation unchanged that it could apply to.
struct pass_refusal {
  std::string operation;
  /// The rule, with the names of the operations and the figures.
  std::string text;
  /// The serial number of its vertex.
  std::size_t serial = 0;
  /// That of the other operation, of a rewrite of two.
  std::optional<std::size_t> partner = std::nullopt;
  /// Whether the text has figures: the rewrite is possible, and costs too much.
  bool has_figures = false;
};

/// A rewrite of an operation by a pass.
struct pass_rewrite {
  std::string operation;
  std::string text;
  std::size_t serial = 0;
};

/// The effect of one pass on a plan.
struct pass_entry {
  std::string_view pass;
  bool is_on = true;
  /// The cost of the plan on the workers of `spec::costs`, which a pass must not raise.
  plan_cost before = {};
  plan_cost after = {};
  std::vector<pass_rewrite> rewrites = {};
  std::vector<pass_refusal> refusals = {};
};

/// An entry for each pass, in order.
using pass_trace = std::vector<pass_entry>;

}  // namespace tessera
