// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// How strip programs are put together: one into another, one beside another.

#include "tessera/kernel/strip_program.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

/// Returns `outer` with its operand `operand` computed by `inner`, which has one result.
///
/// The operands of the new program are those of `outer` without `operand`, then those of `inner`.
[[nodiscard]] strip_program inline_operand(const strip_program& outer, std::size_t operand,
                                           const strip_program& inner);

/// Returns the program that hands on operands of `types`.
[[nodiscard]] strip_program handing_on(const std::vector<dtype>& types);

/// Returns a program with the operands of `a`, then of `b`, and their results in the same order.
[[nodiscard]] strip_program side_by_side(const strip_program& a, const strip_program& b);

/// A program for some results of another, and the operands of that which it takes.
struct program_part {
  strip_program program;
  std::vector<std::size_t> operands;
};

/// Returns what makes the results of `program` that are `wanted`, and nothing else.
[[nodiscard]] program_part part_of(const strip_program& program, const std::vector<bool>& wanted);

/// Returns `program` with operand `i` read from operand `places[i]` of `count`; equal steps on
/// equal operands become one.
[[nodiscard]] strip_program with_operands(const strip_program& program,
                                          const std::vector<std::size_t>& places,
                                          std::size_t count);

}  // namespace tessera
