// SPDX-License-Identifier: Apache-2.0
#include "array/elementwise_table.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"

#include "core/api/nearest_name.hpp"

#include <deque>
#include <fmt/format.h>
#include <functional>
#include <map>

namespace tessera::detail {
namespace {

using function_table = std::map<std::string_view, elementwise_entry, std::less<>>;

void make_kernel(const elementwise_entry& entry, dtype a, dtype b, mixed_comparison& mixed) {
  if (mixed.run == nullptr) return;
  mixed.kernel = &make_strip_kernel(fmt::format("{}({}, {})", entry.name, name_of(a), name_of(b)),
                                    entry.label, {a, b}, dtype::boolean, mixed.run);
}

/// Makes the kernels of a function.
void make_kernels(elementwise_entry& entry) {
  make_kernel(entry, dtype::int64, dtype::uint64, entry.signed_first);
  make_kernel(entry, dtype::uint64, dtype::int64, entry.unsigned_first);
  for (elementwise_case& entry_case : entry.cases) {
    if (entry_case.run == nullptr) continue;
    std::vector<dtype> inputs(entry.arity, entry_case.operands);
    if (entry.rule == op::dtype_rule::choice) inputs.front() = dtype::boolean;
    entry_case.kernel =
        &make_strip_kernel(fmt::format("{}({})", entry.name, name_of(entry_case.operands)),
                           entry.label, std::move(inputs), entry_case.result, entry_case.run);
  }
}

function_table make_functions() {
  function_table table;
  for (const auto& entries : {arithmetic_entries(), floating_entries(), ordering_entries()}) {
    for (const elementwise_entry& entry : entries) {
      make_kernels(table.emplace(entry.name, entry).first->second);
    }
  }
  return table;
}

const function_table& functions() {
  static const function_table table = make_functions();
  return table;
}

// A process that runs a part of another process's plan finds the kernels by name.
const bool functions_are_known = (static_cast<void>(functions()), true);

}  // namespace

const strip_kernel& make_strip_kernel(std::string name, std::string label,
                                      std::vector<dtype> inputs, dtype output, run_function run) {
  // Never destroyed, and never moved: kernels are compared by address.
  static auto& names = *new std::deque<std::string>;
  static auto& kernels = *new std::deque<strip_kernel>;
  strip_kernel kernel{names.emplace_back(std::move(name)),
                      std::move(label),
                      std::move(inputs),
                      {output},
                      run,
                      [](std::string_view) { return kernel_parameters(); }};
  return register_kernel(kernels.emplace_back(std::move(kernel)));
}

const elementwise_entry& elementwise_named(std::string_view name) {
  const function_table& table = functions();
  const auto match = table.find(name);
  if (match != table.end()) return match->second;
  std::vector<std::string_view> names;
  for (const auto& [known, entry] : table) names.push_back(known);
  throw value_error(fmt::format("elementwise: no function of elements is called \"{}\"{}", name,
                                did_you_mean(name, names)));
}

}  // namespace tessera::detail
