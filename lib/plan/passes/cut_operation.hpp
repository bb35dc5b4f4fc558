// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Operations in smaller blocks, as `cut_blocks` compares them.

#include "tessera/core/index.hpp"
#include "tessera/plan/operation.hpp"

#include "plan/buffers.hpp"

#include <vector>

namespace tessera {

/// Tells whether `op` is a fold or a scan that is cut along free axes for memory alone: other
/// passes choose its number of tasks.
[[nodiscard]] bool is_cut_for_memory(const operation& op);

/// Returns the elements of the domain, along each axis, that blocks of `op` are multiples of: whole
/// elements of the outputs, and whole tiles of products.
[[nodiscard]] index_vector units_of(const operation& op);

/// An operation in smaller blocks, and the copies of its inputs that they require.
struct cut_operation {
  operation op;
  planned_operation planned;
  /// By operand: whether it is read from a copy, and the chunks of the copy, at most the part of
  /// the operand that a task reads.
  std::vector<bool> is_copied;
  std::vector<index_vector> copied_chunks;
  /// Whether the operation reads more if the results of its producers are in storage.
  bool is_for_memory = false;
};

/// Tells whether more tasks are worth the elements that they read: all tasks read little more, or
/// there are few tasks, or a task uses each element often, as large matrix products do.
[[nodiscard]] bool is_worth(const cut_operation& cut, const cut_operation& from);

}  // namespace tessera
