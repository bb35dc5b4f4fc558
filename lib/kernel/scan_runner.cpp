// SPDX-License-Identifier: Apache-2.0
/// \file
/// The loops of scans over a block.
///
/// Elements come in strips of a strip program, and each scan carries a state along the scanned
/// axis. A strip runs along the scanned axis with one state, or along another axis with as many
/// states, which stay in the first-level cache. The axis of strips is chosen once for a block and
/// all its scans, by strides.
///
/// Invariant: a state takes the elements of its line in their order, whatever the strip axis, so
/// that results have the same bits.

#include "kernel/api/scan_runner.hpp"

#include "core/api/cache_sizes.hpp"
#include "core/api/itemsize.hpp"
#include "kernel/loop_nest.hpp"
#include "kernel/strip_evaluator.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>

namespace tessera {

namespace {

/// The widest element, for strips of results that do not lie dense.
constexpr std::size_t widest = 16;

/// Returns the longest strip of states that stays in the first-level cache.
index_t longest_state_strip(const strip_program& program, std::span<const block_scan> scans) {
  constexpr std::size_t room = first_level_cache / 4 * 3;
  constexpr std::size_t shortest = 512;
  std::size_t bytes = 0;
  for (const dtype type : program.registers) bytes += size_of(type);
  for (const block_scan& scan : scans) {
    const index_t state_length =
        scan.kernel->state_length == nullptr ? 1 : scan.kernel->state_length(scan.parameters);
    for (const dtype type : scan.kernel->state_fields) {
      bytes += size_of(type) * static_cast<std::size_t>(state_length);
    }
    bytes += size_of(scan.kernel->output);
  }
  return std::min(max_strip, static_cast<index_t>(std::bit_floor(
                                 std::max(room / std::max<std::size_t>(bytes, 1), shortest))));
}

/// The scans of one block, after its loops were simplified.
///
/// A scan carries a state along the scanned axis. Strips run along that axis, with one state, or
/// along another axis with a strip of states:
///     run_along:  [state] -> x0 x1 x2 ...     run_each:  states -> strip at i -> strip at i + 1
/// Both orders visit the elements of a line in the same order and give the same bits.
class scan_over_block {
 private:
  [[nodiscard]] auto is_kept() const {
    return [this](std::size_t axis) { return axis != axis_ && !loops_.reduced[axis]; };
  }
  [[nodiscard]] auto is_scanned() const {
    return [this](std::size_t axis) { return axis != axis_ && loops_.reduced[axis]; };
  }

 public:
  scan_over_block(const strip_program& program, std::span<const block_operand> operands,
                  std::span<const block_scan> scans, const loop_nest& loops,
                  const index_vector& state_strides, std::size_t axis, index_t num_taken,
                  std::span<std::byte> scratch)
      : scans_(scans),
        loops_(loops),
        state_strides_(state_strides),
        axis_(axis),
        first_taken_(num_taken),
        room_(scratch.last(static_cast<std::size_t>(max_strip) * widest)),
        strips_(program, operands, small_vector<bool>(program.results.size()),
                {axis, axis, loops.extents[axis]}, loops.extents,
                std::min(max_strip, loops.extents[axis]),
                scratch.first(scratch.size() - room_.size())),
        position_(loops.extents.size()),
        state_strip_(longest_state_strip(program, scans)) {
    for (const block_scan& scan : scans) state_fields_.emplace_back(scan.state_fields.size());
  }

  /// Strips run along the axis that is scanned: each into one state.
  void run_along() {
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      find_fields();
      index_t num_taken = first_taken_;
      for_each_strip(position_, axis_, loops_.extents[axis_], max_strip, [&](index_t size) {
        strips_.evaluate(position_, size);
        for (std::size_t i = 0; i < scans_.size(); ++i) {
          if (position_[axis_] == 0) seed(i, 1);
          run(i, size, num_taken, scans_[i].kernel->run_along);
        }
        num_taken += size;
      });
    });
  }

  /// Strips run along another axis: each element goes into its own state.
  void run_each() {
    for_each_position(position_, loops_.extents, is_kept(), [&] {
      for_each_strip(position_, axis_, loops_.extents[axis_], state_strip_, [&](index_t size) {
        find_fields();
        index_t num_taken = first_taken_;
        for_each_position(position_, loops_.extents, is_scanned(), [&] {
          strips_.evaluate(position_, size);
          for (std::size_t i = 0; i < scans_.size(); ++i) {
            if (num_taken == first_taken_) seed(i, size);
            run(i, size, num_taken, scans_[i].kernel->run_each);
          }
          ++num_taken;
        });
      });
    });
  }

 private:
  /// Points `state_fields_` at the states of the current position.
  void find_fields() {
    const index_t offset = offset_of(position_, state_strides_);
    for (std::size_t i = 0; i < scans_.size(); ++i) {
      for (std::size_t field = 0; field < state_fields_[i].size(); ++field) {
        state_fields_[i][field] = scans_[i].state_fields[field] +
                                  offset * itemsize_of(scans_[i].kernel->state_fields[field]);
      }
    }
  }

  /// Sets the carried state of `size` lines to the seed that the program computes.
  void seed(std::size_t i, index_t size) {
    const block_scan& scan = scans_[i];
    if (!scan.is_seeded) return;
    const std::size_t count = scan.kernel->num_handed();
    for (std::size_t field = 0; field < count; ++field) {
      std::memcpy(state_fields_[i][count + field], strips_.result(scan.result + 1 + field),
                  static_cast<std::size_t>(size) * size_of(scan.kernel->state_fields[field]));
    }
  }

  void run(std::size_t i, index_t size, index_t num_taken,
           void (*kernel)(std::byte* const*, const scan_strip&)) {
    const block_scan& scan = scans_[i];
    const index_t itemsize = itemsize_of(scan.kernel->output);
    const bool is_kept = scan.to.data != nullptr;
    const index_t stride = size == 1 ? itemsize : scan.to.strides[axis_];
    std::byte* const destination =
        is_kept ? scan.to.data + offset_of(position_, scan.to.strides) : nullptr;
    std::byte* const out = is_kept && stride == itemsize ? destination : room_.data();
    kernel(state_fields_[i].data(), {.size = size,
                                     .input = strips_.result(scan.result),
                                     .output = out,
                                     .num_taken = num_taken,
                                     .value_stride = scan.value_stride,
                                     .parameters = scan.parameters});
    if (out == destination || !is_kept) return;
    copy_strided(destination, stride, out, itemsize, size, static_cast<std::size_t>(itemsize));
  }

  std::span<const block_scan> scans_;
  const loop_nest& loops_;
  const index_vector& state_strides_;
  std::size_t axis_;
  index_t first_taken_;
  std::span<std::byte> room_;
  strip_evaluator strips_;
  index_vector position_;
  index_t state_strip_;
  std::vector<std::vector<std::byte*>> state_fields_;
};

}  // namespace

index_t distance_of_values(const scan_kernel& kernel, index_t lines) {
  constexpr index_t in_a_line = cache_line / sizeof(double);
  if (kernel.state_length == nullptr || lines < 8 * in_a_line) return lines;
  return (ceil_divide(lines, in_a_line) | 1) * in_a_line;
}

std::size_t scan_scratch_bytes(const strip_program& program, index_t num_elements) {
  return scratch_bytes(program, num_elements) + static_cast<std::size_t>(max_strip) * widest;
}

void run_scans(const strip_program& program, std::span<const block_operand> operands,
               std::span<const block_scan> scans, std::span<const index_t> extents,
               const scan_loops& order, std::span<std::byte> scratch) {
  std::vector<block_operand> sources(operands.begin(), operands.end());
  std::vector<block_scan> with_seeds(scans.begin(), scans.end());
  index_vector states(order.state_strides);
  loop_nest loops{index_vector(extents), {}, {&states}};
  loops.reduced.set(order.axis);
  for (block_operand& source : sources) loops.strides.push_back(&source.strides);
  for (block_scan& scan : with_seeds) {
    if (scan.to.data == nullptr) scan.to.strides = index_vector(extents.size());
    loops.strides.push_back(&scan.to.strides);
  }
  loops.simplify();
  const std::size_t axis =
      choose_strip_axis(loops, [&](std::size_t k) { return loops.reduced[k] || states[k] == 1; });
  scan_over_block loop(program, sources, with_seeds, loops, states, axis, order.num_taken, scratch);
  loops.reduced[axis] ? loop.run_along() : loop.run_each();
}

}  // namespace tessera
