// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/node.hpp"

#include <utility>
#include <vector>

namespace tessera {

operation_node::~operation_node() {
  // The outermost destructor on a thread releases the inputs of all nested ones, without recursion.
  thread_local std::vector<array_handle> pending;
  thread_local bool is_releasing = false;
  for (array_handle& input : inputs) pending.push_back(std::move(input));
  if (is_releasing) return;
  is_releasing = true;
  while (!pending.empty()) {
    const array_handle last = std::move(pending.back());
    pending.pop_back();
  }
  is_releasing = false;
}

}  // namespace tessera
