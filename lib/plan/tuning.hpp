// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The constants by which the planner searches and chooses.

#include "tessera/core/index.hpp"
#include "tessera/core/spec.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

/// The constants of the planner. None depends on the machine, so that a program has the same plan
/// everywhere. Limits of formats, and figures of the cost model (`costs`), are elsewhere.
struct planner_tuning {
  // Search among plans.

  /// Plans of more requested operations are not searched, as each attempt takes long.
  std::size_t most_replanned = 200;
  /// Plans with shorter runs are not searched, as no gain would pay for the attempts.
  costs::seconds least_replanned{1};
  /// A move of the search is tried at most so often.
  int most_tries = 4;
  /// The search for a better plan ends when its attempts have priced this many pairs of operands.
  std::size_t most_pairs_of_search = 20'000'000;
  /// If results leave tasks less memory, a plan is made anew at most so often.
  int most_bounded_attempts = 3;
  /// The memory that is named to a refused program is enlarged at most so often.
  int most_enlargements = 16;
  /// This part of a named memory is added to it: with more memory, lowering may choose another
  /// program, by an estimate without small buffers.
  std::uint64_t share_of_lowering = 32;
  /// No array is materialized for a plan that moves at most this many bytes for each byte of its
  /// inputs and results, as the best plan moves about as many.
  double good_excess = 1.5;
  /// At most this many arrays are tried to be materialized, the smallest ones.
  std::size_t most_materialized = 16;
  /// A plan may price this many operands, however small it is.
  std::size_t base_budget = 100'000;
  /// A plan may price this many operands more for each array and operation.
  std::size_t budget_per_vertex = 400;
  /// Graphs of at most this many vertices are verified after each pass, which takes less time than
  /// planning them.
  std::size_t most_verified_often = 2000;
  /// The places of arrays are chosen at most so often, as each choice changes the needs of tasks.
  int most_placements = 4;

  // Inlining and siblings.

  /// A windowed reader may read this share of its input again, and take so much longer, if blocks
  /// of the operand need not be kept or stored in return.
  double most_read_again_merged = 0.25;
  /// An operation reads at most this many views of one array: a stencil that is applied k times has
  /// O(k^d) views, and pricing takes time in proportion.
  std::size_t most_views = 128;
  /// A program has at most this many steps: appending a step copies the program, so that assembly
  /// is quadratic.
  std::size_t most_program_steps = 128;
  /// One task crosses at most this many pieces of an assembly.
  std::size_t most_pieces = 8192;
  /// A stored array needs at most this many buffers of its size: decoded and encoded chunks, and
  /// the scratch of the codec.
  std::size_t buffers_of_stored = 4;
  /// An operation has at most this many outputs: with more, the shared reads are small beside the
  /// writes.
  std::size_t most_results = 512;
  /// Producers are inlined in batches into readers of at least so many arrays.
  std::size_t least_batched_operands = 16;
  /// The search for siblings of an operation ends after this many refusals in a row.
  std::size_t most_refusals = 16;
  /// A task computes at most this many levels of a pyramid, as each new level prices all levels
  /// anew.
  std::size_t most_levels = 64;
  /// The search for a path between operations visits this many vertices for each one of the graph.
  std::size_t visits_per_vertex = 64;
  /// That search visits this many vertices in any graph.
  std::size_t extra_visits = 1 << 16;

  // Regions.

  /// Regions that are needed of one array are joined if their hull has at most this many elements
  /// for each needed one.
  double most_not_needed = 2;
  /// Uses of an array are grouped by regions up to this number, as each pair is compared.
  std::size_t most_cropped_uses = 64;

  // Blocks and sweeps.

  /// A new schedule must save at least this share of the cost, or of the reads and `least_gain`.
  double least_saving_of_blocks = 0.1;
  /// A sweep is widened until at most this share of the chunks is read again.
  double most_read_again_in_sweeps = 0.25;
  /// Operations of more operands, whose prices take long, are not priced in larger blocks if a
  /// sweep is clearly cheaper.
  std::size_t most_compared_operands = 16;
  /// Passes that try fused operations of more operands price them in their present blocks: a
  /// stencil that is applied k times has O(k^d) operands, and would compute each element O(k^d)
  /// times.
  std::size_t most_sized_operands = 64;
  /// An input is copied into other chunks if its chunks would be read more often than this.
  std::size_t most_reads_of_chunk = 3;
  /// A cut must save this share of a task's memory: otherwise chunks take most of it, which stay.
  double least_memory_saving = 1.0 / 256;
  /// The search for cuts ends after this many cuts in a row that save nothing.
  int most_cuts_in_vain = 4;
  /// A cut may compute this many elements for each one before.
  double most_recomputed_by_cut = 1.25;
  /// A cut into at most this many tasks may compute more elements.
  index_t few_cut_tasks = 16;
  /// A cut may compute more elements if a block has this many for each one of a task.
  double most_computed_by_cut = 512;

  // Folds and scans.

  /// A fold without leaves should have this many tasks: for any workers, so that bits are the same.
  index_t wanted_fold_tasks = 64;
  /// A part of a fold has at least this many elements.
  index_t least_fold_block = 1 << 16;
  /// The states of all blocks of a fold are at most this share of its input.
  double most_states = 1.0 / 16;
  /// The states of all leaves of a fold are at most this share of its input.
  double most_states_of_leaves = 1.0 / 4;
  /// This many tasks for each worker are worth `least_gain`.
  double few_for_a_worker = 8;
  /// More tasks, or more operations, must improve the merit of a fold by this share.
  double least_gain = 0.03;
  /// A piece of a state has at least this share of the bytes that are read in the time of a
  /// request.
  double least_piece = 0.1;
  /// A state is halved at most so often.
  std::size_t most_state_cuts = 6;
  /// A state that is read has this many buffers: decoded, encoded, and the scratch of the codec.
  double buffers_of_state = 3;
  /// The caches of one worker hold this many bytes.
  double cached_bytes = 4e6;
  /// A scan with this many tasks is not cut, as cutting reads its input twice; for any workers, so
  /// that a program has the same plan everywhere.
  index_t enough_scan_tasks = 8;
  /// A task of one leaf of a scan has at least this many elements.
  double least_scan_leaf = 1 << 16;
  /// The states of all leaves are at most this share of the scanned input.
  double most_states_of_scan = 1.0 / 16;

  // Rechunks.

  /// Additional copies must save at least this share of the merit, or of the work.
  double least_saving_of_copies = 0.1;
  /// A route has at most this many copies.
  std::size_t most_copies = 4;
  /// Up to this many nodes, all tolerances are searched; beyond it, the usual one.
  std::size_t few_nodes = 600;
  /// The descent of a route tries this many lengths on both sides of a length.
  index_t near_lengths = 8;
  /// The descent of a route tries this many lengths that nearly fill the memory.
  index_t nearly_full_lengths = 3;
  /// A search has at most this many candidate blocks.
  std::size_t most_candidates = 4000;
  /// At most this many products of lengths are tried.
  double most_products = 2e6;
  /// All lengths of an axis are tried up to this one.
  index_t short_axis = 64;
  /// Blocks below this part of the memory are kept only if they give workers more tasks.
  double least_part_of_memory = 48;
  /// Small blocks are kept up to this many tasks for each worker.
  double rechunk_tasks_for_a_worker = 16;
  /// A copy may usually read this many elements of an axis for each one, for the sake of longer
  /// chunks.
  double usual_tolerance = 1.2;
  /// A block is cut into at most this many chunks along an axis.
  index_t most_parts_of_block = 12;

  // Blocks of tasks.

  /// Tasks take several blocks if that saves at least this time of a run.
  costs::seconds least_saved_by_long_tasks{1};
  /// Fewer rounds of tasks are tried in steps of this ratio.
  double ratio_of_rounds = 0.8;

  // Requests for remote arrays.

  /// A ring has at most this many places.
  std::size_t most_in_ring = 64;
  /// The bandwidth of the network of a host in bytes a second, if costs state none.
  double usual_bandwidth = 1e9;
  /// Routes of rechunks leave one part in so many of the memory to rings.
  std::size_t ring_share_of_route = 4;
  /// Tasks get `many_fillings` of a ring while this many tasks are left for each worker. A task
  /// reads alone at its begin and writes alone at its end, which takes the time of one filling.
  index_t many_tasks_of_worker = 4;
  index_t many_fillings = 8;
  /// Tasks get one filling of a ring while this many tasks are left for each worker.
  index_t fewest_tasks_of_worker = 2;

  // Windows and counts.

  /// Up to this many pieces keep their windows between steps, as each kept window has a buffer for
  /// the whole task.
  std::ptrdiff_t most_kept_pieces = 16;
  /// A group of views is compared with at most this many groups.
  std::size_t most_compared_groups = 16;
  /// More views of one window are looked up by the steps that they need elements in.
  std::size_t few_views = 16;
  /// At most this many steps are counted one by one; beyond, averages are used.
  index_t most_counted_steps = 4096;
  /// At most this many entries of index tables are looked up to find their chunks.
  index_t most_gathered = 1 << 20;
  /// A box of a grid has at most this many runs of numbers; beyond that, neighbouring runs are
  /// merged, with the numbers between them.
  index_t most_runs_of_box = 64;
  /// A buffer that lives for fewer steps has a short lifetime.
  std::size_t most_short_steps = 8;
  /// Up to this many buffers are placed by comparing all pairs, which is faster for few.
  std::size_t most_compared_buffers = 32;
};

inline constexpr planner_tuning tuning{};

}  // namespace tessera
