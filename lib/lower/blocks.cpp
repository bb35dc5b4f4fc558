// SPDX-License-Identifier: Apache-2.0
#include "tessera/lower/blocks.hpp"

#include "tessera/expr/layout.hpp"
#include "tessera/kernel/generator.hpp"
#include "tessera/lower/nodes.hpp"
#include "tessera/primitive/blocks.hpp"

#include "lower/long_lines.hpp"
#include "lower/operands.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using axis_kind = output_axis::kind;

/// How lines along some axes of a domain become an array.
struct line_walk {
  block_walk how;
  index_vector shape;
  /// For each axis of the array the axis of the domain, but for what lines become.
  std::vector<std::size_t> along;
};

line_walk walk_lines(const index_vector& domain, axis_set lined, const line_made& made) {
  line_walk walked;
  std::vector<block_axis> lines;
  walked.how.inputs.emplace_back();
  walked.how.outputs.emplace_back();
  std::vector<block_axis>& seen = walked.how.inputs.front();
  std::vector<output_axis>& axes = walked.how.outputs.front().axes;
  std::vector<std::size_t>& order = walked.how.outputs.front().order;
  std::size_t own = domain.size();
  const auto add_own = [&] {
    own = axes.size();
    axes.push_back({axis_kind::own, 0, *made.length});
    walked.shape.push_back(*made.length);
    walked.along.push_back(domain.size());
  };
  if (made.length && made.is_first) add_own();
  for (std::size_t axis = 0; axis < domain.size(); ++axis) {
    if (lined[axis]) {
      if (made.length && !made.is_first && lines.empty()) add_own();
      lines.push_back({axis});
      continue;
    }
    seen.push_back({axis});
    order.push_back(axes.size());
    axes.push_back({axis_kind::along, axis});
    walked.shape.push_back(domain[axis]);
    walked.along.push_back(axis);
  }
  seen.insert(seen.end(), lines.begin(), lines.end());
  if (made.length) order.push_back(own);
  walked.how.whole = lined;
  return walked;
}

/// Returns the array of `shape` whose elements are all what `kernel` makes of a line of nothing.
array_handle lines_of_nothing(std::string_view name, const block_kernel& kernel,
                              const kernel_parameters& parameters, const index_vector& shape,
                              const index_vector& chunks, const line_made& made) {
  const auto size = static_cast<index_t>(size_of(kernel.outputs.front()));
  const index_t length = made.length.value_or(1);
  std::vector<std::byte> elements(static_cast<std::size_t>(std::max<index_t>(1, length) * size));
  const block_input nothing{nullptr, {0}, {0}, {0}};
  block_output out{elements.data(), {}, {}, {}};
  if (made.length) out = {elements.data(), {length}, {size}, {0}};
  const block_shapes shapes{{nothing.extents}, {out.extents}, parameters.get()};
  std::vector<std::byte> workspace(kernel.workspace == nullptr ? 0 : kernel.workspace(shapes));
  kernel.run({{&nothing, 1}, {&out, 1}, parameters.get(), workspace});
  return visit_dtype(kernel.outputs.front(), [&]<class T>(type_tag<T>) {
    T constant{};
    std::memcpy(static_cast<void*>(&constant), elements.data(), sizeof constant);
    return make_generated(name, shape, chunks, generator::constant<T>(),
                          generator::constant_parameters<T>(constant));
  });
}

}  // namespace

array_handle make_lines(std::string_view name, const block_kernel& kernel,
                        const kernel_parameters& parameters, const array_layout& of,
                        const index_vector& chunks, axis_mask lined, const line_made& made,
                        const array_view& x) {
  const index_vector& domain = of.shape;
  line_walk walked = walk_lines(domain, lined, made);
  const index_vector clipped = clip_chunks(chunks, walked.shape);
  if (num_elements(domain) == 0) {
    return lines_of_nothing(name, kernel, parameters, walked.shape, clipped, made);
  }
  operation what;
  what.name = name;
  what.how.domain = what.how.block = domain;
  for (std::size_t k = 0; k < clipped.size(); ++k) {
    if (walked.along[k] < domain.size()) what.how.block[walked.along[k]] = clipped[k];
  }
  const long_lines of_lines{name, kernel, parameters, of, x, lined, made, what.how.block};
  if (array_handle found = of_lines.in_passes(walked.shape, clipped)) return found;
  what.how.stream = what.how.block;
  what.operands = {x.map};
  what.body = std::make_shared<const block_function>(kernel, parameters, std::move(walked.how));
  return array_made_by(std::move(what), {x.array}, std::move(walked.shape), clipped);
}

namespace {

/// Returns the axes that a kernel takes step by step: those that are not whole, and that no result
/// has.
axis_set streamed_in(const block_form& form) {
  axis_set streamed;
  for (std::size_t axis = 0; axis < form.domain.size(); ++axis) streamed.set(axis);
  streamed &= ~axis_set(form.whole);
  for (const block_form::result& result : form.results) {
    for (const block_form::made& axis : result.axes) {
      if (!axis.length) streamed.reset(axis.of);
    }
  }
  return streamed;
}

bool takes_no_step(const block_form& form) {
  const axis_set streamed = streamed_in(form);
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
      const axis_term* const term = maps[i].behind() == nullptr ? maps[i][k].only_term() : nullptr;
      if (term == nullptr || term->axis != axis) continue;
      step = std::max(step, ceil_divide(arrays[i]->chunks[k], std::abs(term->step)));
    }
  }
  return step;
}

/// Returns the results of `kernel` where it takes no step: zeros.
std::vector<array_handle> zeros_of(std::string_view name, const block_kernel& kernel,
                                   const block_form& form) {
  std::vector<array_handle> made;
  for (std::size_t i = 0; i < form.results.size(); ++i) {
    const array_layout& layout = form.results[i].layout;
    made.push_back(visit_dtype(kernel.outputs[i], [&]<class T>(type_tag<T>) {
      return make_generated(name, layout.shape, layout.chunks, generator::constant<T>(),
                            generator::constant_parameters<T>(T{}));
    }));
  }
  return made;
}

/// Returns the bytes that a block of a domain takes in operands, but for those that are streamed,
/// and in results.
double bytes_in_block(const block_kernel& kernel, const block_form& form,
                      const index_vector& block) {
  const axis_set streamed = streamed_in(form);
  double bytes = 0;
  for (std::size_t i = 0; i < form.operands.size(); ++i) {
    double each = static_cast<double>(size_of(kernel.inputs[i]));
    for (std::size_t axis = 0; axis < block.size(); ++axis) {
      if (!form.operands[i].map.depends_on(axis)) continue;
      each *= streamed[axis] ? 0 : static_cast<double>(block[axis]);
    }
    bytes += each;
  }
  for (std::size_t i = 0; i < form.results.size(); ++i) {
    double each = static_cast<double>(size_of(kernel.outputs[i]));
    for (const block_form::made& axis : form.results[i].axes) {
      each *= static_cast<double>(axis.length.value_or(block[axis.of]));
    }
    bytes += each;
  }
  return bytes;
}

/// Doubles the blocks of `what`, which are chunks, along the long axes, the last first: to all of
/// the axis where a quarter of the memory takes that.
void lengthen(operation& what, const block_kernel& kernel, const block_form& form,
              const spec& limits) {
  const double most = static_cast<double>(memory_of_task(limits).count()) / 4;
  for (std::size_t axis = form.domain.size(); axis-- > 0;) {
    if (!axis_set(form.long_axes)[axis]) continue;
    index_vector longer = what.how.block;
    while (longer[axis] < form.domain[axis]) {
      longer[axis] = std::min(form.domain[axis], 2 * longer[axis]);
      if (bytes_in_block(kernel, form, longer) > most) break;
      what.how.block = longer;
    }
  }
}

/// Returns what `kernel` makes, as `form` says, the first result in chunks of `chunks`, and others
/// in those that belong to these.
std::vector<array_handle> blocks_in_chunks(std::string_view name, const block_kernel& kernel,
                                           const kernel_parameters& parameters,
                                           const block_form& form, const index_vector& chunks,
                                           const std::vector<array_view>& operands) {
  if (takes_no_step(form)) return zeros_of(name, kernel, form);
  operation what;
  what.name = name;
  what.how.domain = what.how.block = form.domain;
  block_walk how;
  how.whole = form.whole;
  how.streamed = streamed_in(form);
  const std::vector<block_form::made>& first = form.results.front().axes;
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (!first[k].length) what.how.block[first[k].of] = chunks[k];
  }
  lengthen(what, kernel, form, limits_of(form.results.front().layout));
  std::vector<index_vector> made;
  for (const block_form::result& result : form.results) {
    block_made& axes = how.outputs.emplace_back();
    index_vector& block = made.emplace_back();
    for (const block_form::made& axis : result.axes) {
      axes.order.push_back(axes.axes.size());
      axes.axes.push_back(axis.length ? output_axis{axis_kind::own, 0, *axis.length}
                                      : output_axis{axis_kind::along, axis.of});
      block.push_back(std::max<index_t>(1, axis.length.value_or(what.how.block[axis.of])));
    }
  }
  if (form.results.size() == 1) made.front() = chunks;
  what.how.stream = what.how.block;
  std::vector<array_handle> arrays;
  bool sees_around = false;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    how.inputs.emplace_back();
    for (const block_form::axis& axis : form.operands[i].axes) {
      how.inputs.back().push_back({axis.of, axis.grown_by});
      sees_around = sees_around || axis.grown_by.has_value();
    }
    what.operands.push_back(compose(operands[i].map, form.operands[i].map));
    arrays.push_back(operands[i].array);
  }
  for (std::size_t axis = 0; axis < form.domain.size(); ++axis) {
    if (!how.streamed[axis]) continue;
    what.how.stream[axis] = std::min(form.domain[axis], step_along(axis, what.operands, arrays));
  }
  // What lies around blocks is read once where a task takes those that lie side by side.
  if (sees_around && form.is_by_chunks) how.call = what.how.block;
  what.body = std::make_shared<const block_function>(kernel, parameters, std::move(how));
  return arrays_made_by(std::move(what), std::move(arrays), made);
}

}  // namespace

array_handle make_blocks(std::string_view name, const block_kernel& kernel,
                         const kernel_parameters& parameters, const block_form& form,
                         const index_vector& chunks, const std::vector<array_view>& operands) {
  const array_layout& layout = form.results.front().layout;
  const index_vector block = clip_chunks(form.is_by_chunks ? layout.chunks : chunks, layout.shape);
  array_handle made = blocks_in_chunks(name, kernel, parameters, form, block, operands).front();
  return form.is_by_chunks ? materialise("rechunk", whole_of(std::move(made)), layout.shape, chunks)
                           : made;
}

std::vector<array_handle> make_several(std::string_view name, const block_kernel& kernel,
                                       const kernel_parameters& parameters, const block_form& form,
                                       const std::vector<array_view>& operands) {
  const array_layout& layout = form.results.front().layout;
  return blocks_in_chunks(name, kernel, parameters, form, clip_chunks(layout.chunks, layout.shape),
                          operands);
}

}  // namespace tessera
