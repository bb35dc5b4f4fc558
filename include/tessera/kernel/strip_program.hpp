// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Strip programs: kernels in a row over registers that each hold one strip.

#include "tessera/core/dtype.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace tessera {

/// One kernel of a strip program: reads registers, writes registers.
struct strip_step {
  const strip_kernel* kernel = nullptr;
  kernel_parameters parameters;
  std::vector<std::size_t> inputs;
  std::vector<std::size_t> outputs;

  [[nodiscard]] bool operator==(const strip_step&) const = default;
};

/// Kernels in a row over registers that each hold one strip.
///
/// The first `num_operands` registers are the operands; each other register is written by exactly
/// one step before it is read. `results` are the registers that leave the program; a program
/// without steps copies.
struct strip_program {
  std::size_t num_operands = 0;
  std::vector<dtype> registers;
  std::vector<strip_step> steps;
  std::vector<std::size_t> results;

  /// Returns the program that hands on its one operand.
  [[nodiscard]] static strip_program copy(dtype type);

  [[nodiscard]] bool operator==(const strip_program&) const = default;
};

/// Returns how many additions take as long as `program` does, on an element of each operand.
[[nodiscard]] double weight_of(const strip_program& program);

/// Returns the text of `program`, with `names` for its operands: "sqrt(u * u + v * v), u".
///
/// Long parts are left out as `...`, so that the text stays short however long the program is.
[[nodiscard]] std::string describe(const strip_program& program,
                                   const std::vector<std::string>& names);

/// Returns that for each result by itself.
[[nodiscard]] std::vector<std::string> formulas_of(const strip_program& program,
                                                   const std::vector<std::string>& names);

}  // namespace tessera
