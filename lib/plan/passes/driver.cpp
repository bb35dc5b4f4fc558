// SPDX-License-Identifier: Apache-2.0
/// \file
/// The passes in their order.

#include "tessera/plan/passes.hpp"

#include "plan/build.hpp"
#include "plan/passes/passes.hpp"
#include "plan/passes/verify.hpp"

#include <array>
#include <string_view>

namespace tessera {

namespace {

/// A pass: its name, the switch that turns it off (null: it is a duty), and what it does.
struct named_pass {
  std::string_view name;
  bool pass_switches::*is_on;
  void (*run)(plan_graph& plan, const spec& limits);
};

constexpr named_pass fuse_into_readers{"fuse_producers", &pass_switches::fuse_producers,
                                       fuse_producers};
constexpr named_pass fuse_side_by_side{"fuse_siblings", &pass_switches::fuse_siblings,
                                       fuse_siblings};

// Fusing siblings may leave an array with one reader, which fusing producers can then drop.
constexpr std::array all_passes{
    named_pass{"cull", &pass_switches::cull, [](plan_graph& plan, const spec&) { cull(plan); }},
    fuse_into_readers,
    fuse_side_by_side,
    fuse_into_readers,
    fuse_side_by_side,
    named_pass{"split_folds", &pass_switches::split_folds,
               [](plan_graph& plan, const spec&) { split_folds(plan); }},
    named_pass{"size_blocks", &pass_switches::size_blocks, size_blocks},
    named_pass{"copy_parts", nullptr, [](plan_graph& plan, const spec&) { copy_parts(plan); }},
};

}  // namespace

void run_passes(plan_graph& plan, const spec& limits, const pass_switches& passes) {
  verify(plan, "assign_outputs");
  for (const named_pass& pass : all_passes) {
    if (pass.is_on != nullptr && !(passes.*pass.is_on)) continue;
    pass.run(plan, limits);
    verify(plan, pass.name);
  }
}

}  // namespace tessera
