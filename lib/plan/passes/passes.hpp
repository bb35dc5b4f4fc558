// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The passes of the planner and their order: each changes a graph so that it computes the same and
/// costs no more.

#include "tessera/core/spec.hpp"
#include "tessera/plan/memory_bound.hpp"
#include "tessera/plan/passes.hpp"

#include "plan/buffers.hpp"
#include "plan/graph.hpp"
#include "plan/passes/reason.hpp"
#include "plan/passes/trace.hpp"

#include <array>
#include <string_view>
#include <vector>

namespace tessera {

/// What passes know besides the graph, and where they say what they leave.
struct pass_context {
  const spec& limits;
  pass_entry* entry = nullptr;  ///< null: nobody asks
  /// Those in whose memory arrays between operations may be; null: they go to storage.
  const plan_workers* workers = nullptr;
  bool* has_changed = nullptr;  ///< set where an operation is changed; null: nobody asks

  /// Notes that the pass leaves operation `v` as it is; null is no reason.
  void leave(const array_graph& graph, vertex v, const reason& why_not) const {
    if (entry == nullptr || why_not == nullptr) return;
    entry->refusals.push_back(
        {operation_at(graph, v).name, why_not.why(), why_not.text(), graph[v].serial});
  }

  /// The same with what `why_not()` returns, which takes a while to find.
  template <class Why>
  requires requires(Why why) { reason(why()); }
  void leave(const array_graph& graph, vertex v, Why why_not) const {
    if (entry != nullptr) leave(graph, v, reason(why_not()));
  }

  /// Notes that the pass has changed something, be it that no words are lost about it.
  void note_change() const {
    if (has_changed != nullptr) *has_changed = true;
  }

  /// Notes that the pass has changed operation `v`, and how: what `text()` returns.
  template <class Text>
  void tell(const array_graph& graph, vertex v, Text text) const {
    note_change();
    if (entry == nullptr) return;
    entry->rewrites.push_back({operation_at(graph, v).name, text(), graph[v].serial});
  }
};

/// Returns that a task of `planned` would take more than is allowed.
[[nodiscard]] inline reason too_large(const planned_operation& planned, const spec& limits) {
  return {"a task would need too much memory", "{}, and {} are allowed (spec.allowed_memory)",
          task_memory(planned, limits), limits.allowed_memory};
}

/// Returns that `after` would be read, which is more than `before`.
[[nodiscard]] inline reason reads_more(bytes after, bytes before) {
  return {"more would be read", "{} in place of {}", after, before};
}

/// Drops what no requested array is computed from.
///
/// keep(v) = v is requested, or some w with v -> w is kept, or v is an output of a kept operation.
void cull(plan_graph& plan, const pass_context& context);

/// Makes structurally equal vertices one (hash-consing).
///
/// v = w if what they are is equal, and their inputs are equal one by one.
void share(plan_graph& plan, const pass_context& context);

/// Gives each output an array of its own that an operation computes, adding copies where one is
/// missing: for sources, for arrays that go to two places, for chunks that no task makes whole.
///
/// Not a choice but a duty.
void assign_outputs(plan_graph& plan, const pass_context& context);

/// Makes what is copied into coarser chunks, as it is stored, in these, and has it read there.
///
/// y, z = copy(y), f(y) -> z, f(z): f may then be a level of z. Applies where nobody asked for y,
/// where all who read it can take larger blocks, where a task keeps to the allowed memory, and
/// where all together cost no more.
void take_chunks(plan_graph& plan, const pass_context& context);

/// Makes of an array what is read of it, and nothing else.
///
/// f(x)(a:b) = f(x(a:b)): backwards from what was asked for, the blocks that nobody reads are left
/// out. What was asked for is made whole. Parts that lie far apart are made apart.
void crop(plan_graph& plan, const pass_context& context);

/// Does so but for operations that read what another reads as a whole: the two may walk as one.
void crop_apart(plan_graph& plan, const pass_context& context);

/// Takes the program of an elementwise producer into the operation that reads its array.
///
/// f(g(x)) for y = g(x), f(y): y is not stored. Applies where nothing else needs y, where f reads
/// each element of y at most once, and where reading x in its place moves no more bytes.
void fuse_producers(plan_graph& plan, const pass_context& context);

/// Takes the program of an elementwise producer into each of several operations that read its
/// array.
///
/// f(g(x)), h(g(x)) for y = g(x), f(y), h(y): y is neither stored nor read. Applies where each of
/// them can take it and keeps to the memory, where all together do less work so, and where the host
/// has no room for y.
void duplicate(plan_graph& plan, const pass_context& context);

/// Makes one operation of two that walk the same domain and read a same input.
///
/// (f(x, y), g(x, z)) -> (f, g)(x, y, z): x is read once. Applies where neither needs the other's
/// result and where both together keep to the allowed memory; where they walk alike, or where one
/// folds and each of its steps makes whole chunks of what the other makes, or where both fold, over
/// unlike axes, and take the same steps.
void fuse_siblings(plan_graph& plan, const pass_context& context);

/// Lets the operation that first reads a stored array put it into the host's memory, where those
/// read it that need what the first makes.
///
/// (g(x), f(x, g(x))) -> ((g, id)(x), f(x', g(x))): x is read from storage once. Applies where the
/// spec says what the host may hold, which has room for x beside the tasks, and where less work is
/// done so.
void keep(plan_graph& plan, const pass_context& context);

/// Cuts a fold into parts that run side by side, and folds their states, level by level.
///
/// fold(x) = combine(partial(x_1), ..., partial(x_n)). A part is a run of leaves; how many it has,
/// how many states are combined at once, and in which pieces, is what takes `costs::workers` least.
/// Applies where the states of all parts are small against x. Where x lies in the memory of several
/// processes, its parts are those.
void split_folds(plan_graph& plan, const pass_context& context);

/// Cuts a scan with few tasks at its leaves into parts that run side by side.
///
/// scan(x) = seeded(x, seeds(totals(x_1), ..., totals(x_n))). Applies where leaves are large and
/// their states small against x, which is read twice then, and where `costs::workers` gain by it.
/// The bits are those of the one walk.
void cut_scans(plan_graph& plan, const pass_context& context);

/// Tells whether `cut_scans` cuts operation `v`.
[[nodiscard]] bool is_scan_to_cut(const array_graph& graph, vertex v, const spec& limits);

/// Takes a function, element by element, of what a fold, a scan or a function of blocks makes into
/// that; and of what a map makes, where a task does not hold the operands of both at once.
///
/// f(y, z) for y = g(x): y leaves no task. Applies where nothing else needs y, where the results
/// lie in its chunks, and where reading z there moves no more bytes.
void fuse_epilogues(plan_graph& plan, const pass_context& context);

/// Computes a function of a fold's results and of what is folded where a task has its block.
///
/// f(x, g(x)), of lines of x: a task reads them once, folds them and computes f of them where they
/// lie. Applies where nothing else needs g(x), where a block with all that is reduced keeps to the
/// allowed memory, where less is read, and where as many workers have a task.
void hold(plan_graph& plan, const pass_context& context);

/// Cuts blocks, where their primitive lets it, until a task keeps to the allowed memory.
///
/// y = f(x), of lines of x: y is made in smaller chunks, and copied where others were asked for. Of
/// an x whose chunks tasks would read again and again, a copy is read, in chunks of what one takes.
void cut_blocks(plan_graph& plan, const pass_context& context);

/// Returns how many tasks `split_folds` leaves a fold, which reads no array in several parts.
[[nodiscard]] index_t tasks_when_split(const operation& fold);

/// Returns with how many tasks at most an operation on the elements that `what` walks gains by
/// workers.
[[nodiscard]] index_t worthwhile_tasks(const operation& what);

/// Makes blocks larger than a chunk, where their primitive lets it, and where fewer chunks are read
/// twice then.
///
/// Applies as long as that costs less, tasks for all workers counted, and a task keeps to the
/// allowed memory.
void size_blocks(plan_graph& plan, const pass_context& context);

/// Returns the walk that `size_blocks` gives `what`, which makes `outputs` of `inputs`.
[[nodiscard]] walk walk_when_sized(const array_graph& graph, const operation& what,
                                   const few<vertex>& inputs, const few<vertex>& outputs,
                                   const spec& limits);

/// Makes functions of what was asked for, and of coarser elements of that, where it is made.
///
/// y, f(y), g(f(y)) for y = h(x), of which all are stored: a task that has made its block of y
/// makes of it what f and g make before it leaves, and y is not read again. Applies where f reads
/// nothing else, and others of its elements for each of its own: means of 2 x 2, every third.
/// Blocks get larger where it takes that to make whole chunks of all; a task keeps to the allowed
/// memory.
void fuse_levels(plan_graph& plan, const pass_context& context);

/// Puts copies between an array and an operation that would read its chunks again and again, as it
/// makes others or takes other blocks.
///
/// x in chunks c -> y in chunks d becomes copies in between, whose blocks hold whole chunks on both
/// sides; or x in memory, as a whole, where there is room for it. What y is computed by is the
/// first of them or the last, whichever copies fewer bytes; and an operation that alone reads y
/// takes the last blocks itself, so that y is never made. Applies where seconds of all tasks fall,
/// more copies counted.
void stage_rechunks(plan_graph& plan, const pass_context& context);

/// Lets operations read an array in the memory of several processes from a copy, unless each of
/// their tasks finds all that it reads in one process.
///
/// Not a choice but a duty: nobody can read the memory of another process.
void copy_parts(plan_graph& plan, const pass_context& context);

/// A pass: its name, the switch that turns it off (null: it is a duty), and what it does.
struct named_pass {
  std::string_view name;
  bool pass_switches::*is_on;
  void (*run)(plan_graph& plan, const pass_context& context);
};

inline constexpr named_pass fuse_into_readers{"fuse_producers", &pass_switches::fuse_producers,
                                              fuse_producers};
inline constexpr named_pass fuse_side_by_side{"fuse_siblings", &pass_switches::fuse_siblings,
                                              fuse_siblings};

/// Up to this pass nothing depends on what the plan may use: what there is then is what was asked.
inline constexpr std::string_view last_before_choices = "cull";

/// All passes in their order. Fusing siblings may leave an array with one reader, which fusing
/// producers can then drop; what several read that walk apart may be made by each of them, which
/// then may walk with others. What could have been fused with what is read as a whole, and was not,
/// is cropped then.
inline constexpr std::array all_passes{
    named_pass{"share", &pass_switches::share, share},
    named_pass{"assign_outputs", nullptr, assign_outputs},
    named_pass{"cull", &pass_switches::cull, cull},
    named_pass{"take_chunks", &pass_switches::fuse_levels, take_chunks},
    named_pass{"crop", &pass_switches::crop, crop_apart},
    fuse_into_readers,
    fuse_side_by_side,
    named_pass{"duplicate", &pass_switches::duplicate, duplicate},
    fuse_into_readers,
    fuse_side_by_side,
    named_pass{"crop", &pass_switches::crop, crop},
    named_pass{"hold", &pass_switches::fuse_epilogues, hold},
    named_pass{"keep", &pass_switches::keep, keep},
    named_pass{"split_folds", &pass_switches::split_folds, split_folds},
    named_pass{"cut_scans", &pass_switches::cut_scans, cut_scans},
    named_pass{"fuse_epilogues", &pass_switches::fuse_epilogues, fuse_epilogues},
    named_pass{"cut_blocks", &pass_switches::cut_blocks, cut_blocks},
    named_pass{"size_blocks", &pass_switches::size_blocks, size_blocks},
    named_pass{"fuse_levels", &pass_switches::fuse_levels, fuse_levels},
    named_pass{"stage_rechunks", &pass_switches::stage_rechunks, stage_rechunks},
    named_pass{"copy_parts", nullptr, copy_parts},
};

}  // namespace tessera
