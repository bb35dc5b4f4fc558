// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/lower_blocks.hpp"

#include "tessera/core/error.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/plan/bounded_plan.hpp"

#include "core/api/itemsize.hpp"
#include "lower/operands.hpp"
#include "lower/out_of_core_lines.hpp"
#include "lower/out_of_core_transform.hpp"
#include "primitive/api/block_function.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

/// The schedule of a line kernel: its axes, and the shape of the result.
struct line_schedule {
  block_schedule blocks;
  index_vector shape;
  /// For each axis of the result its axis of the domain; the domain's rank for the axis that the
  /// results of lines lie along.
  std::vector<std::size_t> along;
};

/// The operand of the kernel has the loop axes, then `line_axes`; its output the loop axes, then
/// the axis of the line result. In the array of the result, this axis stands at the first line
/// axis, or first of all.
line_schedule schedule_lines(const index_vector& domain, axis_set line_axes,
                             const line_output& line_result) {
  line_schedule schedule;
  std::vector<block_axis> lines;
  schedule.blocks.inputs.emplace_back();
  schedule.blocks.outputs.emplace_back();
  std::vector<block_axis>& kernel_axes = schedule.blocks.inputs.front();
  std::vector<output_axis>& axes = schedule.blocks.outputs.front().axes;
  std::vector<std::size_t>& order = schedule.blocks.outputs.front().order;
  std::size_t result_axis = domain.size();
  const auto add_result_axis = [&] {
    result_axis = axes.size();
    axes.push_back({axis_kind::extra, 0, *line_result.length});
    schedule.shape.push_back(*line_result.length);
    schedule.along.push_back(domain.size());
  };
  if (line_result.length && line_result.is_first) add_result_axis();
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (line_axes[axis]) {
      if (line_result.length && !line_result.is_first && lines.empty()) add_result_axis();
      lines.push_back({axis});
      continue;
    }
    kernel_axes.push_back({axis});
    order.push_back(axes.size());
    axes.push_back({axis_kind::along, axis});
    schedule.shape.push_back(domain[axis]);
    schedule.along.push_back(axis);
  }
  kernel_axes.insert(kernel_axes.end(), lines.begin(), lines.end());
  if (line_result.length) order.push_back(result_axis);
  schedule.blocks.whole = line_axes;
  return schedule;
}

/// Returns an array of `shape`, filled with the result of `kernel` for a line without elements.
array_handle make_results_of_empty_lines(std::string_view name, const block_kernel& kernel,
                                         const kernel_parameters& parameters,
                                         const index_vector& shape, const index_vector& chunks,
                                         const line_output& line_result) {
  const auto size = itemsize_of(kernel.outputs.front());
  const index_t length = line_result.length.value_or(1);
  std::vector<std::byte> elements(static_cast<std::size_t>(std::max<index_t>(1, length) * size));
  const block_input empty_line{nullptr, {0}, {0}, {0}};
  block_output out{elements.data(), {}, {}, {}};
  if (line_result.length) out = {elements.data(), {length}, {size}, {0}};
  const block_shapes shapes{{empty_line.extents}, {out.extents}, parameters.get()};
  std::vector<std::byte> workspace(kernel.workspace == nullptr ? 0 : kernel.workspace(shapes));
  kernel.run({{&empty_line, 1}, {&out, 1}, parameters.get(), workspace});
  return visit_dtype(kernel.outputs.front(), [&]<class T>(type_tag<T>) {
    T constant{};
    std::memcpy(static_cast<void*>(&constant), elements.data(), sizeof constant);
    return make_generated(name, shape, chunks, generator::constant<T>(),
                          generator::constant_parameters<T>(constant));
  });
}

/// Returns the result of `lines`, of `shape` in chunks of `chunks`. Returns nullptr if a task holds
/// a line or the kernel has no out-of-core form.
array_handle make_out_of_core(const out_of_core_lines& lines, const index_vector& shape,
                              const index_vector& chunks,
                              const std::function<bytes()>& find_enough_memory) {
  if (lines.layout.shape.size() >= max_rank) return nullptr;
  if (is_fft_kernel(lines.kernel)) return make_out_of_core_fft(lines, chunks, find_enough_memory);
  return lines.make_ordered(shape, chunks);
}

/// Returns an allowed memory with which the array `make(layout)` can be planned, at most 4 % above
/// the least.
///
/// The blocks depend on the allowed memory, so no formula gives it: a bisection makes plans.
bytes find_enough_memory(array_layout layout,
                         const std::function<array_handle(const array_layout&)>& make) {
  spec limits = spec_of_layout(layout);
  const auto is_enough = [&](double memory) {
    limits.allowed_memory = bytes{static_cast<std::uint64_t>(memory)};
    layout.spec = std::make_shared<const spec>(limits);
    try {
      const bounded_plan plan({{make(layout)}}, limits, {.bound_memory = false});
      return plan.projected_memory() <= limits.allowed_memory;
    } catch (const memory_error&) {
      return false;
    }
  };
  constexpr double least = 1 << 16;
  constexpr double most = 1e18;
  double enough = std::max(least, static_cast<double>(limits.allowed_memory.count()));
  while (enough < most && !is_enough(enough)) enough *= 2;
  constexpr double precision = 1.04;
  for (double refused = enough / 2; enough > precision * refused;) {
    const double middle = std::sqrt(refused * enough);
    (is_enough(middle) ? enough : refused) = middle;
  }
  return bytes{static_cast<std::uint64_t>(enough)};
}

/// As `make_lines`; a refusal names the result of `find_enough`.
array_handle make_lines_or_refuse(std::string_view name, const block_kernel& kernel,
                                  const kernel_parameters& parameters, const array_layout& layout,
                                  const index_vector& chunks, axis_mask line_axes,
                                  const line_output& line_result, const array_view& x,
                                  const std::function<bytes()>& find_enough) {
  const index_vector& domain = layout.shape;
  line_schedule schedule = schedule_lines(domain, line_axes, line_result);
  const index_vector clipped = clip_chunks(chunks, schedule.shape);
  if (num_elements(domain) == 0) {
    return make_results_of_empty_lines(name, kernel, parameters, schedule.shape, clipped,
                                       line_result);
  }
  operation op;
  op.name = name;
  op.schedule.domain = op.schedule.block = domain;
  for (std::size_t k = 0; k < clipped.size(); ++k) {
    if (schedule.along[k] < domain.size()) op.schedule.block[schedule.along[k]] = clipped[k];
  }
  const out_of_core_lines out_of_core{name, kernel,    parameters,  layout,
                                      x,    line_axes, line_result, op.schedule.block};
  if (array_handle result = make_out_of_core(out_of_core, schedule.shape, clipped, find_enough)) {
    return result;
  }
  op.schedule.step = op.schedule.block;
  op.operands = {x.map};
  op.primitive =
      std::make_shared<const block_function>(kernel, parameters, std::move(schedule.blocks));
  return make_output_array(std::move(op), {x.array}, std::move(schedule.shape), clipped);
}

}  // namespace

array_handle make_lines(std::string_view name, const block_kernel& kernel,
                        const kernel_parameters& parameters, const array_layout& layout,
                        const index_vector& chunks, axis_mask line_axes,
                        const line_output& line_result, const array_view& x) {
  const auto make_within = [&](const array_layout& limits, const std::function<bytes()>& enough) {
    return make_lines_or_refuse(name, kernel, parameters, limits, chunks, line_axes, line_result, x,
                                enough);
  };
  return make_within(layout, [&] {
    return find_enough_memory(layout, [&](const array_layout& limits) {
      return make_within(limits, [] { return bytes{}; });
    });
  });
}

namespace {

/// Returns the axes that a kernel takes step by step: neither whole nor in any result.
axis_set streamed_axes(const block_form& form) {
  axis_set streamed;
  for (std::size_t axis = 0; axis < form.domain.size(); ++axis) streamed.set(axis);
  streamed &= ~axis_set(form.whole);
  for (const block_form::result& result : form.results) {
    for (const block_form::result_axis& axis : result.axes) {
      if (!axis.length) streamed.reset(axis.of);
    }
  }
  return streamed;
}

bool has_no_steps(const block_form& form) {
  const axis_set streamed = streamed_axes(form);
  for (std::size_t axis = 0; axis < form.domain.size(); ++axis) {
    if (streamed[axis] && form.domain[axis] == 0) return true;
  }
  return false;
}

/// Returns the length of a step along `axis`: the greatest chunk of the operands that have it.
index_t step_along(std::size_t axis, const std::vector<index_map>& maps,
                   const std::vector<array_handle>& arrays) {
  index_t step = 1;
  for (std::size_t i = 0; i < maps.size(); ++i) {
    for (std::size_t k = 0; k < arrays[i]->chunks.size(); ++k) {
      const axis_term* const term = maps[i].gather() == nullptr ? maps[i][k].only_term() : nullptr;
      if (term == nullptr || term->axis != axis) continue;
      step = std::max(step, ceil_divide(arrays[i]->chunks[k], std::abs(term->step)));
    }
  }
  return step;
}

/// Returns the results of `kernel` over a streamed axis of extent 0: zeros.
std::vector<array_handle> make_zeros(std::string_view name, const block_kernel& kernel,
                                     const block_form& form) {
  std::vector<array_handle> zeros;
  for (std::size_t i = 0; i < form.results.size(); ++i) {
    const array_layout& layout = form.results[i].layout;
    zeros.push_back(visit_dtype(kernel.outputs[i], [&]<class T>(type_tag<T>) {
      return make_generated(name, layout.shape, layout.chunks, generator::constant<T>(),
                            generator::constant_parameters<T>(T{}));
    }));
  }
  return zeros;
}

/// Returns the bytes of results and of operands, without the streamed ones, for a block.
double bytes_in_block(const block_kernel& kernel, const block_form& form,
                      const index_vector& block) {
  const axis_set streamed = streamed_axes(form);
  double bytes = 0;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    double block_bytes = static_cast<double>(size_of(kernel.inputs[i]));
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
      if (!form.operands[i].map.depends_on(axis)) continue;
      block_bytes *= streamed[axis] ? 0 : static_cast<double>(block[axis]);
    }
    bytes += block_bytes;
  }
  for (std::size_t i = 0; i < form.results.size(); ++i) {
    double block_bytes = static_cast<double>(size_of(kernel.outputs[i]));
    for (const block_form::result_axis& axis : form.results[i].axes) {
      block_bytes *= static_cast<double>(axis.length.value_or(block[axis.of]));
    }
    bytes += block_bytes;
  }
  return bytes;
}

/// Doubles the block of `op` along the long axes, the last axis first, until it covers the axis or
/// a further doubling would take more than a quarter of the task's memory.
void lengthen_block(operation& op, const block_kernel& kernel, const block_form& form,
                    const spec& limits) {
  const double most = static_cast<double>(task_memory(limits).count()) / 4;
  for (std::size_t axis = form.domain.size(); axis-- > 0;) {
    if (!axis_set(form.long_axes)[axis]) continue;
    index_vector longer = op.schedule.block;
    while (longer[axis] < form.domain[axis]) {
      longer[axis] = std::min(form.domain[axis], 2 * longer[axis]);
      if (bytes_in_block(kernel, form, longer) > most) break;
      op.schedule.block = longer;
    }
  }
}

/// Adds the outputs of `form` to `blocks`. Returns their chunks in a block of `schedule`.
std::vector<index_vector> add_outputs(const block_form& form, const loop_schedule& schedule,
                                      block_schedule& blocks) {
  std::vector<index_vector> output_chunks;
  for (const block_form::result& result : form.results) {
    block_output_spec& output_spec = blocks.outputs.emplace_back();
    index_vector& block = output_chunks.emplace_back();
    for (const block_form::result_axis& axis : result.axes) {
      output_spec.order.push_back(output_spec.axes.size());
      output_spec.axes.push_back(axis.length ? output_axis{axis_kind::extra, 0, *axis.length}
                                             : output_axis{axis_kind::along, axis.of});
      block.push_back(std::max<index_t>(1, axis.length.value_or(schedule.block[axis.of])));
    }
  }
  return output_chunks;
}

/// Adds the operands to `op` and their axes to `blocks`. Tells whether an operand has a halo.
bool add_operands(const block_form& form, const std::vector<array_view>& operands, operation& op,
                  block_schedule& blocks) {
  bool has_halo = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    blocks.inputs.emplace_back();
    for (const block_form::axis& axis : form.operands[i].axes) {
      blocks.inputs.back().push_back({axis.of, axis.grown_by});
      has_halo = has_halo || axis.grown_by.has_value();
    }
    op.operands.push_back(compose(operands[i].map, form.operands[i].map));
  }
  return has_halo;
}

/// Returns the results of `kernel`, scheduled by `form`: the first in chunks of `chunks`, further
/// results in the chunks that correspond.
std::vector<array_handle> make_in_chunks(std::string_view name, const block_kernel& kernel,
                                         const kernel_parameters& parameters,
                                         const block_form& form, const index_vector& chunks,
                                         const std::vector<array_view>& operands) {
  if (has_no_steps(form)) return make_zeros(name, kernel, form);
  operation op;
  op.name = name;
  op.schedule.domain = op.schedule.block = form.domain;
  block_schedule blocks;
  blocks.whole = form.whole;
  blocks.streamed = streamed_axes(form);
  const std::vector<block_form::result_axis>& first_axes = form.results.front().axes;
  for (std::size_t k = 0; k < first_axes.size(); ++k) {
    if (!first_axes[k].length) op.schedule.block[first_axes[k].of] = chunks[k];
  }
  lengthen_block(op, kernel, form, spec_of_layout(form.results.front().layout));
  std::vector<index_vector> output_chunks = add_outputs(form, op.schedule, blocks);
  if (form.results.size() == 1) output_chunks.front() = chunks;
  op.schedule.step = op.schedule.block;
  const bool has_halo = add_operands(form, operands, op, blocks);
  std::vector<array_handle> arrays;
  for (const array_view& operand : operands) arrays.push_back(operand.array);
  for (std::size_t axis = 0; axis < form.domain.size(); ++axis) {
    if (!blocks.streamed[axis]) continue;
    op.schedule.step[axis] = std::min(form.domain[axis], step_along(axis, op.operands, arrays));
  }
  // A task that takes neighbouring blocks reads their common halo once.
  if (has_halo && form.is_by_chunks) blocks.call = op.schedule.block;
  op.primitive = std::make_shared<const block_function>(kernel, parameters, std::move(blocks));
  return make_output_arrays(std::move(op), std::move(arrays), output_chunks);
}

}  // namespace

array_handle make_blocks(std::string_view name, const block_kernel& kernel,
                         const kernel_parameters& parameters, const block_form& form,
                         const index_vector& chunks, const std::vector<array_view>& operands) {
  const array_layout& layout = form.results.front().layout;
  const index_vector block = clip_chunks(form.is_by_chunks ? layout.chunks : chunks, layout.shape);
  array_handle result = make_in_chunks(name, kernel, parameters, form, block, operands).front();
  return form.is_by_chunks
             ? materialise("rechunk", whole_of(std::move(result)), layout.shape, chunks)
             : result;
}

std::vector<array_handle> make_several(std::string_view name, const block_kernel& kernel,
                                       const kernel_parameters& parameters, const block_form& form,
                                       const std::vector<array_view>& operands) {
  const array_layout& layout = form.results.front().layout;
  return make_in_chunks(name, kernel, parameters, form, clip_chunks(layout.chunks, layout.shape),
                        operands);
}

}  // namespace tessera
