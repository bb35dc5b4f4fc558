// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Strips: programs that walk a domain strip by strip into results or folds.

#include "tessera/core/chunk_grid.hpp"
#include "tessera/core/dtype.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/strip_program.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

/// Computes each element of the domain; the pieces cover it and do not overlap.
class strip_map final : public primitive {
 public:
  /// `types` are those of the results of every piece.
  strip_map(std::vector<piece> pieces, std::vector<dtype> types)
      : pieces_(std::move(pieces)), types_(std::move(types)) {}

  [[nodiscard]] const std::vector<piece>& pieces() const { return pieces_; }

  [[nodiscard]] std::string_view kind() const override { return "map"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation,
                                     const operand_words& words) const override;
  [[nodiscard]] bool may_grow() const override { return true; }
  [[nodiscard]] const piece* as_elementwise() const override;
  [[nodiscard]] std::size_t num_steps() const override;
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producer(std::size_t operand, std::size_t num_operands,
                                               const piece& producer,
                                               std::size_t num_inner) const override;
  [[nodiscard]] primitive_handle beside(const primitive& other,
                                        std::size_t num_operands) const override;
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& places,
                                               std::size_t count) const override;

 private:
  std::vector<piece> pieces_;
  std::vector<dtype> types_;
};

/// One fold over the reduced axes.
struct fold_step {
  const fold_kernel* kernel = nullptr;
  kernel_parameters parameters;

  [[nodiscard]] bool operator==(const fold_step&) const = default;
};

/// Whether a fold goes from elements to results, or only part of that way.
enum class fold_phase {
  complete,  ///< elements -> results
  partial,   ///< elements -> the planes of a state for each block of the reduced axes
  combine,   ///< planes of states -> results
};

/// Folds the results of a program over the reduced axes; fold `i` takes the program's result `i`.
///
/// When `phase` is combine, the program only hands on the planes, in the folds' order, and `parts`
/// is the grid of blocks that the states were made from.
class strip_fold final : public primitive {
 public:
  strip_fold(strip_program program, std::vector<fold_step> folds,
             fold_phase phase = fold_phase::complete, chunk_grid parts = {})
      : program_(std::move(program)),
        folds_(std::move(folds)),
        phase_(phase),
        parts_(std::move(parts)) {}

  [[nodiscard]] const strip_program& program() const { return program_; }
  [[nodiscard]] const std::vector<fold_step>& folds() const { return folds_; }
  [[nodiscard]] fold_phase phase() const { return phase_; }

  [[nodiscard]] std::string_view kind() const override { return "fold"; }
  [[nodiscard]] std::string to_json() const override;
  [[nodiscard]] bool equals(const primitive& other) const override;
  void check_portable(const std::string& operation, const std::string& label) const override;
  [[nodiscard]] std::vector<output> outputs(const walk& how) const override;
  void check(const operation_rules& rules) const override;
  [[nodiscard]] task_demand demand(const walk& how, std::size_t num_operands) const override;
  void run(task_blocks& blocks, const region& box) const override;
  [[nodiscard]] description describe(const std::string& operation,
                                     const operand_words& words) const override;
  [[nodiscard]] std::size_t num_steps() const override { return program_.steps.size(); }
  [[nodiscard]] bool takes_producers() const override { return true; }
  [[nodiscard]] primitive_handle with_producer(std::size_t operand, std::size_t num_operands,
                                               const piece& producer,
                                               std::size_t num_inner) const override;
  [[nodiscard]] primitive_handle beside(const primitive& other,
                                        std::size_t num_operands) const override;
  [[nodiscard]] primitive_handle with_operands(const std::vector<std::size_t>& places,
                                               std::size_t count) const override;
  [[nodiscard]] std::optional<two_stages> in_stages() const override;

 private:
  [[nodiscard]] std::vector<dtype> planes() const;
  [[nodiscard]] std::vector<dtype> results() const;
  void check_parts(const operation_rules& rules) const;
  void take_steps(task_blocks& blocks, const region& box,
                  std::span<const block_states> states) const;
  void finish(task_blocks& blocks, const region& box, std::span<const block_states> states,
              index_t taken) const;
  void hand_on_states(task_blocks& blocks, std::span<const block_states> states,
                      const index_vector& extents) const;

  strip_program program_;
  std::vector<fold_step> folds_;
  fold_phase phase_;
  chunk_grid parts_;
};

}  // namespace tessera
