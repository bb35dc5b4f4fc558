// SPDX-License-Identifier: Apache-2.0
#include "primitive/composition/reads.hpp"

#include "core/api/reshaped_block.hpp"
#include "core/api/wide_integer.hpp"
#include "primitive/composition/layout.hpp"

#include <algorithm>
#include <optional>
#include <vector>

namespace tessera::detail {

namespace {

bool is_extra(const output_axis& axis) { return axis.origin == output_axis::kind::extra; }

/// Returns the axes of the domain of `part`, along the axes of an operation of rank `rank`.
std::vector<output_axis> frame_of(const stage& part, std::size_t rank) {
  if (part.frame) return *part.frame;
  std::vector<output_axis> axes(rank);
  for (std::size_t axis = 0; axis < rank; ++axis) axes[axis].axis = axis;
  return axes;
}

/// Returns the halo of `part` along its axis `axis`, or null.
const halo_axis* halo_along(const stage& part, std::size_t axis) {
  const auto match = std::ranges::find(part.halo, axis, &halo_axis::axis);
  return match == part.halo.end() ? nullptr : &*match;
}

/// The sums of positions along two axes of an operation, `i` and `w`, at which a stage reads an
/// axis, and its map along this axis: `offset + step * sum`.
struct read_sums {
  wide_integer first = 0;
  wide_integer last = 0;
  wide_integer offset = 0;
  wide_integer step = 0;
};

/// A stage that reads elements of another one in `box` of its domain.
class reading_stage {
 public:
  reading_stage(const stage& part, const region& box, const loop_schedule& schedule)
      : part_(part),
        frame_(frame_of(part, schedule.rank())),
        box_(box),
        domain_(schedule_of(part, schedule).domain) {}

  /// Tells whether the part of an output that lies along `read` has all elements that the stage
  /// reads in the same part of the domain, at `map` along that axis.
  [[nodiscard]] bool is_covered(const output_axis& read, const axis_map& map) const {
    if (is_extra(read)) return true;
    // The range of elements that one element reads, relative to the first one of its box.
    wide_integer least = map.offset;
    wide_integer greatest = map.offset;
    index_t step = 0;
    for (const axis_term& term : map.terms()) {
      const output_axis& axis = frame_[term.axis];
      if (is_extra(axis)) {
        const wide_integer last = static_cast<wide_integer>(term.step) * (domain_[term.axis] - 1);
        (last < 0 ? least : greatest) += last;
        continue;
      }
      if (halo_along(part_, term.axis) != nullptr) return false;
      const wide_integer along = static_cast<wide_integer>(read.step) * term.step;
      if (step != 0 || term.step < 1 || axis.origin != read.origin || axis.axis != read.axis ||
          axis.skipped != read.skipped || axis.step != along) {
        return false;
      }
      step = term.step;
    }
    return step != 0 && least >= 0 && greatest < step;
  }

  /// Returns the sums of positions along `axis` and `by` of the operation at which the stage reads
  /// through `map`; nullopt if it reads at other positions.
  [[nodiscard]] std::optional<read_sums> sums_along(std::size_t axis, std::size_t by,
                                                    const axis_map& map) const {
    std::optional<std::size_t> along;
    std::optional<std::size_t> window;
    for (std::size_t k = 0; k < frame_.size(); ++k) {
      if (!frame_[k].is_of_domain() || frame_[k].step != 1) continue;
      if (frame_[k].axis == axis) along = k;
      if (frame_[k].axis == by) window = k;
    }
    if (!along) return std::nullopt;
    const halo_axis* const halo = halo_along(part_, *along);
    read_sums sums{box_.start[*along], box_.stop[*along] - 1, map.offset, map.step_along(*along)};
    std::size_t num_terms = 1;
    if (halo != nullptr && halo->by == by && !window) {
      sums.first -= halo->offset;
      sums.last -= halo->offset;
      sums.offset += sums.step * halo->offset;
    } else if (halo == nullptr && window && map.step_along(*window) == sums.step) {
      sums.first += box_.start[*window];
      sums.last += box_.stop[*window] - 1;
      num_terms = 2;
    } else {
      return std::nullopt;
    }
    if (sums.step == 0) num_terms = 0;
    return map.terms().size() == num_terms ? std::optional(sums) : std::nullopt;
  }

 private:
  const stage& part_;
  std::vector<output_axis> frame_;
  const region& box_;
  index_vector domain_;
};

/// Tells whether `sums` read only elements that a stage with `halo` computes in the same box of the
/// operation. The box may be any part of `length` elements along the axis of the stage, and all
/// `width` elements along the axis of its windows.
///
/// The box begins at `start` and ends before `stop`. It has the sum s, so
///     start <= min(s, length - 1)    and    stop - 1 + width - 1 >= max(s, width - 1)
/// The stage computes the sums from `start` to `stop - 1 + width - 1`. The distances of the element
/// that is read from both bounds are least at the ends of the range of s, as the step of the map is
/// -1, 0 or 1.
bool are_computed(const read_sums& sums, const halo_axis& halo, index_t length, index_t width) {
  if (sums.step < -1 || sums.step > 1) return false;
  const auto is_computed = [&](wide_integer sum) {
    const wide_integer read = sums.offset + sums.step * sum - halo.offset;
    return std::min<wide_integer>(sum, length - 1) <= read &&
           read <= std::max<wide_integer>(sum, width - 1);
  };
  return is_computed(sums.first) && is_computed(sums.last);
}

/// Tells whether each part of a task at `scope` has the whole of an axis along `read` of the
/// operation, with `halo` if it is not null.
bool is_whole(const output_axis& read, const halo_axis* halo, const loop_schedule& schedule,
              task_scope scope) {
  if (scope != task_scope::step || read.origin != output_axis::kind::along || read.step != 1 ||
      !takes_whole(schedule, read.axis, scope)) {
    return false;
  }
  if (halo == nullptr) return true;
  const wide_integer last_sum =
      static_cast<wide_integer>(schedule.domain[read.axis]) + schedule.domain[halo->by] - 2;
  return takes_whole(schedule, halo->by, scope) && halo->offset <= 0 &&
         last_sum + halo->offset >= halo->extent - 1;
}

/// Tells whether `reader`, a stage at `scope`, reads through `input` elements of `source` alone
/// that `source`, of these `results`, computes in the same box.
bool reads_same_box(const reading_stage& reader, const stage_input& input, task_scope scope,
                    const stage& source, const stage_outputs& results,
                    const loop_schedule& schedule) {
  const std::vector<output_axis>& axes = results.domain_outputs[input.number].axes;
  const std::vector<output_axis>& axes_of_stage = results.outputs[input.number].axes;
  for (std::size_t k = 0; k < axes.size(); ++k) {
    const output_axis& read = axes[k];
    if (is_extra(read)) continue;
    const halo_axis* const halo = halo_along(source, axes_of_stage[k].axis);
    if (is_whole(read, halo, schedule, scope)) continue;
    const std::optional<axis_map> map = index_along(input.map, k);
    if (!map) return false;
    if (halo == nullptr) {
      if (!reader.is_covered(read, *map)) return false;
      continue;
    }
    const std::optional<read_sums> sums = reader.sums_along(read.axis, halo->by, *map);
    if (!sums) return false;
    if (sums->step == 1 && sums->offset == halo->offset) continue;
    if (!takes_whole(schedule, halo->by, scope) ||
        !are_computed(*sums, *halo, schedule.domain[read.axis], schedule.domain[halo->by])) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool reads_computed(std::span<const stage> stages, std::size_t number,
                    const loop_schedule& schedule) {
  const stage& part = stages[number];
  const loop_schedule steps = schedule_of(part, schedule);
  const task_demand needs = part.op->demand(steps, part.inputs.size());
  for (std::size_t i = 0; i < part.inputs.size(); ++i) {
    const stage_input& input = part.inputs[i];
    const region box = needs.operands[i].domain.value_or(region::whole(steps.domain));
    if (!input.stage || box.empty()) continue;
    const reading_stage reader(part, box, schedule);
    const stage& source = stages[*input.stage];
    const stage_outputs results = outputs_of(source, schedule);
    if (!reads_same_box(reader, input, part.at, source, results, schedule)) return false;
  }
  return true;
}

}  // namespace tessera::detail
