// SPDX-License-Identifier: Apache-2.0
#include "primitive/pieces/programs.hpp"

#include "core/api/hash.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tessera {

namespace {

/// For each register of a program its number in the target program.
using register_map = std::vector<std::size_t>;

void rename_registers(std::vector<std::size_t>& renamed, const register_map& registers) {
  for (std::size_t& reg : renamed) reg = registers[reg];
}

/// Appends the temporaries of `part` to `target`, and sets their numbers in `registers`.
void add_temporaries(strip_program& target, const strip_program& part, register_map& registers) {
  registers.resize(part.registers.size());
  for (std::size_t reg = part.num_operands; reg < part.registers.size(); ++reg) {
    registers[reg] = target.registers.size();
    target.registers.push_back(part.registers[reg]);
  }
}

void add_steps(strip_program& target, const strip_program& part, const register_map& registers) {
  for (strip_step step : part.steps) {
    rename_registers(step.inputs, registers);
    rename_registers(step.outputs, registers);
    target.steps.push_back(std::move(step));
  }
}

void add_results(strip_program& target, const strip_program& part, const register_map& registers) {
  for (const std::size_t result : part.results) target.results.push_back(registers[result]);
}

/// Returns a hash of kernel, parameters and inputs, which is equal for equal steps.
std::size_t hash_of(const strip_step& step) {
  row_hash hash;
  hash.add(step.kernel).add(step.parameters.identity());
  for (const std::size_t input : step.inputs) hash.add(input);
  return hash.value();
}

bool are_equal_steps(const strip_step& a, const strip_step& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters && a.inputs == b.inputs;
}

}  // namespace

strip_program inline_operand(const strip_program& outer, std::size_t operand,
                             const strip_program& inner) {
  strip_program target{.num_operands = outer.num_operands - 1 + inner.num_operands,
                       .registers = {},
                       .steps = {},
                       .results = {}};
  register_map outer_registers;
  for (std::size_t reg = 0; reg < outer.num_operands; ++reg) {
    outer_registers.push_back(target.registers.size());
    if (reg != operand) target.registers.push_back(outer.registers[reg]);
  }
  register_map inner_registers;
  for (std::size_t reg = 0; reg < inner.num_operands; ++reg) {
    inner_registers.push_back(target.registers.size());
    target.registers.push_back(inner.registers[reg]);
  }
  add_temporaries(target, inner, inner_registers);
  outer_registers[operand] = inner_registers[inner.results.front()];
  add_temporaries(target, outer, outer_registers);
  target.steps.reserve(inner.steps.size() + outer.steps.size());
  add_steps(target, inner, inner_registers);
  add_steps(target, outer, outer_registers);
  add_results(target, outer, outer_registers);
  return target;
}

strip_program identity_program(const std::vector<dtype>& types) {
  strip_program program{
      .num_operands = types.size(), .registers = types, .steps = {}, .results = {}};
  program.results.resize(types.size());
  std::iota(program.results.begin(), program.results.end(), std::size_t{0});
  return program;
}

strip_program concatenate_programs(const strip_program& a, const strip_program& b) {
  strip_program target{
      .num_operands = a.num_operands + b.num_operands, .registers = {}, .steps = {}, .results = {}};
  std::vector<register_map> registers(2);
  for (const auto& [part, names] : {std::pair{&a, &registers[0]}, {&b, &registers[1]}}) {
    for (std::size_t reg = 0; reg < part->num_operands; ++reg) {
      names->push_back(target.registers.size());
      target.registers.push_back(part->registers[reg]);
    }
  }
  for (const auto& [part, names] : {std::pair{&a, &registers[0]}, {&b, &registers[1]}}) {
    add_temporaries(target, *part, *names);
    add_steps(target, *part, *names);
    add_results(target, *part, *names);
  }
  return target;
}

strip_program remap_operands(const strip_program& program, const std::vector<std::size_t>& targets,
                             std::size_t count) {
  strip_program renamed{
      .num_operands = count, .registers = std::vector<dtype>(count), .steps = {}, .results = {}};
  register_map names = targets;
  for (std::size_t i = 0; i < targets.size(); ++i) {
    renamed.registers[targets[i]] = program.registers[i];
  }
  names.resize(program.registers.size());
  renamed.registers.reserve(count + program.registers.size() - targets.size());
  renamed.steps.reserve(program.steps.size());
  std::unordered_multimap<std::size_t, std::size_t> steps_by_hash;
  steps_by_hash.reserve(program.steps.size());
  for (strip_step step : program.steps) {
    rename_registers(step.inputs, names);
    const std::size_t hash = hash_of(step);
    const auto [first, last] = steps_by_hash.equal_range(hash);
    const auto duplicate = std::find_if(first, last, [&](const auto& candidate) {
      return are_equal_steps(renamed.steps[candidate.second], step);
    });
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      std::size_t& output = step.outputs[i];
      if (duplicate != last) {
        names[output] = renamed.steps[duplicate->second].outputs[i];
        continue;
      }
      names[output] = renamed.registers.size();
      renamed.registers.push_back(program.registers[output]);
      output = names[output];
    }
    if (duplicate != last) continue;
    steps_by_hash.emplace(hash, renamed.steps.size());
    renamed.steps.push_back(std::move(step));
  }
  for (const std::size_t result : program.results) renamed.results.push_back(names[result]);
  return renamed;
}

program_part select_results(const strip_program& program, const std::vector<bool>& wanted) {
  std::vector<bool> is_used(program.registers.size(), false);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) is_used[program.results[i]] = true;
  }
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    const bool is_needed = std::any_of(step->outputs.begin(), step->outputs.end(),
                                       [&](auto reg) { return is_used[reg]; });
    for (const std::size_t reg : step->outputs) is_used[reg] = is_needed;
    for (const std::size_t reg : step->inputs) is_used[reg] = is_used[reg] || is_needed;
  }
  program_part part;
  register_map names(program.registers.size());
  for (std::size_t reg = 0; reg < program.registers.size(); ++reg) {
    if (!is_used[reg]) continue;
    names[reg] = part.program.registers.size();
    part.program.registers.push_back(program.registers[reg]);
    if (reg < program.num_operands) part.operands.push_back(reg);
  }
  part.program.num_operands = part.operands.size();
  for (strip_step step : program.steps) {
    if (step.outputs.empty() || !is_used[step.outputs.front()]) continue;
    rename_registers(step.inputs, names);
    rename_registers(step.outputs, names);
    part.program.steps.push_back(std::move(step));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) part.program.results.push_back(names[program.results[i]]);
  }
  return part;
}

}  // namespace tessera
