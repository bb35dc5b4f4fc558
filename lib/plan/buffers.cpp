// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/block_runner.hpp"

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

/// Returns a dtype that has as many bytes as each of `types`, and as float64.
dtype widest(const std::vector<dtype>& types) {
  const auto is_wide = [](dtype type) { return size_of(type) > size_of(dtype::float64); };
  return std::any_of(types.begin(), types.end(), is_wide) ? dtype::complex128 : dtype::float64;
}

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
    planned_.num_tasks = planned_.what.tasks().size();
    // Only reduced axes are walked in more than one step.
    for (std::size_t axis = 0; axis < planned_.what.domain.size(); ++axis) {
      if (!planned_.what.reduced[axis]) planned_.what.stream[axis] = planned_.what.block[axis];
    }
    stream_ = clipped(planned_.what.stream, planned_.what.domain);
    block_ = clipped(planned_.what.block, planned_.what.domain);
  }

  planned_operation run() && {
    if (const auto* map = std::get_if<map_body>(&planned_.what.body)) {
      plan_map(*map);
    } else {
      plan_reduction();
    }
    count_bytes();
    planned_.buffers.lay_out();
    return std::move(planned_);
  }

 private:
  void plan_map(const map_body& map) {
    const bool is_forwarded = can_forward(map);
    const std::size_t write_step = num_map_steps(map);
    std::size_t step = 0;
    std::size_t scratch = 0;
    index_t num_block_elements = num_elements(block_);
    constexpr auto never = static_cast<std::size_t>(-1);
    std::vector<std::size_t> first_read(inputs_.size(), never);
    std::vector<std::size_t> last_read(inputs_.size(), 0);
    std::vector<std::size_t> last_use(inputs_.size(), 0);
    for (const piece& part : map.pieces) {
      const std::size_t compute_step = step + part.operands.size();
      for (const std::size_t operand : part.operands) {
        first_read[operand] = std::min(first_read[operand], step);
        last_read[operand] = step++;
        last_use[operand] = is_forwarded ? write_step : compute_step;
      }
      scratch = std::max(scratch, scratch_bytes(part.program, num_block_elements));
      ++step;
    }
    for (std::size_t operand = 0; operand < inputs_.size(); ++operand) {
      if (first_read[operand] == never) continue;
      add_operand(operand, {first_read[operand], last_use[operand]},
                  {first_read[operand], last_read[operand]});
    }
    if (!is_forwarded) {
      // Blocks are cut into chunks in scratch as well.
      const std::size_t copying =
          scratch_bytes(strip_program::copy(widest(planned_.what.outputs)), num_block_elements);
      const bool is_cut = std::any_of(outputs_.begin(), outputs_.end(), [](const auto& output) {
        return output.how == array_storage::kind::chunks;
      });
      planned_.scratch =
          planned_.buffers.add("scratch", is_cut ? std::max(scratch, copying) : scratch, 0,
                               write_step + outputs_.size());
    }
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      if (is_forwarded) {
        planned_.outputs[i].access = output_access::forwarded;
        add_encoding(i, write_step);
      } else {
        add_output(i, 0, write_step + i);
      }
    }
  }

  [[nodiscard]] static std::size_t num_map_steps(const map_body& map) {
    std::size_t steps = 0;
    for (const piece& part : map.pieces) steps += part.operands.size() + 1;
    return steps;
  }

  /// Folds and contractions: operands are read again and again into states that live on.
  void plan_reduction() {
    const std::size_t compute_step = inputs_.size();
    const std::size_t last_step = compute_step + outputs_.size();
    for (std::size_t operand = 0; operand < inputs_.size(); ++operand) {
      // One that some steps find as they left it must not share its place with other operands.
      add_operand(operand, {changes_with_every_step(operand) ? operand : 0, compute_step},
                  {operand, operand});
    }
    index_t num_kept = 1;
    for (std::size_t axis = 0; axis < block_.size(); ++axis) {
      if (!planned_.what.reduced[axis]) num_kept = checked_multiply(num_kept, block_[axis]);
    }
    if (const auto* fold = std::get_if<fold_body>(&planned_.what.body)) {
      add_states(*fold, num_kept, last_step);
      for (std::size_t i = 0; i < outputs_.size(); ++i) {
        add_output(i, compute_step + 1, compute_step + 1 + i);  // all are finished at once
      }
    } else {
      add_output(0, 0, compute_step + 1);
      add_contraction_scratch(compute_step);
    }
  }

  void add_states(const fold_body& fold, index_t num_kept, std::size_t last_step) {
    // The states of a part are copied to where they go in scratch.
    std::vector<dtype> planes;
    for (const fold_step& step : fold.folds) {
      planes.insert(planes.end(), step.kernel->planes.begin(), step.kernel->planes.end());
    }
    const std::size_t scratch =
        std::max(scratch_bytes(fold.program, num_elements(stream_)),
                 scratch_bytes(strip_program::copy(widest(planes)), num_kept));
    for (const fold_step& step : fold.folds) {
      for (const dtype type : step.kernel->planes) {
        planned_.planes.push_back(
            planned_.buffers.add(fmt::format("state of {}", step.kernel->label),
                                 size_of(type) * to_size(num_kept), 0, last_step));
      }
    }
    planned_.scratch = planned_.buffers.add("scratch", scratch, 0, last_step);
  }

  void add_contraction_scratch(std::size_t compute_step) {
    const contraction_kernel& kernel = *std::get<contraction_body>(planned_.what.body).kernel;
    // Generated operands are made in scratch, strip by strip.
    const std::size_t copied =
        scratch_bytes(strip_program::copy(kernel.input), num_elements(stream_));
    planned_.scratch = planned_.buffers.add("scratch", copied, 0, compute_step);
    planned_.buffers.add_kept("workspace of " + std::string(kernel.label),
                              kernel.workspace(stream_[0], stream_[1], stream_[2]));
  }

  [[nodiscard]] bool depends_on(std::size_t operand, std::size_t axis) const {
    const std::vector<axis_map>& axes = planned_.what.operands[operand].axes();
    return std::any_of(axes.begin(), axes.end(),
                       [axis](const axis_map& m) { return m.axis == axis && m.step != 0; });
  }

  /// Tells whether no two steps of a stream read the same region of an operand.
  [[nodiscard]] bool changes_with_every_step(std::size_t operand) const {
    for (std::size_t axis = 0; axis < block_.size(); ++axis) {
      if (block_[axis] > stream_[axis] && !depends_on(operand, axis)) return false;
    }
    return true;
  }

  /// The steps [first, last] in which something lives.
  struct life {
    std::size_t first = 0;
    std::size_t last = 0;
  };

  /// Adds the buffers of an operand that lives in the steps `used` and is read in the steps `read`.
  void add_operand(std::size_t operand, life used, life read) {
    const array_storage& array = inputs_[operand];
    planned_operand& use = planned_.inputs[operand];
    const bool is_contracted = std::holds_alternative<contraction_body>(planned_.what.body);
    if (array.how == array_storage::kind::memory) {
      use.access = operand_access::in_place;
      return;
    }
    buffer_schedule& buffers = planned_.buffers;
    const std::string name = array.name + ": ";
    if (array.how == array_storage::kind::generated) {
      use.access = operand_access::generated;
      // A contraction needs its operands whole.
      if (is_contracted) {
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
      if (m.axis != axis_map::none && m.step != 0) count = checked_multiply(count, stream_[m.axis]);
    }
    return to_size(count) * size_of(inputs_[operand].type);
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
      const index_t extent = planned_.what.domain[m.axis];
      if (extent != array.shape[k]) return false;
      const bool is_one_chunk = chunk >= extent && planned_.what.stream[m.axis] >= extent;
      const bool is_aligned =
          planned_.what.stream[m.axis] == chunk &&
          (planned_.what.block[m.axis] % chunk == 0 || planned_.what.block[m.axis] >= extent);
      if (!is_one_chunk && !is_aligned) return false;
    }
    return true;
  }

  /// Tells whether a copy takes whole chunks to whole chunks of the same layout.
  [[nodiscard]] bool can_forward(const map_body& map) const {
    if (map.pieces.size() != 1 || !map.pieces[0].program.steps.empty()) return false;
    if (inputs_.size() != 1 || outputs_.size() != 1) return false;
    const array_storage& from = inputs_[0];
    const array_storage& to = outputs_[0];
    return from.how == array_storage::kind::chunks && to.how == array_storage::kind::chunks &&
           from.is_row_major && to.is_row_major && from.chunks == to.chunks &&
           planned_.what.operands[0].is_identity() && reads_whole_chunks(0) && is_one_chunk(0);
  }

  /// Tells whether the block of an output is one chunk of it.
  [[nodiscard]] bool is_one_chunk(std::size_t output) const {
    const array_storage& array = outputs_[output];
    const index_vector made = planned_.what.output_chunks();
    for (std::size_t axis = 0; axis < made.size(); ++axis) {
      const index_t extent = array.shape[axis];
      if (made[axis] != array.chunks[axis] &&
          !(made[axis] >= extent && array.chunks[axis] >= extent))
        return false;
    }
    return true;
  }

  void add_output(std::size_t output, std::size_t first_step, std::size_t write_step) {
    const array_storage& array = outputs_[output];
    planned_result& result = planned_.outputs[output];
    buffer_schedule& buffers = planned_.buffers;
    if (array.how == array_storage::kind::memory) return;
    check_alignment(array);
    const bool is_one = is_one_chunk(output);
    result.access = is_one ? output_access::whole_chunk : output_access::many_chunks;
    const std::string name = "result " + array.name + ": ";
    const index_vector made = clipped(planned_.what.output_chunks(), array.shape);
    const std::size_t made_bytes = to_size(num_elements(made)) * size_of(array.type);
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
  void check_alignment(const array_storage& array) const {
    const index_vector made = planned_.what.output_chunks();
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
      planned_.bytes_written += bytes{to_size(num_elements(array.shape)) * size_of(array.type)};
    }
  }

  [[nodiscard]] static index_t to_index(std::size_t n) { return static_cast<index_t>(n); }

  /// Returns how many chunks of an operand all tasks read, each time counted.
  [[nodiscard]] index_t chunk_reads(std::size_t operand) const {
    const operation& what = planned_.what;
    const index_map& map = what.operands[operand];
    index_vector visits(what.domain.size());
    for (std::size_t axis = 0; axis < visits.size(); ++axis) {
      const bool is_kept = what.reduced[axis] && !depends_on(operand, axis);
      const index_t length = is_kept ? what.block[axis] : what.stream[axis];
      visits[axis] = what.domain[axis] == 0 ? 0 : ceil_divide(what.domain[axis], length);
    }
    index_t reads = 1;
    for (std::size_t k = 0; k < map.array_rank(); ++k) {
      const axis_map& m = map[k];
      if (m.axis == axis_map::none || m.step == 0) continue;
      visits[m.axis] =
          chunks_touched(what.domain[m.axis], what.stream[m.axis], m, inputs_[operand].chunks[k]);
    }
    for (const index_t visit : visits) reads = saturating_multiply(reads, visit);
    return reads;
  }

  const std::vector<array_storage>& inputs_;
  const std::vector<array_storage>& outputs_;
  planned_operation planned_;
  index_vector stream_;
  index_vector block_;
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
