// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Transformations of strip programs: inlining, concatenation, selection of results, remapping of
/// operands with elimination of common subexpressions.

#include "tessera/kernel/strip_program.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns `outer` with its operand `operand` computed by `inner`, which has one result.
///
/// The operands of the new program are those of `outer` without `operand`, then those of `inner`.
[[nodiscard]] strip_program inline_operand(const strip_program& outer, std::size_t operand,
                                           const strip_program& inner);

/// Returns the program whose results are its operands, of `types`.
[[nodiscard]] strip_program identity_program(const std::vector<dtype>& types);

/// Returns a program with the operands of `a`, then of `b`, and their results in the same order.
[[nodiscard]] strip_program concatenate_programs(const strip_program& a, const strip_program& b);

/// A program that computes some results of a source program, and the used operands of the source.
struct program_part {
  strip_program program;
  std::vector<std::size_t> operands;
};

/// Returns the part of `program` that computes the results that are `wanted`, without dead steps.
[[nodiscard]] program_part select_results(const strip_program& program,
                                          const std::vector<bool>& wanted);

/// Returns `program` with operand `i` read from operand `targets[i]` of `count`. Equal steps on
/// equal operands become one step.
[[nodiscard]] strip_program remap_operands(const strip_program& program,
                                           const std::vector<std::size_t>& targets,
                                           std::size_t count);

}  // namespace tessera
