// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions of blocks: nodes whose function sees many elements of its operands at once.

#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/meta/signature.hpp"

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace tessera {

/// The schedule of a function of blocks, and its operands and results.
struct block_form {
  /// An axis of an operand: along one of the domain, and longer by the elements around a block.
  struct axis {
    std::size_t of = 0;
    std::optional<std::size_t> grown_by = std::nullopt;
  };
  struct operand {
    /// From the domain to the operand.
    index_map map;
    std::vector<axis> axes;
  };
  /// An axis of the result: along one of the domain, or of its own.
  struct result_axis {
    std::size_t of = 0;
    std::optional<index_t> length = std::nullopt;
  };

  index_vector domain;
  /// The axes of which the function sees all elements at once.
  axis_mask whole = 0;
  std::vector<operand> operands;
  /// An array that the function returns.
  struct result {
    std::vector<result_axis> axes;
    array_layout layout;
  };
  std::vector<result> results;
  /// Whether it must be called with the chunks of the layouts, as it depends on them.
  bool is_by_chunks = false;
  /// Axes of the domain along which operands that are streamed are read anew for each block: blocks
  /// are as many chunks long there as memory takes.
  axis_mask long_axes = 0;
};

/// Returns the form of a function of blocks of arrays that are broadcast.
///
/// With `depth`, a pair for each axis, operands are of one shape, and come with so many elements
/// more before and behind each axis, which the function sees around each block.
/// Throws: as `broadcast_layout`; shape_error <- with `depth`, shapes differ.
[[nodiscard]] block_form map_form(std::string_view function, operand_layouts operands,
                                  std::span<const std::array<index_t, 2>> depth = {},
                                  std::size_t num_results = 1);

/// The extent of a letter of a signature that only results have.
struct named_extent {
  std::string_view letter;
  index_t extent = 0;
};

/// Returns the form of a function of whole axes, the last ones of each operand; other axes are
/// broadcast. `extents` are those of letters that only results have.
///
/// Throws: as `broadcast_layout`; shape_error <- a letter stands for different extents, or for 0.
[[nodiscard]] block_form gufunc_form(std::string_view function, const gufunc_signature& signature,
                                     operand_layouts operands,
                                     std::span<const named_extent> extents = {});

namespace op {

/// Makes an array of rank `N` by a function of blocks, which `Call`, a type, calls: it has the type
/// of the `result`'s elements, `kernel()` and `parameters()`.
template <class Call, std::size_t N>
struct blocks {
  std::string_view name;
  Call call;
  block_form form;
};

}  // namespace op

template <class Call, std::size_t N, class... Xs>
struct node_rule<op::blocks<Call, N>, Xs...> {
  using value_type = typename Call::result;
  static constexpr std::size_t rank = N;

  static array_layout lay_out(const op::blocks<Call, N>& op, const Xs&...) {
    return op.form.results.front().layout;
  }
};

}  // namespace tessera
