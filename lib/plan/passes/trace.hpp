// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What passes have done to a plan, and what they have not.

#include "tessera/plan/plan_cost.hpp"

#include "plan/passes/reason.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// An operation that a pass has left as it was, though it is of its kind.
struct pass_refusal {
  std::string operation;
  std::string_view why_not;
  /// The same, with the figures that decided it.
  std::string text;
  /// The serial number of its vertex.
  std::size_t serial = 0;
};

/// An operation that a pass has changed, and how.
struct pass_rewrite {
  std::string operation;
  std::string text;
  std::size_t serial = 0;
};

/// What a pass has made of a plan.
struct pass_entry {
  std::string_view pass;
  bool is_on = true;
  /// What the plan would cost on the workers of `spec::costs`: what a pass may not raise.
  plan_cost before = {};
  plan_cost after = {};
  std::vector<pass_rewrite> rewrites = {};
  std::vector<pass_refusal> refusals = {};
};

/// An entry for each pass, in order.
using pass_trace = std::vector<pass_entry>;

}  // namespace tessera
