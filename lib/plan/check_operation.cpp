// SPDX-License-Identifier: Apache-2.0
#include "plan/check_operation.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <fmt/format.h>

namespace tessera {

namespace {

/// Extents, offsets and steps stay below this, so that sums of them are integers.
constexpr index_t greatest_index = index_t{1} << 60;

/// The most elements of a block, so that the bytes of buffers are integers.
constexpr index_t most_in_block = index_t{1} << 48;

__extension__ using wide_integer = __int128;

/// One operation between arrays, and the rules that it keeps.
class operation_check {
 public:
  operation_check(const operation& what, const std::vector<planned_array>& arrays,
                  const std::vector<std::size_t>& inputs, const std::vector<std::size_t>& outputs)
      : what_(what), rank_(what.domain.size()) {
    for (const std::size_t input : inputs) inputs_.push_back(&arrays[input]);
    for (const std::size_t output : outputs) outputs_.push_back(&arrays[output]);
  }

  void run() const {
    check_walk();
    check_maps();
    if (const auto* map = std::get_if<map_body>(&what_.body)) {
      check_body(*map);
    } else if (const auto* fold = std::get_if<fold_body>(&what_.body)) {
      check_body(*fold);
    } else {
      check_body(std::get<contraction_body>(what_.body));
    }
    check_outputs();
  }

 private:
  void require(bool holds, const char* rule) const {
    if (holds) return;
    throw value_error(fmt::format("the operation '{}' breaks the rule that {}", what_.name, rule));
  }

  void check_walk() const {
    require(what_.block.size() == rank_ && what_.stream.size() == rank_,
            "domain, block and stream have one rank");
    require((what_.reduced >> rank_).none(), "only axes of the domain are reduced");
    index_t in_block = 1;
    for (std::size_t axis = 0; axis < rank_; ++axis) {
      const index_t least = what_.reduced[axis] ? 1 : 0;
      require(least <= what_.domain[axis] && what_.domain[axis] < greatest_index &&
                  1 <= what_.block[axis] && what_.block[axis] < greatest_index &&
                  1 <= what_.stream[axis] && what_.stream[axis] <= what_.block[axis],
              "a stream fits into a block, and extents are those of arrays");
      const index_t walked = std::clamp<index_t>(what_.domain[axis], 1, what_.block[axis]);
      require(!__builtin_mul_overflow(in_block, walked, &in_block) && in_block < most_in_block,
              "a block has fewer than 2^48 elements");
    }
    require(num_elements(what_.tasks().num_chunks()) >= 0, "tasks can be counted");
  }

  void check_maps() const {
    require(what_.operands.size() == inputs_.size(), "each input has a map");
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const index_map& map = what_.operands[i];
      require(map.domain_rank() == rank_ && map.array_rank() == inputs_[i]->shape.size(),
              "a map leads from the domain to the array");
      std::bitset<max_rank> seen;
      for (const axis_map& m : map.axes()) {
        require(-greatest_index < m.offset && m.offset < greatest_index &&
                    -greatest_index < m.step && m.step < greatest_index,
                "offsets and steps are indices");
        if (m.axis == axis_map::none) continue;
        require(!seen[m.axis], "an axis of the domain occurs once in a map");
        seen.set(m.axis);
      }
    }
  }

  /// A map is linear in each axis, so its image lies between what it makes of the ends.
  void check_image(std::size_t operand, const region& box) const {
    if (box.empty()) return;
    const index_map& map = what_.operands[operand];
    const index_vector& shape = inputs_[operand]->shape;
    for (std::size_t k = 0; k < shape.size(); ++k) {
      const axis_map& m = map[k];
      for (const bool at_end : {false, true}) {
        wide_integer index = m.offset;
        if (m.axis != axis_map::none) {
          const index_t position = at_end ? box.stop[m.axis] - 1 : box.start[m.axis];
          index += static_cast<wide_integer>(m.step) * position;
        }
        require(0 <= index && index < shape[k], "a map leads into the array");
      }
    }
  }

  void check_program(const strip_program& program, const std::vector<dtype>& operands) const {
    const std::vector<dtype>& registers = program.registers;
    require(program.num_operands == operands.size() && registers.size() >= operands.size() &&
                std::equal(operands.begin(), operands.end(), registers.begin()),
            "the first registers of a program are its operands");
    std::vector<bool> is_written(registers.size(), false);
    std::fill_n(is_written.begin(), operands.size(), true);
    for (const strip_step& step : program.steps) {
      const strip_kernel& kernel = *step.kernel;
      require(step.inputs.size() == kernel.inputs.size() &&
                  step.outputs.size() == kernel.outputs.size(),
              "a kernel gets as many registers as it takes");
      for (std::size_t i = 0; i < step.inputs.size(); ++i) {
        const std::size_t reg = step.inputs[i];
        require(reg < registers.size() && is_written[reg] && registers[reg] == kernel.inputs[i],
                "a kernel reads registers of its data types that were written");
      }
      for (std::size_t i = 0; i < step.outputs.size(); ++i) {
        const std::size_t reg = step.outputs[i];
        require(reg < registers.size() && !is_written[reg] && registers[reg] == kernel.outputs[i],
                "a kernel writes registers of its data types once");
        is_written[reg] = true;
      }
    }
    for (const std::size_t reg : program.results) {
      require(reg < registers.size() && is_written[reg], "results have been written");
    }
  }

  [[nodiscard]] static std::vector<dtype> result_types(const strip_program& program) {
    std::vector<dtype> types;
    for (const std::size_t reg : program.results) types.push_back(program.registers[reg]);
    return types;
  }

  [[nodiscard]] std::vector<dtype> input_types() const {
    std::vector<dtype> types;
    for (const planned_array* input : inputs_) types.push_back(input->type);
    return types;
  }

  void check_body(const map_body& map) const {
    require(what_.reduced.none(), "only folds and contractions reduce");
    wide_integer covered = 0;
    for (const piece& part : map.pieces) {
      require(part.where.start.size() == rank_ && part.where.stop.size() == rank_ &&
                  region::whole(what_.domain).contains(part.where),
              "a piece is a part of the domain");
      require(part.where.empty() == (num_elements(what_.domain) == 0),
              "a piece has elements where the domain has");
      covered += static_cast<wide_integer>(part.where.num_elements());
      std::vector<dtype> types;
      for (const std::size_t operand : part.operands) {
        require(operand < inputs_.size(), "the operands of a piece are the operation's");
        types.push_back(inputs_[operand]->type);
        check_image(operand, part.where);
      }
      check_program(part.program, types);
      require(result_types(part.program) == what_.outputs, "a piece makes all outputs");
    }
    require(covered == static_cast<wide_integer>(num_elements(what_.domain)),
            "pieces cover the domain");
    for (std::size_t i = 0; i < map.pieces.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        require(intersect(map.pieces[i].where, map.pieces[k].where).empty(),
                "pieces do not overlap");
      }
    }
  }

  void check_body(const fold_body& fold) const {
    for (std::size_t i = 0; i < inputs_.size(); ++i) check_image(i, region::whole(what_.domain));
    check_program(fold.program, input_types());
    std::vector<dtype> elements;
    std::vector<dtype> planes;
    std::vector<dtype> results;
    for (const fold_step& step : fold.folds) {
      elements.push_back(step.kernel->input);
      results.push_back(step.kernel->output);
      planes.insert(planes.end(), step.kernel->planes.begin(), step.kernel->planes.end());
    }
    const bool is_combining = fold.phase == fold_phase::combine;
    const bool is_partial = fold.phase == fold_phase::partial;
    require(result_types(fold.program) == (is_combining ? planes : elements),
            "a fold takes elements of its data type, or planes of its states");
    require(what_.outputs == (is_partial ? planes : results), "outputs are what a fold makes");
    if (!is_partial) check_takes_all();
    if (is_combining) check_parts(fold.parts);
  }

  void check_parts(const chunk_grid& parts) const {
    require(parts.rank() == rank_, "parts have the rank of the domain");
    for (std::size_t axis = 0; axis < rank_; ++axis) {
      index_t reach = 0;
      require(!__builtin_mul_overflow(what_.domain[axis], parts.chunks()[axis], &reach) &&
                  reach < greatest_index,
              "parts are of an array");
      if (!what_.reduced[axis]) continue;
      require(parts.num_chunks()[axis] == what_.domain[axis] && what_.stream[axis] == 1,
              "a combining fold takes part after part");
    }
  }

  void check_body(const contraction_body& contraction) const {
    constexpr std::size_t inner = 2;
    require(
        rank_ == 3 && what_.reduced == std::bitset<max_rank>(1U << inner) && inputs_.size() == 2,
        "a contraction is of two operands over the last of three axes");
    for (std::size_t i = 0; i < inputs_.size(); ++i) check_image(i, region::whole(what_.domain));
    require(input_types() == std::vector<dtype>(2, contraction.kernel->input) &&
                what_.outputs == std::vector<dtype>{contraction.kernel->output},
            "a contraction's kernel gets its data types");
    check_takes_all();
  }

  /// Results that are not parts come out of one task.
  void check_takes_all() const {
    for (std::size_t axis = 0; axis < rank_; ++axis) {
      require(!what_.reduced[axis] || what_.block[axis] >= what_.domain[axis],
              "a block holds all that is folded into one element");
    }
  }

  void check_outputs() const {
    require(!outputs_.empty() && outputs_.size() == what_.outputs.size(),
            "each output is an array");
    const index_vector shape = what_.output_shape();
    for (std::size_t i = 0; i < outputs_.size(); ++i) {
      require(outputs_[i]->type == what_.outputs[i] && outputs_[i]->shape == shape,
              "outputs are the arrays that the operation makes");
    }
  }

  const operation& what_;
  std::size_t rank_;
  std::vector<const planned_array*> inputs_;
  std::vector<const planned_array*> outputs_;
};

}  // namespace

void check_operation(const operation& what, const std::vector<planned_array>& arrays,
                     const std::vector<std::size_t>& inputs,
                     const std::vector<std::size_t>& outputs) {
  operation_check(what, arrays, inputs, outputs).run();
}

void check_buffers(const buffer_schedule& buffers) {
  constexpr std::size_t most = std::size_t{1} << 56;
  std::size_t total = 0;
  for (const scheduled_buffer& buffer : buffers.buffers()) {
    if (buffer.size >= most || total >= most) {
      throw value_error("the buffers of a task would need more memory than there is anywhere");
    }
    total += buffer.size;
  }
}

}  // namespace tessera
