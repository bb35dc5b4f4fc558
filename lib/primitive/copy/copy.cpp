// SPDX-License-Identifier: Apache-2.0
/// \file
/// Copies of boxes: slices, permutations, gathers and rechunks without arithmetic.
///
/// Problem: most array programs move elements, and a moved element should cost no register.
///
/// Idea: operand and output have strides; the map of the operand is folded into its strides:
///
///     y = x[::2, ::-1].T    is    y.strides (800, 8), x.strides (-8, 1600), one strided loop
///
/// Chunks of the output may be cut from the operand where it lies (`is_handed_on`). When a producer
/// is inlined or a neighbour fused, the copy becomes strips with an empty program.
///
/// Invariant: a copy reads and writes bytes, so it takes elements of every type.
/// Reference: NumPy's strided views; `core/strided_copy.hpp` for the loops.

#include "primitive/copy/copy.hpp"

#include "tessera/core/strided_copy.hpp"
#include "tessera/kernel/block_runner.hpp"

#include "core/api/text.hpp"
#include "json/fields.hpp"
#include "primitive/api/as_map.hpp"
#include "primitive/api/strips.hpp"
#include "primitive/parse.hpp"

#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

/// Returns the copy as strips, which can be fused with producers and neighbours.
std::shared_ptr<const strips> make_map(const piece_list& pieces) {
  return map_of({pieces.front()}, pieces.front().program->registers.front());
}

}  // namespace

box_copy::box_copy(const index_vector& shape, element_type type)
    : shape_(shape), type_(std::move(type)) {
  if (!type_.is_number()) return;
  as_strips_ = std::vector{piece{region::whole(shape), {0}, strip_program::copy(type_.number())}};
}

primitive_handle as_map(const primitive& op) {
  const piece_list* const pieces = op.as_elementwise();
  return pieces == nullptr || pieces->size() != 1 ? nullptr : make_map(*pieces);
}

primitive_handle copy_of(const index_vector& shape, const element_type& type) {
  return std::make_shared<const box_copy>(shape, type);
}

primitive_handle box_copy::within(const loop_schedule& /*schedule*/, const region& box) const {
  return copy_of(box.shape(), type_);
}

std::string box_copy::to_json() const {
  return json{{"shape", fields::of(shape_)}, {"type", fields::of(type_)}}.dump();
}

primitive_handle detail::parse_copy(const std::string& text) {
  const json value = fields::parse(text);
  return copy_of(fields::indices(value.at("shape")), fields::any_type(value.at("type")));
}

bool box_copy::equals(const primitive& rhs_base) const {
  const auto& rhs = static_cast<const box_copy&>(rhs_base);
  return shape_ == rhs.shape_ && type_ == rhs.type_;
}

std::vector<output> box_copy::outputs(const loop_schedule& schedule) const {
  std::vector<output_axis> axes;
  for (std::size_t axis = 0; axis < schedule.rank(); ++axis) {
    axes.push_back({output_axis::kind::along, axis});
  }
  return {{type_, std::move(axes)}};
}

void box_copy::check(const operation_rules& rules) const {
  rules.require(rules.schedule().domain == shape_ && rules.element_types() == std::vector{type_},
                "a copy has the shape and the type of its operand");
  rules.check_images();
}

task_demand box_copy::demand(const loop_schedule& schedule, std::size_t /*num_operands*/) const {
  task_demand needs;
  needs.operands.push_back({.is_used = true, .used = {0, 1}, .read = {0, 0}});
  needs.outputs.push_back({{1, 2}});
  needs.is_handed_on = true;
  // Generated operands are computed strip by strip.
  if (as_strips_) {
    needs.scratch = scratch_bytes(as_strips_->front().program, num_elements(schedule.block));
  }
  return needs;
}

void box_copy::run(task_blocks& blocks, const region& box) const {
  const block_operand& source = blocks.operand(0, box);
  const block_result target = blocks.result(0, box);
  if (source.generator != nullptr) {
    run_map(as_strips_->front().program, {&source, 1}, {&target, 1}, box.shape(), blocks.scratch());
    return;
  }
  index_vector strides = target.strides;
  for (index_t& stride : strides) stride /= static_cast<index_t>(type_.size());
  detail::strided_gather(target.data, strides, source.data, source.strides, box.shape(),
                         type_.size());
}

description box_copy::describe(const std::string& /*operation*/, const loop_schedule& /*schedule*/,
                               const operand_words& words) const {
  return {{words.names.front()}, listed({words.names.front()})};
}

primitive_handle box_copy::with_producers(std::span<const inlined_operand> operands) const {
  const piece_list& producer = *operands.front().producer;
  if (producer.size() == 1 && producer.front().program->steps.empty()) {
    return copy_of(shape_, type_);
  }
  return make_map(*as_strips_)->with_producers(operands);
}

primitive_handle box_copy::beside(const primitive& sibling, std::size_t num_operands) const {
  return as_strips_ ? make_map(*as_strips_)->beside(sibling, num_operands) : nullptr;
}

bool is_copy(const primitive& op) { return dynamic_cast<const box_copy*>(&op) != nullptr; }

}  // namespace tessera
