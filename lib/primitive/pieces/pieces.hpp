// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Transformations of pieces, their demand, their text and their JSON: shared by all primitives
/// that compute elements by pieces.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/primitive/loop_schedule.hpp"
#include "tessera/primitive/piece_list.hpp"
#include "tessera/primitive/primitive.hpp"

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace tessera {

/// Returns `pieces` with `operands`, in ascending order, computed by their producers. The operands
/// of the producers are appended, then `operands` are removed. Returns nullopt if the producers'
/// pieces cut the domain into other parts than boxes or into very many, or if the boxes do not
/// `fold_evenly` along `reduced`.
[[nodiscard]] std::optional<piece_list> inline_producers(const piece_list& pieces,
                                                         std::span<const inlined_operand> operands,
                                                         axis_set reduced);

/// Returns `a` and `b`, which cover one domain, as one list. The operands of `b` follow the
/// `num_operands` of the operation of `a`, and its results the results of `a`. Returns nullopt if
/// there were very many pieces.
[[nodiscard]] std::optional<piece_list> fuse_pieces(const piece_list& a, const piece_list& b,
                                                    std::size_t num_operands);

/// Returns the pieces that compute `box` in a domain that begins with the box.
[[nodiscard]] std::vector<piece> crop_pieces(const piece_list& pieces, const region& box);

/// Returns `pieces` with operand `i` read from operand `targets[i]`, and without duplicate operands
/// of a piece.
[[nodiscard]] std::vector<piece> remap_operands(const piece_list& pieces,
                                                const std::vector<std::size_t>& targets);

/// Returns the number of steps of the longest program.
[[nodiscard]] std::size_t num_steps(const piece_list& pieces);

/// Returns the time of the heaviest program for an element, in additions.
[[nodiscard]] double weight(const piece_list& pieces);

/// Returns the time of all elements, in additions, if an element costs `added_weight` more than its
/// program. A copy of an element costs one addition.
[[nodiscard]] double element_steps(const piece_list& pieces, double added_weight);

/// Adds the operands of `pieces` to `needs`, whose operands are counted, and the scratch of their
/// programs on a step of `num_elements`. For each piece there is one step of the buffer schedule
/// for each operand that is read, and one that computes. An operand lives from its first to its
/// last piece. Returns the number of these steps.
[[nodiscard]] std::size_t add_operand_steps(task_demand& needs, const piece_list& pieces,
                                            index_t num_elements);

/// Returns the formula of each result of `part`; `words` has a text for each operand.
[[nodiscard]] std::vector<std::string> result_formulas(const piece& part,
                                                       const std::vector<std::string>& words);

/// The description of an operation of several pieces.
struct assembly_words {
  /// The programs of the pieces in a list.
  std::string list;
  /// The operation's name if it is the name of a function.
  std::optional<std::string> function;

  assembly_words(const piece_list& pieces, const std::string& operation,
                 const std::vector<std::string>& names);
  /// Returns the formula of the pieces under `function_name`, or the list if there is no name.
  [[nodiscard]] std::string formula(const std::optional<std::string>& function_name) const;
};

/// Tells whether both lists have equal boxes, operands and programs.
[[nodiscard]] bool are_equal(const piece_list& a, const piece_list& b);

namespace detail {

[[nodiscard]] nlohmann::json pieces_json(const piece_list& pieces);

/// Throws: as `json/fields.hpp` for malformed fields; value_error <- a kernel is not known.
[[nodiscard]] piece_list parse_pieces(const nlohmann::json& value);

}  // namespace detail

}  // namespace tessera
