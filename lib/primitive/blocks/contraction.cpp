// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/contraction.hpp"

#include "tessera/core/text.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/primitive/blocks.hpp"

#include "json/fields.hpp"
#include "primitive/parse.hpp"

#include <algorithm>
#include <cstring>
#include <fmt/format.h>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {

namespace {

using nlohmann::json;

constexpr std::size_t inner = 2;

}  // namespace

std::string block_contraction::to_json() const { return json{{"kernel", kernel_->name}}.dump(); }

primitive_handle detail::parse_contraction(const std::string& text) {
  return std::make_shared<const block_contraction>(
      find_contraction_kernel(fields::text(json::parse(text).at("kernel"))));
}

bool block_contraction::equals(const primitive& other) const {
  return kernel_ == static_cast<const block_contraction&>(other).kernel_;
}

axis_set block_contraction::reduced() const { return 1U << inner; }

std::vector<output> block_contraction::outputs(const walk& how) const {
  return kept_axes(how, {kernel_->output}, reduced());
}

void block_contraction::check(const operation_rules& rules) const {
  const walk& how = rules.how();
  rules.require(how.rank() == 3 && rules.types().size() == 2,
                "a contraction is of two operands over the last of three axes");
  rules.check_images();
  rules.require(rules.types() == std::vector<dtype>(2, kernel_->input),
                "a contraction's kernel gets its data types");
  rules.check_takes_all(reduced());
}

task_demand block_contraction::demand(const walk& how, std::size_t num_operands) const {
  task_demand needs;
  for (std::size_t operand = 0; operand < num_operands; ++operand) {
    needs.operands.push_back({true, {operand, num_operands}, {operand, operand}, true});
  }
  needs.outputs.push_back({{0, num_operands + 1}});
  // Generated operands are made in scratch, strip by strip.
  needs.scratch = scratch_bytes(strip_program::copy(kernel_->input), num_elements(how.stream));
  needs.kept.push_back({fmt::format("workspace of {}", kernel_->label),
                        kernel_->workspace(how.stream[0], how.stream[1], how.stream[2])});
  return needs;
}

void block_contraction::run(task_blocks& blocks, const region& box) const {
  const contraction_kernel& kernel = *kernel_;
  const index_t rows = box.stop[0] - box.start[0];
  const index_t columns = box.stop[1] - box.start[1];
  const auto in_size = static_cast<index_t>(size_of(kernel.input));
  const auto out_size = static_cast<index_t>(size_of(kernel.output));
  const block_result result = blocks.result(0, blocks.output_box(0));
  for (index_t row = 0; row < rows; ++row) {
    std::memset(result.data + row * result.strides[0], 0,
                static_cast<std::size_t>(columns * out_size));
  }
  const index_t length = blocks.how().stream[inner];
  for (index_t start = box.start[inner]; start < box.stop[inner]; start += length) {
    region step = box;
    step.start[inner] = start;
    step.stop[inner] = std::min(start + length, box.stop[inner]);
    blocks.begin(output_part::step, step);
    const block_operand& a = blocks.operand(0, step);
    const block_operand& b = blocks.operand(1, step);
    kernel.accumulate({.rows = rows,
                       .columns = columns,
                       .inner = step.stop[inner] - step.start[inner],
                       .a = a.data,
                       .a_row_stride = a.strides[0] / in_size,
                       .a_inner_stride = a.strides[inner] / in_size,
                       .b = b.data,
                       .b_inner_stride = b.strides[inner] / in_size,
                       .b_column_stride = b.strides[1] / in_size,
                       .out = result.data,
                       .out_row_stride = result.strides[0] / out_size});
    blocks.end(output_part::step);
  }
}

description block_contraction::describe(const std::string& operation, const walk& /*how*/,
                                        const operand_words& words) const {
  std::string formula = fmt::format("{}({}, {})", operation, words.names[0], words.names[1]);
  std::string label = listed({formula});
  return {{std::move(formula)}, std::move(label)};
}

}  // namespace tessera
