// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Arrays before they are planned: immutable nodes that name the origin of their elements.
///
/// Lowering makes these nodes, one for each array operation; a plan is collected from them. They
/// are shared and never change, so any number of threads may read them.

#include "tessera/core/array_source.hpp"
#include "tessera/core/element_type.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/plan/array_view.hpp"
#include "tessera/plan/operation.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

struct distribution;
struct operation_node;

/// Elements that are read chunk by chunk.
struct stored_source {
  std::shared_ptr<const array_source> array;
};

/// Elements in this process's memory, which `owner` (may be null) keeps alive.
struct memory_source {
  std::shared_ptr<const void> owner;
  /// The first element that is here.
  const std::byte* data = nullptr;
  /// In elements; may be negative or zero.
  index_vector strides;
  /// The holders of the parts, if several processes hold one each; null: all elements are here.
  std::shared_ptr<const distribution> parts = nullptr;
};

/// Elements that are computed from their position whenever they are needed.
struct generated_source {
  const generator_kernel* kernel = nullptr;
  kernel_parameters parameters;
};

/// Elements that an operation computes.
struct computed_source {
  std::shared_ptr<const operation_node> operation;
  std::size_t output = 0;
};

/// An array before it is planned.
struct array_node {
  element_type type{};
  index_vector shape;
  /// Extents of a chunk: the unit in which the array is computed, and stored if it is.
  index_vector chunks;
  /// The name in plans and errors: "u", "mean".
  std::string name;
  std::variant<stored_source, memory_source, generated_source, computed_source> source;
  /// The label that the program gave it by `named`; else empty.
  std::string label = {};
};

/// An operation before it is planned, with the arrays that it reads.
struct operation_node {
  operation op;
  std::vector<array_handle> inputs;

  /// Lets go of the inputs one by one, so that a long chain of nodes needs no deep stack.
  ~operation_node();
};

}  // namespace tessera
