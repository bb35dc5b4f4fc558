// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"

#include "tessera/core/error.hpp"

#include "plan/chunks_touched.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>
#include <utility>

namespace tessera {

namespace {

index_t saturating_multiply(index_t a, index_t b) {
  index_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<index_t>::max() : product;
}

std::size_t to_size(index_t n) { return static_cast<std::size_t>(n); }

index_vector clipped(const index_vector& extents, const index_vector& limit) {
  index_vector result = extents;
  for (std::size_t axis = 0; axis < result.size(); ++axis) {
    result[axis] = std::min(extents[axis], std::max<index_t>(1, limit[axis]));
  }
  return result;
}

/// Works out the buffers of one operation. Steps are numbered in the order of a task's life.
class buffer_planner {
 public:
  buffer_planner(operation what, const std::vector<array_storage>& inputs,
                 const std::vector<array_storage>& outputs)
      : inputs_(inputs), outputs_(outputs) {
    planned_.what = std::move(what);
    planned_.inputs.resize(inputs.size());
    planned_.outputs.resize(outputs.size());
    walk& how = planned_.what.how;
    planned_.num_tasks = how.tasks().size();
    const axis_set reduced = planned_.what.body->reduced();
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      if (!reduced[axis] && !how.ordered[axis]) how.stream[axis] = how.block[axis];
    }
    one_ = how;
    one_.stream = clipped(how.stream, how.domain);
    one_.block = clipped(how.block, how.domain);
  }

  planned_operation run() && {
    const task_demand needs = planned_.what.body->demand(one_, inputs_.size());
    is_handed_on_ = can_hand_on(needs);
    std::size_t last_step = 0;
    for (const output_demand& output : needs.outputs) {
      last_step = std::max(last_step, output.held.last);
    }
    for (std::size_t operand = 0; operand < inputs_.size(); ++operand) {
      if (needs.operands[operand].is_used) {
        lifetime used = needs.operands[operand].used;
        // One that some steps find as they left it must not share its place with anything else.
        if (!changes_with_every_step(operand)) {
          used = {0, std::max(used.last, needs.last_of_stream)};
        }
        if (is_handed_on_) used.last = last_step;
        add_operand(operand, needs.operands[operand], used);
      }
    }
    for (const own_buffer& own : needs.own) {
      planned_.own.push_back(planned_.buffers.add(own.name, own.size, 0, last_step));
    }
    if (is_handed_on_) {
      hand_on(last_step);
    } else {
      planned_.scratch = planned_.buffers.add("scratch", needs.scratch, 0, last_step);
      for (std::size_t i = 0; i < outputs_.size(); ++i) add_output(i, needs.outputs[i]);
    }
    for (const own_buffer& kept : needs.kept) planned_.buffers.add_kept(kept.name, kept.size);
    count_bytes();
    planned_.buffers.lay_out();
    return std::move(planned_);
  }

 private:
  /// Returns the extents of what is made of an output before it is handed on.
  [[nodiscard]] index_vector made_at_once(std::size_t i, const output_demand& needs,
                                          const walk& how) const {
    const output& made = planned_.what.outputs[i];
    switch (needs.leaves_with) {
      case output_part::step:
        return made.part(how.stream);
      case output_part::leg:
        return made.part(how.leg());
      case output_part::task:
        break;
    }
    return made.block(how);
  }

  [[nodiscard]] bool depends_on(std::size_t operand, std::size_t axis) const {
    const std::vector<axis_map>& axes = planned_.what.operands[operand].axes();
    return std::any_of(axes.begin(), axes.end(),
                       [axis](const axis_map& m) { return m.axis == axis && m.step != 0; });
  }

  /// Tells whether no two steps of a stream read the same region of an operand.
  [[nodiscard]] bool changes_with_every_step(std::size_t operand) const {
    for (std::size_t axis = 0; axis < one_.rank(); ++axis) {
      if (one_.block[axis] > one_.stream[axis] && !depends_on(operand, axis)) return false;
    }
    return true;
  }

  /// Adds the buffers of an operand, whose elements live in the steps `used`.
  void add_operand(std::size_t operand, const operand_demand& needs, const lifetime& used) {
    const array_storage& array = inputs_[operand];
    planned_operand& use = planned_.inputs[operand];
    const lifetime& read = needs.read;
    if (array.how == array_storage::kind::memory) {
      use.access = operand_access::in_place;
      return;
    }
    buffer_schedule& buffers = planned_.buffers;
    const std::string name = array.name + ": ";
    if (array.how == array_storage::kind::generated) {
      use.access = operand_access::generated;
      if (needs.is_whole) {
        use.buffer = buffers.add(name + "region", region_bytes(operand), used.first, used.last);
      }
      return;
    }
    const bool is_gathered = !reads_whole_chunks(operand);
    use.access = is_gathered ? operand_access::gathered : operand_access::whole_chunk;
    use.buffer = buffers.add(name + (is_gathered ? "region" : "chunk"),
                             is_gathered ? region_bytes(operand) : array.cost.decoded, used.first,
                             used.last);
    if (array.cost.encoded > 0) {
      use.encoded = buffers.add(name + "encoded chunk", array.cost.encoded, read.first, read.last);
    }
    if (is_gathered) {
      use.chunk = buffers.add(name + "chunk", array.cost.decoded, read.first, read.last);
    }
    buffers.add_external(name + "codec", array.cost.workspace, read.first);
  }

  /// Returns the bytes of what one step reads of an operand, every step-th element counted alone.
  [[nodiscard]] std::size_t region_bytes(std::size_t operand) const {
    index_t count = 1;
    for (const axis_map& m : planned_.what.operands[operand].axes()) {
      if (m.axis != axis_map::none && m.step != 0)
        count = checked_multiply(count, one_.stream[m.axis]);
    }
    return to_size(count) * inputs_[operand].type.size();
  }

  /// Tells whether each step of a stream reads exactly one chunk of an operand.
  [[nodiscard]] bool reads_whole_chunks(std::size_t operand) const {
    const array_storage& array = inputs_[operand];
    const index_map& map = planned_.what.operands[operand];
    for (std::size_t k = 0; k < array.shape.size(); ++k) {
      const index_t chunk = array.chunks[k];
      const axis_map& m = map[k];
      if (m.axis == axis_map::none || m.step == 0) {
        if (chunk != 1 && array.shape[k] != 1) return false;
        continue;
      }
      if (m.step != 1 || m.offset != 0) return false;
      const index_t extent = planned_.what.how.domain[m.axis];
      if (extent != array.shape[k]) return false;
      const bool is_one_chunk = chunk >= extent && planned_.what.how.stream[m.axis] >= extent;
      const bool is_aligned = planned_.what.how.stream[m.axis] == chunk &&
                              (planned_.what.how.block[m.axis] % chunk == 0 ||
                               planned_.what.how.block[m.axis] >= extent);
      if (!is_one_chunk && !is_aligned) return false;
    }
    return true;
  }

  /// Tells whether chunks of the output can be cut from where the operand lies.
  [[nodiscard]] bool can_hand_on(const task_demand& needs) const {
    return needs.is_handed_on && inputs_[0].how != array_storage::kind::generated &&
           outputs_[0].how == array_storage::kind::chunks;
  }

  /// Tells whether whole chunks become whole chunks of the same layout.
  [[nodiscard]] bool can_forward() const {
    const array_storage& from = inputs_[0];
    const array_storage& to = outputs_[0];
    return from.how == array_storage::kind::chunks && from.is_row_major && to.is_row_major &&
           from.chunks == to.chunks && planned_.what.operands[0].is_identity() &&
           reads_whole_chunks(0) && is_one_chunk(0, block_of(0));
  }

  /// Tells whether `made`, which is handed on of an output, is one chunk of it.
  [[nodiscard]] bool is_one_chunk(std::size_t output, const index_vector& made) const {
    const array_storage& array = outputs_[output];
    for (std::size_t axis = 0; axis < made.size(); ++axis) {
      const index_t extent = array.shape[axis];
      if (made[axis] != array.chunks[axis] &&
          !(made[axis] >= extent && array.chunks[axis] >= extent))
        return false;
    }
    return true;
  }

  /// Returns the extents of the whole block of an output.
  [[nodiscard]] index_vector block_of(std::size_t output) const {
    return planned_.what.outputs[output].block(planned_.what.how);
  }

  /// Adds what it takes to write the operand, which is the output.
  void hand_on(std::size_t write_step) {
    check_alignment(0, block_of(0));
    planned_result& result = planned_.outputs[0];
    if (can_forward()) {
      result.access = output_access::forwarded;
    } else {
      result.access = output_access::handed_on;
      result.chunk = planned_.buffers.add("result " + outputs_[0].name + ": chunk",
                                          outputs_[0].cost.decoded, write_step, write_step);
    }
    add_encoding(0, write_step);
  }

  void add_output(std::size_t output, const output_demand& needs) {
    const auto [first_step, write_step] = needs.held;
    const array_storage& array = outputs_[output];
    planned_result& result = planned_.outputs[output];
    buffer_schedule& buffers = planned_.buffers;
    result.leaves_with = needs.leaves_with;
    if (array.how == array_storage::kind::memory) return;
    const index_vector whole = made_at_once(output, needs, planned_.what.how);
    check_alignment(output, whole);
    const bool is_one = is_one_chunk(output, whole);
    result.access = is_one ? output_access::whole_chunk : output_access::many_chunks;
    const std::string name = "result " + array.name + ": ";
    const index_vector made = clipped(whole, array.shape);
    const std::size_t made_bytes = to_size(num_elements(made)) * array.type.size();
    result.buffer = buffers.add(name + (is_one ? "chunk" : "block"),
                                is_one ? array.cost.decoded : made_bytes, first_step, write_step);
    if (!is_one) {
      result.chunk = buffers.add(name + "chunk", array.cost.decoded, write_step, write_step);
    }
    add_encoding(output, write_step);
  }

  void add_encoding(std::size_t output, std::size_t step) {
    const array_storage& array = outputs_[output];
    planned_result& result = planned_.outputs[output];
    buffer_schedule& buffers = planned_.buffers;
    const std::string name = "result " + array.name + ": ";
    if (array.cost.encoded > 0) {
      result.encoded = buffers.add(name + "encoded chunk", array.cost.encoded, step, step);
    }
    if (array.cost.scratch > 0) {
      result.write_scratch = buffers.add(name + "transposed", array.cost.scratch, step, step);
    }
    buffers.add_external(name + "codec", array.cost.workspace, step);
  }

  /// No two tasks may write one chunk.
  void check_alignment(std::size_t output, const index_vector& made) const {
    const array_storage& array = outputs_[output];
    for (std::size_t axis = 0; axis < made.size(); ++axis) {
      if (made[axis] % array.chunks[axis] == 0 || made[axis] >= array.shape[axis]) continue;
      throw shape_error(fmt::format(
          "{}: its blocks {} must be multiples of the chunks {} of the array that they are stored "
          "in; rechunk the array to those chunks first",
          planned_.what.name, format_shape(made), format_shape(array.chunks)));
    }
  }

  void count_bytes() {
    for (std::size_t operand = 0; operand < inputs_.size(); ++operand) {
      const array_storage& array = inputs_[operand];
      if (array.how != array_storage::kind::chunks) continue;
      planned_.bytes_read +=
          bytes{to_size(saturating_multiply(chunk_reads(operand), to_index(array.cost.decoded)))};
    }
    for (const array_storage& array : outputs_) {
      if (array.how != array_storage::kind::chunks) continue;
      planned_.bytes_written += bytes{to_size(num_elements(array.shape)) * array.type.size()};
    }
  }

  [[nodiscard]] static index_t to_index(std::size_t n) { return static_cast<index_t>(n); }

  /// Returns how many chunks of an operand all tasks read, each time counted.
  [[nodiscard]] index_t chunk_reads(std::size_t operand) const {
    const operation& what = planned_.what;
    const index_map& map = what.operands[operand];
    index_vector visits(what.how.domain.size());
    for (std::size_t axis = 0; axis < visits.size(); ++axis) {
      const index_t length =
          depends_on(operand, axis) ? what.how.stream[axis] : what.how.block[axis];
      visits[axis] = what.how.domain[axis] == 0 ? 0 : ceil_divide(what.how.domain[axis], length);
    }
    index_t reads = 1;
    for (std::size_t k = 0; k < map.array_rank(); ++k) {
      const axis_map& m = map[k];
      if (m.axis == axis_map::none || m.step == 0) continue;
      visits[m.axis] = chunks_touched(what.how.domain[m.axis], what.how.stream[m.axis], m,
                                      inputs_[operand].chunks[k]);
    }
    for (const index_t visit : visits) reads = saturating_multiply(reads, visit);
    return reads;
  }

  const std::vector<array_storage>& inputs_;
  const std::vector<array_storage>& outputs_;
  planned_operation planned_;
  /// A walk of one block, which is not longer than the domain.
  walk one_;
  bool is_handed_on_ = false;
};

}  // namespace

planned_operation with_buffers(operation what, const std::vector<array_storage>& inputs,
                               const std::vector<array_storage>& outputs) {
  return buffer_planner(std::move(what), inputs, outputs).run();
}

planned_operation estimate(const array_graph& graph, const operation& what,
                           const std::vector<vertex>& inputs, const std::vector<vertex>& outputs,
                           const spec& limits) {
  std::vector<array_storage> sources;
  for (const vertex input : inputs)
    sources.push_back(storage_of(array_at(graph, input), array_use::read, limits));
  std::vector<array_storage> targets;
  for (const vertex output : outputs) {
    targets.push_back(storage_of(array_at(graph, output), array_use::write, limits));
  }
  return with_buffers(what, sources, targets);
}

planned_operation estimate(const array_graph& graph, vertex v, const spec& limits) {
  return estimate(graph, operation_at(graph, v), inputs_of(graph, v), outputs_of(graph, v), limits);
}

bool fits(const planned_operation& planned, const spec& limits) {
  return limits.reserved_memory.count() + planned.buffers.peak_bytes() <=
         limits.allowed_memory.count();
}

}  // namespace tessera
