// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The inside of a plan: a graph of arrays and operations, which passes complete until it can run.

#include "tessera/core/bytes.hpp"
#include "tessera/plan/bounded_plan.hpp"
#include "tessera/plan/node.hpp"
#include "tessera/plan/operation.hpp"

#include "plan/api/buffer_schedule.hpp"
#include "plan/api/numbered.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

/// A computed array that lives in memory that all workers have, dense in row-major order.
struct memory_placement {};

/// A computed array that is written to storage.
struct stored_placement {
  std::shared_ptr<const array_destination> to;
  /// Whether it is removed again once the run has ended well.
  bool is_intermediate = false;
};

/// The place of a computed array that is still to be chosen.
struct open_placement {};

/// The memory that the host would hold at once with an array in memory, and its limit.
struct memory_shortage {
  bytes needed;
  bytes limit;
};

/// An array of a plan. It is computed if its place is open, in memory, or a stored place.
struct planned_array {
  element_type type{};
  index_vector shape;
  index_vector chunks;
  std::string name;
  /// The place of its elements.
  std::variant<open_placement, stored_source, memory_source, generated_source, memory_placement,
               stored_placement>
      placement;
  /// Whether it is a requested result, so that it must be computed.
  bool is_requested = false;
  /// Whether it is computed and held, or stored, although an operation with its reader would not
  /// need it: the search found a better plan with it.
  bool is_materialized = false;
  /// Whether it was put between two operations because there is room for it in memory.
  bool is_for_memory = false;
  /// The formula by which it is computed, for people: "mean(u * v)"; empty for a source.
  std::string formula = {};
  /// The shortage for which it is not in memory, if there was no room for it.
  std::optional<memory_shortage> shortage = std::nullopt;
  /// The label that the program gave it; else empty.
  std::string label = {};

  /// Tells whether its place is chosen later.
  [[nodiscard]] bool is_open() const { return std::holds_alternative<open_placement>(placement); }
  /// Tells whether it is computed into memory.
  [[nodiscard]] bool is_in_memory() const {
    return std::holds_alternative<memory_placement>(placement);
  }
  /// Tells whether an operation has to make its elements.
  [[nodiscard]] bool is_computed() const;
  /// Returns the bytes of all elements.
  [[nodiscard]] bytes size() const;
};

/// The way in which a task gets an operand.
enum class operand_access {
  in_place,     ///< it is in memory and used there
  generated,    ///< it is computed strip by strip
  whole_chunk,  ///< exactly one chunk is needed, and decoded into the operand's buffer
  gathered,     ///< it is in a window, which is gathered from chunks
};

/// The way in which a task hands on a block of an output.
enum class output_access {
  in_place,     ///< it is in memory and computed there
  read_into,    ///< it is in memory, and the view of the first operand is read into it
  whole_chunk,  ///< the block is one chunk, written from the output's buffer
  many_chunks,  ///< the block is cut into chunks
  forwarded,    ///< the first operand's buffer is the chunk to write
  handed_on,    ///< chunks are cut from the buffer of the first operand
  streamed,     ///< the block is a shard, which grows by the chunks of each leg
};

inline constexpr auto no_buffer = static_cast<std::size_t>(-1);

inline constexpr auto no_axis = static_cast<std::size_t>(-1);

/// A buffer with places for encoded chunks in flight, between a task and a store that is far away.
/// It lives in all steps, as requests use it at any time.
struct planned_ring {
  std::size_t buffer = no_buffer;
  std::size_t num_places = 0;
  /// The time of a request for few bytes, as a share of the time of a request for a place.
  double share_of_latency = 1;
};

/// An operand of a planned operation. Buffers are numbers in the operation's schedule.
struct planned_operand {
  std::size_t array = 0;
  operand_access access = operand_access::in_place;
  /// Of a generated operand.
  std::size_t buffer = no_buffer;
  /// The number of its window in the operation, if the array is in storage.
  std::size_t window = 0;
};

/// The part of a stored array that a task holds in a step for some operands: the box that holds
/// their views.
struct planned_window {
  std::vector<std::size_t> operands = {};
  /// By operand: the part of the domain in which it is read.
  std::vector<region> where = {};
  /// By operand: the axes of the domain along which it is read at the begin of a step alone.
  std::vector<axis_set> at_start = {};
  /// Along each axis of the array: the distance of held elements, and their greatest number.
  index_vector spacing = {};
  index_vector extents = {};
  /// The axis of the array along which steps overlap: elements that the next step needs stay, and
  /// the rest is read chunk by chunk.
  std::size_t overlap_axis = no_axis;
  /// The axis of the domain along which steps overlap.
  std::size_t overlap_axis_of_domain = no_axis;
  std::size_t buffer = no_buffer;
  std::size_t encoded = no_buffer;
  /// The buffer for decoded chunks; none if whole chunks are decoded into `buffer`.
  std::size_t chunk = no_buffer;
  /// The buffer in which the tables of a gather are sorted by chunk.
  std::size_t order = no_buffer;
  planned_ring ring = {};
  /// The reads of all tasks through it: chunks, each time counted, and their bytes.
  index_t chunk_reads = 0;
  bytes bytes_read = {};
  /// The reads of indexes of shards among them.
  index_t index_reads = 0;
};

/// An output of a planned operation.
struct planned_result {
  std::size_t array = 0;
  output_access access = output_access::in_place;
  /// The scope after which a part of it is emitted.
  task_scope emitted_per = task_scope::task;
  std::size_t buffer = no_buffer;
  std::size_t encoded = no_buffer;
  std::size_t chunk = no_buffer;
  std::size_t write_scratch = no_buffer;
  /// The index of the shard that is streamed.
  std::size_t index = no_buffer;
  planned_ring ring = {};
  /// The writes of all tasks: chunks and bytes.
  index_t chunk_writes = 0;
  bytes bytes_written = {};
};

/// An operation of a plan. Passes rewrite `op`; the members after it are known once all arrays have
/// their places.
struct planned_operation {
  operation op;
  /// The labels of its outputs, or their formulas, for people, in a line: "anomaly",
  /// "mean(u * v), mean(u * u)".
  std::string label = {};
  std::vector<planned_operand> inputs = {};
  std::vector<planned_window> windows = {};
  std::vector<planned_result> outputs = {};
  buffer_schedule buffers = {};
  std::size_t scratch = no_buffer;
  /// The buffers of its primitive.
  std::vector<std::size_t> primitive_buffers = {};
  /// The operations that compute its inputs.
  std::vector<std::size_t> after = {};
  index_t num_tasks = 0;
  /// The extents of the legs in which a task computes its block; empty: it computes all at once.
  index_vector leg = {};
  bytes bytes_read = {};
  bytes bytes_written = {};
  /// Chunks that all tasks read and write, each time counted.
  index_t chunk_reads = 0;
  index_t chunk_writes = 0;
  /// The bytes that all tasks read from, and write to, arrays in memory.
  bytes memory_moved = {};
};

/// Returns the schedule by which a task computes: of its legs, if it has any.
[[nodiscard]] loop_schedule schedule_in_legs(const planned_operation& planned);

struct plan_graph;

/// The inside of a plan: the graph, and its vertices by number. Operations stand in an order in
/// which they could run one after the other.
struct bounded_plan::implementation {
  tessera::spec spec;
  /// The workers that it was made for.
  plan_workers workers;
  std::shared_ptr<plan_graph> graph;
  numbered<planned_array> arrays;
  numbered<planned_operation> operations;
  /// The array of each requested output.
  std::vector<std::size_t> outputs;
};

}  // namespace tessera
