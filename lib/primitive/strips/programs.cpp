// SPDX-License-Identifier: Apache-2.0
#include "primitive/strips/programs.hpp"

#include "tessera/core/hash.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace tessera {

namespace {

/// Where each register of a program stands in the program that it becomes part of.
using renaming = std::vector<std::size_t>;

void rename(std::vector<std::size_t>& registers, const renaming& places) {
  for (std::size_t& reg : registers) reg = places[reg];
}

/// Gives the registers of `part` that are no operands new places behind those of `whole`.
void add_temporaries(strip_program& whole, const strip_program& part, renaming& places) {
  places.resize(part.registers.size());
  for (std::size_t reg = part.num_operands; reg < part.registers.size(); ++reg) {
    places[reg] = whole.registers.size();
    whole.registers.push_back(part.registers[reg]);
  }
}

void add_steps(strip_program& whole, const strip_program& part, const renaming& places) {
  for (strip_step step : part.steps) {
    rename(step.inputs, places);
    rename(step.outputs, places);
    whole.steps.push_back(std::move(step));
  }
}

void add_results(strip_program& whole, const strip_program& part, const renaming& places) {
  for (const std::size_t result : part.results) whole.results.push_back(places[result]);
}

/// Returns a number that is equal for steps that compute the same.
std::size_t hash_of(const strip_step& step) {
  row_hash hash;
  hash.add(step.kernel).add(step.parameters.identity());
  for (const std::size_t input : step.inputs) hash.add(input);
  return hash.value();
}

bool computes_the_same(const strip_step& a, const strip_step& b) {
  return a.kernel == b.kernel && a.parameters == b.parameters && a.inputs == b.inputs;
}

}  // namespace

strip_program inline_operand(const strip_program& outer, std::size_t operand,
                             const strip_program& inner) {
  strip_program whole{.num_operands = outer.num_operands - 1 + inner.num_operands,
                      .registers = {},
                      .steps = {},
                      .results = {}};
  renaming outer_places;
  for (std::size_t reg = 0; reg < outer.num_operands; ++reg) {
    outer_places.push_back(whole.registers.size());
    if (reg != operand) whole.registers.push_back(outer.registers[reg]);
  }
  renaming inner_places;
  for (std::size_t reg = 0; reg < inner.num_operands; ++reg) {
    inner_places.push_back(whole.registers.size());
    whole.registers.push_back(inner.registers[reg]);
  }
  add_temporaries(whole, inner, inner_places);
  outer_places[operand] = inner_places[inner.results.front()];
  add_temporaries(whole, outer, outer_places);
  whole.steps.reserve(inner.steps.size() + outer.steps.size());
  add_steps(whole, inner, inner_places);
  add_steps(whole, outer, outer_places);
  add_results(whole, outer, outer_places);
  return whole;
}

strip_program handing_on(const std::vector<dtype>& types) {
  strip_program program{
      .num_operands = types.size(), .registers = types, .steps = {}, .results = {}};
  program.results.resize(types.size());
  std::iota(program.results.begin(), program.results.end(), std::size_t{0});
  return program;
}

strip_program side_by_side(const strip_program& a, const strip_program& b) {
  strip_program whole{
      .num_operands = a.num_operands + b.num_operands, .registers = {}, .steps = {}, .results = {}};
  std::vector<renaming> places(2);
  for (const auto& [part, names] : {std::pair{&a, &places[0]}, {&b, &places[1]}}) {
    for (std::size_t reg = 0; reg < part->num_operands; ++reg) {
      names->push_back(whole.registers.size());
      whole.registers.push_back(part->registers[reg]);
    }
  }
  for (const auto& [part, names] : {std::pair{&a, &places[0]}, {&b, &places[1]}}) {
    add_temporaries(whole, *part, *names);
    add_steps(whole, *part, *names);
    add_results(whole, *part, *names);
  }
  return whole;
}

strip_program with_operands(const strip_program& program, const std::vector<std::size_t>& places,
                            std::size_t count) {
  strip_program renamed{
      .num_operands = count, .registers = std::vector<dtype>(count), .steps = {}, .results = {}};
  renaming names = places;
  for (std::size_t i = 0; i < places.size(); ++i) {
    renamed.registers[places[i]] = program.registers[i];
  }
  names.resize(program.registers.size());
  renamed.registers.reserve(count + program.registers.size() - places.size());
  renamed.steps.reserve(program.steps.size());
  std::unordered_multimap<std::size_t, std::size_t> alike;
  alike.reserve(program.steps.size());
  for (strip_step step : program.steps) {
    rename(step.inputs, names);
    const std::size_t hash = hash_of(step);
    const auto [first, last] = alike.equal_range(hash);
    const auto same = std::find_if(first, last, [&](const auto& other) {
      return computes_the_same(renamed.steps[other.second], step);
    });
    for (std::size_t i = 0; i < step.outputs.size(); ++i) {
      std::size_t& output = step.outputs[i];
      if (same != last) {
        names[output] = renamed.steps[same->second].outputs[i];
        continue;
      }
      names[output] = renamed.registers.size();
      renamed.registers.push_back(program.registers[output]);
      output = names[output];
    }
    if (same != last) continue;
    alike.emplace(hash, renamed.steps.size());
    renamed.steps.push_back(std::move(step));
  }
  for (const std::size_t result : program.results) renamed.results.push_back(names[result]);
  return renamed;
}

program_part part_of(const strip_program& program, const std::vector<bool>& wanted) {
  std::vector<bool> is_used(program.registers.size(), false);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) is_used[program.results[i]] = true;
  }
  for (auto step = program.steps.rbegin(); step != program.steps.rend(); ++step) {
    const bool is_taken = std::any_of(step->outputs.begin(), step->outputs.end(),
                                      [&](auto reg) { return is_used[reg]; });
    for (const std::size_t reg : step->outputs) is_used[reg] = is_taken;
    for (const std::size_t reg : step->inputs) is_used[reg] = is_used[reg] || is_taken;
  }
  program_part part;
  renaming names(program.registers.size());
  for (std::size_t reg = 0; reg < program.registers.size(); ++reg) {
    if (!is_used[reg]) continue;
    names[reg] = part.program.registers.size();
    part.program.registers.push_back(program.registers[reg]);
    if (reg < program.num_operands) part.operands.push_back(reg);
  }
  part.program.num_operands = part.operands.size();
  for (strip_step step : program.steps) {
    if (step.outputs.empty() || !is_used[step.outputs.front()]) continue;
    rename(step.inputs, names);
    rename(step.outputs, names);
    part.program.steps.push_back(std::move(step));
  }
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (wanted[i]) part.program.results.push_back(names[program.results[i]]);
  }
  return part;
}

}  // namespace tessera
