// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"

#include "core/api/gather_cursor.hpp"
#include "plan/copy_rules.hpp"
#include "plan/saturating.hpp"
#include "plan/task_windows.hpp"
#include "plan/tuning.hpp"

#include <algorithm>
#include <utility>

namespace tessera {

namespace {

std::size_t to_size(index_t n) { return static_cast<std::size_t>(n); }

/// The buffers of one operation. Steps are numbered in the order of a task's life.
class buffer_planner {
 public:
  /// If `holds_chunks`, a window of spaced layers of one chunk holds the whole chunk. If
  /// `is_streamed`, a task of `op` is one leg, which it appends to a shard.
  buffer_planner(operation op, const std::vector<array_storage>& inputs,
                 const std::vector<array_storage>& outputs, bool holds_chunks,
                 bool is_streamed = false)
      : inputs_(inputs), outputs_(outputs), holds_chunks_(holds_chunks), is_streamed_(is_streamed) {
    planned_.op = std::move(op);
    planned_.inputs.resize(inputs.size());
    planned_.outputs.resize(outputs.size());
    loop_schedule& schedule = planned_.op.schedule;
    planned_.num_tasks = schedule.num_tasks();
    const axis_set steps = planned_.op.primitive->in_steps(schedule);
    for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
      if (!steps[axis]) schedule.step[axis] = schedule.block[axis];
    }
    schedule_ = schedule;
    schedule_.step = clipped(schedule.step, schedule.domain);
    schedule_.block = clipped(schedule.block, schedule.domain);
  }

  [[nodiscard]] bool may_hold_chunks() const { return may_hold_chunks_; }

  planned_operation run() {
    const task_demand demand = op().primitive->demand(schedule_, inputs_.size());
    is_forwarded_ = can_cut(demand) && !is_streamed_;
    is_read_into_ = can_read_into(demand);
    std::size_t last_step = 0;
    for (const output_demand& output : demand.outputs)
      last_step = std::max(last_step, output.live_steps.last);
    last_step_ = std::max(last_step, demand.last_repeated_step);
    for (std::size_t operand = 0; operand < inputs_.size(); ++operand) {
      if (demand.operands[operand].is_used) add_operand(operand, demand.operands[operand]);
    }
    limit_kept_views();
    const axis_set reduced = op().primitive->reduced();
    for (view_group& group : grouped(schedule(), reduced, views_, inputs_)) {
      add_window(std::move(group), demand, last_step);
    }
    for (const buffer_demand& buffer : demand.buffers) {
      const lifetime used = buffer.used.value_or(lifetime{0, last_step});
      planned_.primitive_buffers.push_back(
          planned_.buffers.add(buffer.name, buffer.size, used.first, used.last));
    }
    if (is_forwarded_) {
      cut_from_operand(last_step);
    } else if (is_read_into_) {
      planned_.outputs[0].access = output_access::read_into;
    } else {
      // Scratch of a copy is needed only if its operand is generated.
      const bool is_copied =
          demand.is_handed_on && inputs_[0].medium != array_storage::kind::generated;
      planned_.scratch =
          planned_.buffers.add("scratch", is_copied ? 0 : demand.scratch, 0, last_step);
      for (std::size_t i = 0; i < outputs_.size(); ++i) add_output(i, demand.outputs.at(i));
    }
    for (const buffer_demand& b : demand.kept) planned_.buffers.add_kept(b.name, b.size);
    add_client(inputs_, planned_.buffers);
    count_writes();
    planned_.buffers.lay_out();
    return std::move(planned_);
  }

 private:
  [[nodiscard]] const operation& op() const { return planned_.op; }
  [[nodiscard]] const loop_schedule& schedule() const { return planned_.op.schedule; }

  /// Returns the extents of the block of an output that is emitted at once.
  [[nodiscard]] index_vector emitted_extents(std::size_t i, const output_demand& demand,
                                             const loop_schedule& schedule) const {
    const output& output = op().outputs[i];
    switch (demand.emitted_per) {
      case task_scope::step:
        return output.extents_of(schedule.step);
      case task_scope::sweep:
        return output.extents_of(schedule.sweep());
      case task_scope::task:
        break;
    }
    return output.block(schedule);
  }

  /// Tells whether all steps of a task read different regions of an operand.
  [[nodiscard]] bool changes_with_every_step(std::size_t operand) const {
    for (std::size_t axis = 0; axis < schedule_.rank(); ++axis) {
      if (schedule_.block[axis] > schedule_.step[axis] &&
          !depends_alone_on(op().operands[operand], axis)) {
        return false;
      }
    }
    return true;
  }

  /// Sets the access of an operand, and adds its view if it is read through a window.
  void add_operand(std::size_t operand, const operand_demand& demand) {
    const array_storage& array = inputs_[operand];
    planned_operand& use = planned_.inputs[operand];
    const region where = demand.domain.value_or(region::whole(schedule().domain));
    switch (array.medium) {
      case array_storage::kind::memory:
        if (op().operands[operand].gather() != nullptr) break;
        use.access = operand_access::in_place;
        planned_.memory_moved += bytes_shown(op().operands[operand], where, array);
        return;
      case array_storage::kind::generated:
        use.access = operand_access::generated;
        if (demand.is_whole) {
          use.buffer = planned_.buffers.add(region_use, bytes_in_box(operand, schedule_.step),
                                            demand.used.first, demand.used.last,
                                            buffer_array::operand(operand));
        }
        return;
      case array_storage::kind::chunks:
        break;
    }
    views_.push_back({operand, &op().operands[operand], where, true, demand.at_start});
  }

  /// Disallows overlap between steps for many pieces: each kept window has a buffer for the whole
  /// task.
  void limit_kept_views() {
    const region domain = region::whole(schedule().domain);
    const auto is_part = [&](const window_view& view) { return !(view.where == domain); };
    if (std::count_if(views_.begin(), views_.end(), is_part) <= tuning.most_kept_pieces) return;
    for (window_view& view : views_) view.may_be_kept = !is_part(view);
  }

  /// Returns the steps in which the elements of a window are used.
  [[nodiscard]] lifetime use_of(const view_group& window, bool is_gathered,
                                const task_demand& demand, std::size_t last_step) const {
    lifetime used = demand.operands[window.views.front().operand].used;
    const bool has_steps = fastest_axis(schedule(), op().primitive->reduced()) != no_axis;
    bool is_kept = is_gathered && window.size.overlap_axis != no_axis;
    for (const window_view& view : window.views) {
      const lifetime of_view = demand.operands[view.operand].used;
      used = {std::min(used.first, of_view.first), std::max(used.last, of_view.last)};
      is_kept |= (window.views.size() > 1 && has_steps) || !changes_with_every_step(view.operand);
    }
    // Elements that later steps reuse must keep their buffer for all steps.
    if (is_kept) used = {0, std::max(used.last, demand.last_repeated_step)};
    if (is_forwarded_) used.last = last_step;
    return used;
  }

  void add_window(view_group window, const task_demand& demand, std::size_t last_step) {
    const std::size_t first = window.views.front().operand;
    if (window.size.is_spaced_in_chunk && window.size.reads_most() && !is_read_into_) {
      may_hold_chunks_ = true;
      if (holds_chunks_) window.size.hold(inputs_[first].chunks);
    }
    planned_window planned{.spacing = window.size.spacing, .extents = window.size.extents};
    const bool is_gathered = is_read_into_ || window.views.size() > 1 || !reads_whole_chunks(first);
    for (const window_view& view : window.views) {
      planned.operands.push_back(view.operand);
      planned.where.push_back(view.where);
      planned.at_start.push_back(view.at_start);
      planned_operand& input = planned_.inputs[view.operand];
      input.window = planned_.windows.size();
      input.access = is_gathered ? operand_access::gathered : operand_access::whole_chunk;
    }
    if (is_gathered && window.size.overlap_axis != no_axis) {
      planned.overlap_axis = window.size.overlap_axis;
      planned.overlap_axis_of_domain = fastest_axis(schedule(), op().primitive->reduced());
    }
    add_buffers(planned, window, is_gathered, demand, last_step);
    planned.chunk_reads = window.size.chunk_reads;
    planned.bytes_read = bytes_of_chunks(planned.chunk_reads, inputs_[first]);
    if (is_gathered) planned.bytes_read = window.size.read_of(planned.bytes_read);
    planned_.bytes_read += planned.bytes_read;
    planned_.chunk_reads = saturating_add(planned_.chunk_reads, planned.chunk_reads);
    planned_.windows.push_back(std::move(planned));
  }

  /// Adds the buffers of a window: its elements, an encoded and a decoded chunk, and the order in
  /// which a list of indices is read.
  void add_buffers(planned_window& planned, const view_group& window, bool is_gathered,
                   const task_demand& demand, std::size_t last_step) {
    const std::size_t first = window.views.front().operand;
    const array_storage& array = inputs_[first];
    lifetime read = demand.operands[first].read;
    for (const window_view& view : window.views) {
      const lifetime of_view = demand.operands[view.operand].read;
      read = {std::min(read.first, of_view.first), std::max(read.last, of_view.last)};
    }
    buffer_schedule& buffers = planned_.buffers;
    const buffer_array of = buffer_array::operand(first);
    if (!is_read_into_) {
      const lifetime used = use_of(window, is_gathered, demand, last_step);
      const bool is_chunk = is_gathered && holds_chunk(window);
      const std::size_t held =
          is_gathered ? window.size.bytes(array.type.size()) : array.cost.decoded;
      planned.buffer = buffers.add(is_gathered ? region_use : chunk_use,
                                   is_chunk ? std::max(held, outputs_[0].cost.decoded) : held,
                                   used.first, used.last, of);
      if (is_chunk) chunk_in_window_ = planned.buffer;
    }
    if (array.cost.encoded > 0) {
      planned.encoded =
          buffers.add(encoded_chunk_use, array.cost.encoded, read.first, read.last, of);
    }
    const bool is_decoded_in_place = window.size.is_whole_chunks && !is_read_into_;
    if (is_gathered && array.medium == array_storage::kind::chunks && !is_decoded_in_place) {
      planned.chunk = buffers.add(chunk_use, array.cost.decoded, read.first, read.last, of);
    }
    const gather* const gather_map = op().operands[first].gather().get();
    if (gather_map != nullptr && gather_map->has_tables()) {
      const std::size_t size = 8 * gather_cursor::order_size(*gather_map, window.size.extents);
      planned.order = buffers.add("order", size, read.first, read.last, of);
    }
    buffers.add_external(codec_use, array.cost.workspace, read.first, of);
  }

  /// Tells whether a window holds the chunk to write, except for elements beyond the array's end.
  [[nodiscard]] bool holds_chunk(const view_group& window) const {
    return is_forwarded_ && window.size.overlap_axis == no_axis &&
           makes_one_chunk(op(), outputs_[0]) && fits_into(window.size.extents, outputs_[0].chunks);
  }

  /// Returns the bytes of an operand that a box of the domain of `extents` reads.
  [[nodiscard]] std::size_t bytes_in_box(std::size_t operand, const index_vector& extents) const {
    index_t count = 1;
    for (std::size_t axis = 0; axis < schedule_.rank(); ++axis) {
      if (op().operands[operand].depends_on(axis)) {
        count = checked_multiply(count, extents[axis]);
      }
    }
    return to_size(count) * inputs_[operand].type.size();
  }

  [[nodiscard]] bool reads_whole_chunks(std::size_t operand) const {
    return tessera::reads_whole_chunks(schedule(), op().operands[operand], inputs_[operand]);
  }

  /// Tells whether chunks of the output can be cut from the buffer of the operand.
  [[nodiscard]] bool can_cut(const task_demand& demand) const {
    return demand.is_handed_on && inputs_[0].medium != array_storage::kind::generated &&
           outputs_[0].medium == array_storage::kind::chunks;
  }

  /// Tells whether the operand can be read directly into the output in memory.
  [[nodiscard]] bool can_read_into(const task_demand& demand) const {
    return demand.is_handed_on && inputs_[0].medium == array_storage::kind::chunks &&
           outputs_[0].medium == array_storage::kind::memory && permutes_axes(op().operands[0]);
  }

  /// Tells whether each chunk of the output is a chunk of the operand in the same layout.
  [[nodiscard]] bool can_forward() const {
    const array_storage& from = inputs_[0];
    const array_storage& to = outputs_[0];
    const index_map& map = op().operands[0];
    return from.medium == array_storage::kind::chunks && from.is_row_major && to.is_row_major &&
           from.chunks == to.chunks && is_one_chunk(op().outputs[0].block(schedule()), to) &&
           ((map.is_identity() && reads_whole_chunks(0)) ||
            (planned_.windows.front().chunk == no_buffer && leads_to_whole_chunks(map, to)));
  }

  /// Adds the buffers that write the operand as the output.
  void cut_from_operand(std::size_t write_step) {
    check_alignment(op().name, op().outputs[0].block(schedule()), outputs_[0]);
    planned_result& result = planned_.outputs[0];
    if (can_forward()) {
      result.access = output_access::forwarded;
    } else {
      result.access = output_access::handed_on;
      result.chunk = chunk_in_window_ != no_buffer
                         ? chunk_in_window_
                         : planned_.buffers.add(chunk_use, outputs_[0].cost.decoded, write_step,
                                                write_step, buffer_array::output(0));
    }
    add_encoding(0, write_step);
  }

  void add_output(std::size_t output, const output_demand& demand) {
    const auto [first_step, write_step] = demand.live_steps;
    const array_storage& array = outputs_[output];
    planned_result& result = planned_.outputs[output];
    buffer_schedule& buffers = planned_.buffers;
    result.emitted_per = demand.emitted_per;
    if (array.medium == array_storage::kind::memory) return;
    if (is_streamed_) return add_stream(output, demand.live_steps);
    const index_vector extents = emitted_extents(output, demand, schedule());
    check_alignment(op().name, extents, array);
    const bool is_chunk = is_one_chunk(extents, array);
    result.access = is_chunk ? output_access::whole_chunk : output_access::many_chunks;
    const index_vector block = clipped(extents, array.shape);
    const std::size_t block_bytes = to_size(num_elements(block)) * array.type.size();
    result.buffer =
        buffers.add(is_chunk ? chunk_use : "block", is_chunk ? array.cost.decoded : block_bytes,
                    first_step, write_step, buffer_array::output(output));
    if (!is_chunk) {
      result.chunk = buffers.add(chunk_use, array.cost.decoded, write_step, write_step,
                                 buffer_array::output(output));
    }
    add_encoding(output, write_step);
  }

  /// Adds the buffers that append a leg to a shard. The index of the shard lives through all legs.
  void add_stream(std::size_t output, const lifetime& used) {
    const array_storage& array = outputs_[output];
    const index_vector leg = op().outputs[output].block(schedule());
    const buffer_array of = buffer_array::output(output);
    planned_result& result = planned_.outputs[output];
    result.access = output_access::streamed;
    result.buffer = planned_.buffers.add(leg_use, to_size(num_elements(leg)) * array.type.size(),
                                         used.first, used.last, of);
    result.encoded =
        planned_.buffers.add(encoded_chunk_use, array.streams.encoded, used.last, used.last, of);
    result.index = planned_.buffers.add("index", array.streams.index, 0, last_step_, of);
    planned_.buffers.add_external(codec_use, array.cost.workspace, used.last, of);
    if (array.streams.writer > 0) planned_.buffers.add_kept("writer", array.streams.writer);
  }

  void add_encoding(std::size_t output, std::size_t step) {
    const array_storage& array = outputs_[output];
    planned_result& result = planned_.outputs[output];
    const buffer_array of = buffer_array::output(output);
    if (array.cost.encoded > 0) {
      result.encoded = planned_.buffers.add(encoded_chunk_use, array.cost.encoded, step, step, of);
    }
    if (array.cost.scratch > 0) {
      result.write_scratch = planned_.buffers.add("transposed", array.cost.scratch, step, step, of);
    }
    planned_.buffers.add_external(codec_use, array.cost.workspace, step, of);
  }

  void count_writes() {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const array_storage& array = outputs_[i];
      planned_result& result = planned_.outputs[i];
      if (array.medium != array_storage::kind::chunks) {
        planned_.memory_moved += bytes{to_size(num_elements(array.shape)) * array.type.size()};
        continue;
      }
      result.chunk_writes = 1;
      for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
        result.chunk_writes = saturating_multiply(
            result.chunk_writes, ceil_divide(array.shape[axis], array.chunks[axis]));
      }
      result.bytes_written = bytes_of_chunks(result.chunk_writes, array);
      planned_.bytes_written += result.bytes_written;
      planned_.chunk_writes = saturating_add(planned_.chunk_writes, result.chunk_writes);
    }
  }

  const std::vector<array_storage>& inputs_;
  const std::vector<array_storage>& outputs_;
  planned_operation planned_;
  /// The views of operands in storage.
  std::vector<window_view> views_;
  /// The schedule of one task: block and step are clipped to the domain.
  loop_schedule schedule_;
  bool is_forwarded_ = false;
  bool is_read_into_ = false;
  /// The buffer of a window that becomes the chunk to write.
  std::size_t chunk_in_window_ = no_buffer;
  bool holds_chunks_;
  bool is_streamed_;
  /// The last step in which a task uses a buffer.
  std::size_t last_step_ = 0;
  bool may_hold_chunks_ = false;
};

}  // namespace

planned_operation plan_at_once(operation op, const std::vector<array_storage>& inputs,
                               const std::vector<array_storage>& outputs) {
  buffer_planner planner(std::move(op), inputs, outputs, false);
  planned_operation planned = planner.run();
  if (!planner.may_hold_chunks()) return planned;
  // Windows of whole chunks save copies; they are taken if they need no more memory.
  planned_operation whole = buffer_planner(planned.op, inputs, outputs, true).run();
  return whole.buffers.peak_bytes() > planned.buffers.peak_bytes() ? planned : whole;
}

planned_operation plan_leg(operation op, const std::vector<array_storage>& inputs,
                           const std::vector<array_storage>& outputs) {
  return buffer_planner(std::move(op), inputs, outputs, false, true).run();
}

}  // namespace tessera
