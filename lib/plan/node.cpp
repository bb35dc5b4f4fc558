// SPDX-License-Identifier: Apache-2.0
#include "tessera/plan/node.hpp"

#include <utility>
#include <vector>

namespace tessera {

operation_node::~operation_node() {
  // Only the outermost destructor on a thread lets go; those that this calls hand it their inputs.
  thread_local std::vector<array_handle> pending;
  thread_local bool is_letting_go = false;
  for (array_handle& input : inputs) pending.push_back(std::move(input));
  if (is_letting_go) return;
  is_letting_go = true;
  while (!pending.empty()) {
    const array_handle last = std::move(pending.back());
    pending.pop_back();
  }
  is_letting_go = false;
}

}  // namespace tessera
