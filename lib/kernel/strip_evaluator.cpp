// SPDX-License-Identifier: Apache-2.0
/// \file
/// Evaluates a program for one strip after another.
///
/// Problem: a program of elementwise kernels has an intermediate strip for each step, and all of
/// them must stay in the first-level cache.
///
/// Idea: registers are slots of a scratch buffer. Slots are reused as a compiler reuses machine
/// registers: by liveness. Operands that are contiguous are read in place, strided ones are
/// gathered, and a broadcast element fills its slot once. The next strip is prefetched, as its
/// distance from the present one is that from the last one.
///
/// Invariant: a slot is free only after the last read of its register.
/// Reference: Boncz, Zukowski, Nes, "MonetDB/X100: Hyper-Pipelining Query Execution" (2005);
/// Poletto, Sarkar, "Linear scan register allocation" (1999).

#include "kernel/strip_evaluator.hpp"

#include "core/api/cache_sizes.hpp"
#include "core/api/itemsize.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace tessera {

namespace {

constexpr index_t bytes_of_line = cache_line;
/// After `row_beginning` bytes of a row of at least this length, the processor prefetches the rest.
constexpr index_t long_row = 4096;
constexpr index_t row_beginning = 1024;

std::intptr_t address_of(const std::byte* pointer) {
  return reinterpret_cast<std::intptr_t>(pointer);
}

/// Prefetches `size` bytes at the next strip, as far from `from` as `from` is from `last`.
void ask_for_next(const std::byte* last, const std::byte* from, index_t size) {
  constexpr int for_reading = 0;
  constexpr int into_second_level = 2;
  // Addresses as numbers, as there may be no next strip to point to; a prefetch is harmless then.
  const std::intptr_t next = 2 * address_of(from) - address_of(last);
  for (index_t line = 0; line < size; line += bytes_of_line) {
    __builtin_prefetch(reinterpret_cast<const void*>(next + line), for_reading, into_second_level);
  }
}

/// Returns the number of reads of `reg`.
std::ptrdiff_t num_reads(const strip_program& program, std::size_t reg) {
  const auto reads = [&](const strip_step& step) {
    return std::ranges::find(step.inputs, reg) != step.inputs.end();
  };
  return std::ranges::count(program.results, reg) + std::ranges::count_if(program.steps, reads);
}

std::size_t aligned(std::size_t size) { return (size + cache_line - 1) / cache_line * cache_line; }

/// Programs of at least as many steps' outputs reuse slots: a chain of any length needs two.
constexpr std::size_t many_made = 16;

/// The slot of each register of a program in scratch, and the bytes of all slots.
///
/// As in register allocation by liveness: after the last read of a register, its slot is free for
/// an output of the same element size. Slots of operands are never reused.
class scratch_offsets {
 public:
  scratch_offsets(const strip_program& program, std::size_t length)
      : program_(program), length_(length), offsets_(program.registers.size()) {
    const std::size_t count = program.registers.size();
    const bool are_shared = count - program.num_operands >= many_made;
    // A broadcast operand's slot keeps its elements from strip to strip.
    const std::size_t num_apart = are_shared ? program.num_operands : count;
    for (std::size_t reg = 0; reg < num_apart; ++reg) take(reg);
    if (are_shared) share();
  }

  [[nodiscard]] std::size_t operator[](std::size_t reg) const { return offsets_[reg]; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }

 private:
  void take(std::size_t reg) {
    offsets_[reg] = bytes_;
    bytes_ += aligned(length_ * size_of(program_.registers[reg]));
  }

  /// Assigns to each output the slot of a dead register of the same element size, or a new slot.
  void share() {
    constexpr std::size_t longest_element = 16;
    const std::size_t num_steps = program_.steps.size();
    std::vector<std::size_t> last_read(offsets_.size(), 0);
    for (std::size_t step = 0; step < num_steps; ++step) {
      for (const std::size_t reg : program_.steps[step].inputs) last_read[reg] = step;
    }
    for (const std::size_t reg : program_.results) last_read[reg] = num_steps;
    std::array<std::vector<std::size_t>, longest_element + 1> free;
    const auto give_back = [&](std::size_t reg, std::size_t step) {
      if (reg < program_.num_operands || last_read[reg] > step) return;
      last_read[reg] = num_steps;  // once
      free[size_of(program_.registers[reg])].push_back(offsets_[reg]);
    };
    for (std::size_t step = 0; step < num_steps; ++step) {
      for (const std::size_t reg : program_.steps[step].outputs) {
        std::vector<std::size_t>& offsets = free[size_of(program_.registers[reg])];
        if (offsets.empty()) {
          take(reg);
        } else {
          offsets_[reg] = offsets.back();
          offsets.pop_back();
        }
      }
      for (const std::size_t reg : program_.steps[step].inputs) give_back(reg, step);
      for (const std::size_t reg : program_.steps[step].outputs) give_back(reg, step);
    }
  }

  const strip_program& program_;
  std::size_t length_;
  small_vector<std::size_t> offsets_;
  std::size_t bytes_ = 0;
};

}  // namespace

std::size_t scratch_bytes(const strip_program& program, index_t num_elements) {
  const auto size = static_cast<std::size_t>(std::clamp<index_t>(num_elements, 1, max_strip));
  return scratch_offsets(program, size).bytes();
}

strip_evaluator::strip_evaluator(const strip_program& program,
                                 std::span<const block_operand> operands,
                                 const small_vector<bool>& may_be_one, const strip_axes& axes,
                                 const index_vector& extents, index_t longest_strip,
                                 std::span<std::byte> scratch)
    : program_(program),
      operands_(operands),
      axes_(axes),
      extents_(extents),
      registers_(program.registers.size()),
      scratch_(program.registers.size()),
      targets_(program.results.size(), nullptr),
      is_one_(program.registers.size(), false),
      is_left_out_(program.steps.size(), false),
      last_from_(operands.size(), nullptr),
      last_to_(operands.size(), 0),
      filled_from_(operands.size(), nullptr),
      filled_size_(operands.size(), 0) {
  const scratch_offsets offsets(program, static_cast<std::size_t>(longest_strip));
  for (std::size_t reg = 0; reg < program.registers.size(); ++reg) {
    scratch_[reg] = scratch.data() + offsets[reg];
  }
  std::size_t most_inputs = 0;
  std::size_t most_outputs = 0;
  for (const strip_step& step : program.steps) {
    most_inputs = std::max(most_inputs, step.inputs.size());
    most_outputs = std::max(most_outputs, step.outputs.size());
  }
  step_inputs_.resize(most_inputs);
  step_outputs_.resize(most_outputs);
  for (const block_operand& operand : operands) {
    is_read_again_.push_back(num_reads(program, is_read_again_.size()) > 1);
    are_one_axis_.push_back(are_one_axis(axes, extents, operand.strides));
  }
  find_ones(may_be_one);
}

/// A register is one element if its value does not change along the strip and all its readers
/// accept one element: results of which `may_be_one` is true, and steps with such outputs.
void strip_evaluator::find_ones(const small_vector<bool>& may_be_one) {
  if (std::none_of(may_be_one.begin(), may_be_one.end(), [](bool may) { return may; })) return;
  for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
    is_one_[operand] = are_one_axis_[operand] && operands_[operand].strides[axes_.last] == 0;
  }
  const auto is_one = [&](std::size_t reg) { return is_one_[reg]; };
  for (const strip_step& step : program_.steps) {
    const bool is_step_one = std::all_of(step.inputs.begin(), step.inputs.end(), is_one);
    for (const std::size_t reg : step.outputs) is_one_[reg] = is_step_one;
  }
  for (std::size_t i = 0; i < program_.results.size(); ++i) {
    if (!may_be_one[i]) is_one_[program_.results[i]] = false;
  }
  for (auto step = program_.steps.rbegin(); step != program_.steps.rend(); ++step) {
    if (std::all_of(step->outputs.begin(), step->outputs.end(), is_one)) continue;
    for (const std::size_t reg : step->outputs) is_one_[reg] = false;
    for (const std::size_t reg : step->inputs) is_one_[reg] = false;
  }
}

bool strip_evaluator::are_in_place() const {
  if (std::ranges::find(is_left_out_, false) != is_left_out_.end()) return false;
  for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
    const block_operand& source = operands_[operand];
    const auto item = itemsize_of(program_.registers[operand]);
    const bool is_dense = are_one_axis_[operand] && source.strides[axes_.last] == item;
    if (source.generator != nullptr || !is_dense) return false;
  }
  return true;
}

std::byte* strip_evaluator::writable(std::size_t reg) {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (targets_[i] != nullptr && program_.results[i] == reg) return targets_[i];
  }
  return scratch_[reg];
}

// The processor prefetches within a row, but not the start of the next one. While kernels pass over
// a strip again and again, memory would idle.
void strip_evaluator::prefetch(std::size_t operand, const std::byte* from, index_t bytes) {
  const std::byte* const last = last_from_[operand];
  const bool is_guessed = from == last || address_of(from) == last_to_[operand];
  if (last != nullptr && !is_guessed) {
    const bool is_all = is_read_again_[operand] || bytes < long_row;
    ask_for_next(last, from, is_all ? bytes : row_beginning);
  }
  last_from_[operand] = from;
  last_to_[operand] = address_of(from) + bytes;
}

void strip_evaluator::load(std::size_t operand, const index_vector& position, index_t size) {
  const block_operand& source = operands_[operand];
  if (is_one_[operand]) size = 1;
  index_t offset = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    offset += position[axis] * source.strides[axis];
  }
  const index_t stride = source.strides[axes_.last];
  if (!are_one_axis_[operand] && size > extents_[axes_.last] - position[axes_.last]) {
    load_rows(operand, position, size);
    return;
  }
  if (source.generator != nullptr) {
    registers_[operand] = writable(operand);
    source.generator->run(registers_[operand], size, source.first + offset, stride,
                          source.parameters);
    return;
  }
  const std::byte* from = source.data + offset;
  const std::size_t itemsize = size_of(program_.registers[operand]);
  const auto item = static_cast<index_t>(itemsize);
  const index_t step = size == 1 ? item : stride;
  if (0 < step && step <= bytes_of_line) prefetch(operand, from, size * step);
  if (step == item) {
    // Registers of operands are only ever read, so a pointer that could write is harmless.
    registers_[operand] = const_cast<std::byte*>(from);
    return;
  }
  if (stride == 0) {
    registers_[operand] = scratch_[operand];
    if (filled_from_[operand] == from && filled_size_[operand] >= size) return;
    filled_from_[operand] = from;
    filled_size_[operand] = size;
  } else {
    registers_[operand] = writable(operand);
  }
  copy_strided(registers_[operand], item, from, stride, size, itemsize);
}

void strip_evaluator::load_rows(std::size_t operand, const index_vector& position, index_t size) {
  const block_operand& source = operands_[operand];
  const index_t stride = source.strides[axes_.last];
  const auto itemsize = itemsize_of(program_.registers[operand]);
  registers_[operand] = writable(operand);
  filled_from_[operand] = nullptr;
  for_each_row(position, axes_, extents_, source.strides, size,
               [&](index_t from, index_t offset, index_t count) {
                 std::byte* const into = registers_[operand] + from * itemsize;
                 if (source.generator != nullptr) {
                   source.generator->run(into, count, source.first + offset, stride,
                                         source.parameters);
                 } else {
                   copy_strided(into, itemsize, source.data + offset, stride, count,
                                static_cast<std::size_t>(itemsize));
                 }
               });
}

void strip_evaluator::run_steps(index_t size) {
  for (std::size_t number = 0; number < program_.steps.size(); ++number) {
    if (is_left_out_[number]) continue;
    const strip_step& step = program_.steps[number];
    for (std::size_t i = 0; i < step.inputs.size(); ++i) {
      step_inputs_[i] = registers_[step.inputs[i]];
    }
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      registers_[step.outputs[i]] = writable(step.outputs[i]);
      step_outputs_[i] = registers_[step.outputs[i]];
    }
    const bool is_one = !step.outputs.empty() && is_one_[step.outputs.front()];
    step.kernel->run(
        {is_one ? 1 : size, step_inputs_.data(), step_outputs_.data(), step.parameters.get()});
  }
}

void strip_evaluator::evaluate(const index_vector& position, index_t size) {
  for (std::size_t operand = 0; operand < operands_.size(); ++operand) {
    load(operand, position, size);
  }
  run_steps(size);
}

}  // namespace tessera
