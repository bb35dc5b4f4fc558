// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/store_target.hpp"

#include "tessera/task/execution.hpp"

#include <utility>

namespace tessera {

store_target::store_target(const array_layout& layout, const array_handle& array,
                           std::shared_ptr<const array_destination> destination)
    : layout_(layout), output_{computed(array), std::move(destination)} {}
store_target::store_target(const store_target&) = default;
store_target& store_target::operator=(const store_target&) = default;
store_target::~store_target() = default;

void store(const std::vector<store_target>& targets, const run_with& how) {
  std::vector<plan_output> outputs;
  std::vector<array_layout> layouts;
  for (const store_target& target : targets) {
    outputs.push_back(target.output());
    layouts.push_back(target.layout());
  }
  const bounded_plan plan = detail::make_bounded_plan(std::move(outputs), layouts, {}, how);
  static_cast<void>(execute(plan, detail::complete(how)));
}

}  // namespace tessera
