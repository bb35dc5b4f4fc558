// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/registry.hpp"

#include "tessera/core/error.hpp"

#include "core/api/registry.hpp"

#include <string>
#include <string_view>

namespace tessera {
namespace {

/// Kernels of one kind; a null pointer stands for a name that several kernels bear.
template <class Kernel>
constexpr auto kernels = &detail::registry<const Kernel*>::instance;

template <class Kernel>
const Kernel& insert(const Kernel& kernel) {
  const Kernel* const known = kernels<Kernel>().insert(kernel.name, &kernel);
  if (known != nullptr && known != &kernel) kernels<Kernel>().replace(kernel.name, nullptr);
  return kernel;
}

template <class Kernel>
const Kernel& find(std::string_view name, const char* kind) {
  const Kernel* const* const kernel = kernels<Kernel>().find(name);
  if (kernel != nullptr && *kernel != nullptr) return **kernel;
  const std::string subject = std::string("find_") + kind + "_kernel: ";
  if (kernel == nullptr) {
    throw value_error(subject + "this program has no kernel named '" + std::string(name) +
                      "'; run the plan with the program that made it");
  }
  throw value_error(subject + "several kernels are named '" + std::string(name) +
                    "'; give their function objects names that differ");
}

}  // namespace

const strip_kernel& register_kernel(const strip_kernel& kernel) { return insert(kernel); }

const generator_kernel& register_kernel(const generator_kernel& kernel) { return insert(kernel); }

const fold_kernel& register_kernel(const fold_kernel& kernel) { return insert(kernel); }

const block_kernel& register_kernel(const block_kernel& kernel) { return insert(kernel); }

const scan_kernel& register_kernel(const scan_kernel& kernel) { return insert(kernel); }

const strip_kernel& find_strip_kernel(std::string_view name) {
  return find<strip_kernel>(name, "strip");
}

const generator_kernel& find_generator_kernel(std::string_view name) {
  return find<generator_kernel>(name, "generator");
}

const fold_kernel& find_fold_kernel(std::string_view name) {
  return find<fold_kernel>(name, "fold");
}

const block_kernel& find_block_kernel(std::string_view name) {
  return find<block_kernel>(name, "block");
}

const scan_kernel& find_scan_kernel(std::string_view name) {
  return find<scan_kernel>(name, "scan");
}

}  // namespace tessera
