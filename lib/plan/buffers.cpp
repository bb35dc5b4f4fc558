// SPDX-License-Identifier: Apache-2.0
#include "plan/buffers.hpp"

#include "tessera/core/error.hpp"
#include "tessera/core/gather_walk.hpp"

#include "plan/saturating.hpp"
#include "plan/window.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <utility>

namespace tessera {

namespace {

std::size_t to_size(index_t n) { return static_cast<std::size_t>(n); }

/// Works out the buffers of one operation. Steps are numbered in the order of a task's life.
class buffer_planner {
 public:
  /// A window of which each step sees some layers of one chunk may hold that as a whole.
  buffer_planner(operation what, const std::vector<array_storage>& inputs,
                 const std::vector<array_storage>& outputs, bool holds_chunks)
      : inputs_(inputs), outputs_(outputs), holds_chunks_(holds_chunks) {
    planned_.what = std::move(what);
    planned_.inputs.resize(inputs.size());
    planned_.outputs.resize(outputs.size());
    walk& how = planned_.what.how;
    planned_.num_tasks = how.tasks().size();
    const axis_set steps = planned_.what.body->in_steps(how);
    for (std::size_t axis = 0; axis < how.rank(); ++axis) {
      if (!steps[axis]) how.stream[axis] = how.block[axis];
    }
    one_ = how;
    one_.stream = clipped(how.stream, how.domain);
    one_.block = clipped(how.block, how.domain);
  }

  [[nodiscard]] bool may_hold_chunks() const { return may_hold_chunks_; }

  planned_operation run() {
    const task_demand needs = planned_.what.body->demand(one_, inputs_.size());
    is_handed_on_ = can_hand_on(needs);
    is_read_into_ = can_read_into(needs);
    std::size_t last_step = 0;
    for (const output_demand& output : needs.outputs) {
      last_step = std::max(last_step, output.held.last);
    }
    for (std::size_t operand = 0; operand < inputs_.size(); ++operand) {
      if (needs.operands[operand].is_used) add_operand(operand, needs.operands[operand]);
    }
    limit_kept_views();
    const axis_set reduced = planned_.what.body->reduced();
    for (view_group& group : grouped(planned_.what.how, reduced, views_, inputs_)) {
      add_window(std::move(group), needs, last_step);
    }
    for (const own_buffer& own : needs.own) {
      planned_.own.push_back(planned_.buffers.add(own.name, own.size, 0, last_step));
    }
    if (is_handed_on_) {
      hand_on(last_step);
    } else if (is_read_into_) {
      planned_.outputs[0].access = output_access::read_into;
    } else {
      // What is only handed on is computed where it is generated, and nowhere else.
      const bool is_copied = needs.is_handed_on && inputs_[0].how != array_storage::kind::generated;
      planned_.scratch =
          planned_.buffers.add("scratch", is_copied ? 0 : needs.scratch, 0, last_step);
      for (std::size_t i = 0; i < outputs_.size(); ++i) add_output(i, needs.outputs.at(i));
    }
    for (const own_buffer& kept : needs.kept) planned_.buffers.add_kept(kept.name, kept.size);
    count_writes();
    planned_.buffers.lay_out();
    return std::move(planned_);
  }

 private:
  /// Returns the extents of what is made of an output before it is handed on.
  [[nodiscard]] index_vector made_at_once(std::size_t i, const output_demand& needs,
                                          const walk& how) const {
    const output& made = planned_.what.outputs[i];
    switch (needs.leaves_with) {
      case walk_stretch::step:
        return made.extents_of(how.stream);
      case walk_stretch::leg:
        return made.extents_of(how.leg());
      case walk_stretch::task:
        break;
    }
    return made.block(how);
  }

  /// Tells whether an axis of the array is found from `axis` of the domain, and from that alone.
  [[nodiscard]] static bool depends_alone_on(const index_map& map, std::size_t axis) {
    return std::any_of(map.axes().begin(), map.axes().end(), [axis](const axis_map& m) {
      return m.only_term() != nullptr && m.depends_on(axis);
    });
  }

  /// Tells whether no two steps of a stream can read the same region of an operand.
  [[nodiscard]] bool changes_with_every_step(std::size_t operand) const {
    for (std::size_t axis = 0; axis < one_.rank(); ++axis) {
      if (one_.block[axis] > one_.stream[axis] &&
          !depends_alone_on(planned_.what.operands[operand], axis)) {
        return false;
      }
    }
    return true;
  }

  /// Finds out how an operand is got at, and adds it to the window that it is read through.
  void add_operand(std::size_t operand, const operand_demand& needs) {
    const array_storage& array = inputs_[operand];
    planned_operand& use = planned_.inputs[operand];
    const region where = needs.where.value_or(region::whole(planned_.what.how.domain));
    switch (array.how) {
      case array_storage::kind::memory:
        if (planned_.what.operands[operand].behind() != nullptr) break;
        use.access = operand_access::in_place;
        planned_.memory_moved += bytes{seen_bytes(operand, where.shape())};
        return;
      case array_storage::kind::generated:
        use.access = operand_access::generated;
        if (needs.is_whole) {
          use.buffer =
              planned_.buffers.add(array.name + ": region", seen_bytes(operand, one_.stream),
                                   needs.used.first, needs.used.last);
        }
        return;
      case array_storage::kind::chunks:
        break;
    }
    views_.push_back({operand, &planned_.what.operands[operand], where, true, needs.at_start});
  }

  /// What is kept from step to step has a place of its own: that of many pieces would be too much,
  /// most of which a task never meets.
  void limit_kept_views() {
    constexpr std::ptrdiff_t most_kept = 16;
    const region all = region::whole(planned_.what.how.domain);
    const auto is_part = [&](const window_view& view) { return !(view.where == all); };
    if (std::count_if(views_.begin(), views_.end(), is_part) <= most_kept) return;
    for (window_view& view : views_) view.may_be_kept = !is_part(view);
  }

  /// Adds the buffers of a window.
  void add_window(view_group window, const task_demand& needs, std::size_t last_step) {
    const std::size_t first = window.views.front().operand;
    if (window.size.is_spaced_in_chunk && window.size.reads_most() && !is_read_into_) {
      may_hold_chunks_ = true;
      if (holds_chunks_) window.size.hold(inputs_[first].chunks);
    }
    const array_storage& array = inputs_[first];
    lifetime used = needs.operands[first].used;
    lifetime read = needs.operands[first].read;
    planned_window planned{.spacing = window.size.spacing, .extents = window.size.extents};
    const bool is_gathered = is_read_into_ || window.views.size() > 1 || !reads_whole_chunks(first);
    const bool has_steps =
        fastest_axis(planned_.what.how, planned_.what.body->reduced()) != no_axis;
    bool is_kept = is_gathered && window.size.walked != no_axis;
    for (const window_view& view : window.views) {
      const operand_demand& needed = needs.operands[view.operand];
      used = {std::min(used.first, needed.used.first), std::max(used.last, needed.used.last)};
      read = {std::min(read.first, needed.read.first), std::max(read.last, needed.read.last)};
      is_kept = is_kept || !changes_with_every_step(view.operand) ||
                (window.views.size() > 1 && has_steps);
      planned.operands.push_back(view.operand);
      planned.where.push_back(view.where);
      planned.at_start.push_back(view.at_start);
      planned_.inputs[view.operand].window = planned_.windows.size();
    }
    // What some steps find as they left it must not share its place with anything else.
    if (is_kept) used = {0, std::max(used.last, needs.last_of_stream)};
    if (is_handed_on_) used.last = last_step;
    for (const std::size_t operand : planned.operands) {
      planned_.inputs[operand].access =
          is_gathered ? operand_access::gathered : operand_access::whole_chunk;
    }
    if (is_gathered && window.size.walked != no_axis) {
      planned.walked = window.size.walked;
      planned.walked_along = fastest_axis(planned_.what.how, planned_.what.body->reduced());
    }
    buffer_schedule& buffers = planned_.buffers;
    const std::string name = array.name + ": ";
    if (!is_read_into_) {
      planned.buffer =
          buffers.add(name + (is_gathered ? "region" : "chunk"),
                      is_gathered ? window.size.bytes(array.type.size()) : array.cost.decoded,
                      used.first, used.last);
    }
    if (array.cost.encoded > 0) {
      planned.encoded =
          buffers.add(name + "encoded chunk", array.cost.encoded, read.first, read.last);
    }
    const bool is_decoded_in_place = window.size.is_whole_chunks && !is_read_into_;
    if (is_gathered && array.how == array_storage::kind::chunks && !is_decoded_in_place) {
      planned.chunk = buffers.add(name + "chunk", array.cost.decoded, read.first, read.last);
    }
    const gather* const behind = planned_.what.operands[first].behind().get();
    if (behind != nullptr && behind->has_tables()) {
      const std::size_t size = 8 * gather_walk::order_size(*behind, window.size.extents);
      planned.order = buffers.add(name + "order", size, read.first, read.last);
    }
    buffers.add_external(name + "codec", array.cost.workspace, read.first);
    planned.chunk_reads = window.size.chunk_reads;
    planned.bytes_read = bytes_of(planned.chunk_reads, array);
    if (is_gathered) planned.bytes_read = window.size.read_of(planned.bytes_read);
    planned_.bytes_read += planned.bytes_read;
    planned_.chunk_reads = saturating_add(planned_.chunk_reads, planned.chunk_reads);
    planned_.windows.push_back(std::move(planned));
  }

  /// Returns the bytes of the elements of an operand that a box of `extents` sees.
  [[nodiscard]] std::size_t seen_bytes(std::size_t operand, const index_vector& extents) const {
    index_t count = 1;
    for (std::size_t axis = 0; axis < one_.rank(); ++axis) {
      if (planned_.what.operands[operand].depends_on(axis)) {
        count = checked_multiply(count, extents[axis]);
      }
    }
    return to_size(count) * inputs_[operand].type.size();
  }

  [[nodiscard]] bool reads_whole_chunks(std::size_t operand) const {
    return tessera::reads_whole_chunks(planned_.what.how, planned_.what.operands[operand],
                                       inputs_[operand]);
  }

  /// Tells whether chunks of the output can be cut from where the operand lies.
  [[nodiscard]] bool can_hand_on(const task_demand& needs) const {
    return needs.is_handed_on && inputs_[0].how != array_storage::kind::generated &&
           outputs_[0].how == array_storage::kind::chunks;
  }

  /// Tells whether the operand can be read straight to where the output is in memory: each axis of
  /// the array goes forwards along one axis of the domain, and another one for each.
  [[nodiscard]] bool can_read_into(const task_demand& needs) const {
    if (!needs.is_handed_on || inputs_[0].how != array_storage::kind::chunks ||
        outputs_[0].how != array_storage::kind::memory) {
      return false;
    }
    const index_map& map = planned_.what.operands[0];
    if (map.behind() != nullptr) return false;
    axis_set seen;
    for (const axis_map& m : map.axes()) {
      const axis_term* const term = m.only_term();
      if (term == nullptr || term->step < 1 || seen[term->axis]) return false;
      seen.set(term->axis);
    }
    return seen.count() == map.domain_rank();
  }

  /// Tells whether whole chunks become whole chunks of the same layout.
  [[nodiscard]] bool can_forward() const {
    const array_storage& from = inputs_[0];
    const array_storage& to = outputs_[0];
    const operation& what = planned_.what;
    const index_map& map = what.operands[0];
    return from.how == array_storage::kind::chunks && from.is_row_major && to.is_row_major &&
           from.chunks == to.chunks && is_one_chunk(what.outputs[0].block(what.how), to) &&
           ((map.is_identity() && reads_whole_chunks(0)) ||
            (planned_.windows.front().chunk == no_buffer && leads_to_whole_chunks(map, to)));
  }

  /// Adds what it takes to write the operand, which is the output.
  void hand_on(std::size_t write_step) {
    check_alignment(0, planned_.what.outputs[0].block(planned_.what.how));
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
    const bool is_one = is_one_chunk(whole, array);
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

  void count_writes() {
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      const array_storage& array = outputs_[i];
      planned_result& result = planned_.outputs[i];
      if (array.how != array_storage::kind::chunks) {
        planned_.memory_moved += bytes{to_size(num_elements(array.shape)) * array.type.size()};
        continue;
      }
      result.chunk_writes = 1;
      for (std::size_t axis = 0; axis < array.shape.size(); ++axis) {
        result.chunk_writes = saturating_multiply(
            result.chunk_writes, ceil_divide(array.shape[axis], array.chunks[axis]));
      }
      result.bytes_written = bytes_of(result.chunk_writes, array);
      planned_.bytes_written += result.bytes_written;
      planned_.chunk_writes = saturating_add(planned_.chunk_writes, result.chunk_writes);
    }
  }

  /// Returns the bytes of so many chunks: those at an array's end are stored whole.
  [[nodiscard]] static bytes bytes_of(index_t count, const array_storage& array) {
    return bytes{to_size(saturating_multiply(count, static_cast<index_t>(array.cost.decoded)))};
  }

  const std::vector<array_storage>& inputs_;
  const std::vector<array_storage>& outputs_;
  planned_operation planned_;
  /// How operands in storage are read.
  std::vector<window_view> views_;
  /// A walk of one block, which is not longer than the domain.
  walk one_;
  bool is_handed_on_ = false;
  bool is_read_into_ = false;
  bool holds_chunks_;
  bool may_hold_chunks_ = false;
};

}  // namespace

bool reads_whole_chunks(const walk& how, const index_map& map, const array_storage& array) {
  if (map.behind() != nullptr) return false;
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    const index_t chunk = array.chunks[k];
    const axis_map& m = map[k];
    if (m.terms().empty()) {
      if (chunk != 1 && array.shape[k] != 1) return false;
      continue;
    }
    const axis_term* const term = m.only_term();
    if (term == nullptr || term->step != 1 || m.offset != 0) return false;
    const index_t extent = how.domain[term->axis];
    if (extent != array.shape[k]) return false;
    const bool is_one_chunk = chunk >= extent && how.stream[term->axis] >= extent;
    const bool is_aligned = how.stream[term->axis] == chunk &&
                            (how.block[term->axis] % chunk == 0 || how.block[term->axis] >= extent);
    if (!is_one_chunk && !is_aligned) return false;
  }
  return true;
}

planned_operation with_buffers(operation what, const std::vector<array_storage>& inputs,
                               const std::vector<array_storage>& outputs) {
  buffer_planner with_parts(std::move(what), inputs, outputs, false);
  planned_operation planned = with_parts.run();
  if (!with_parts.may_hold_chunks()) return planned;
  // Where it takes no more memory, nothing is copied out of chunks.
  planned_operation whole = buffer_planner(planned.what, inputs, outputs, true).run();
  return whole.buffers.peak_bytes() > planned.buffers.peak_bytes() ? planned : whole;
}

}  // namespace tessera
