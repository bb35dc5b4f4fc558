// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/registry.hpp"

#include "tessera/core/error.hpp"

#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace tessera {
namespace {

/// Kernels of one kind by name; a null pointer stands for a name that several kernels bear.
template <class Kernel>
class kernel_table {
 public:
  static kernel_table& instance() {
    // Never destroyed: accessors may be named while static objects are.
    static auto& table = *new kernel_table;
    return table;
  }

  const Kernel& insert(const Kernel& kernel) {
    const std::lock_guard lock(mutex_);
    const auto [entry, is_new] = kernels_.emplace(kernel.name, &kernel);
    if (!is_new && entry->second != &kernel) entry->second = nullptr;
    return kernel;
  }

  const Kernel& find(std::string_view name, const char* kind) const {
    const std::lock_guard lock(mutex_);
    const auto entry = kernels_.find(name);
    const std::string what = std::string("find_") + kind + "_kernel: ";
    if (entry == kernels_.end()) {
      throw value_error(what + "this program has no kernel named '" + std::string(name) +
                        "'; run the plan with the program that made it");
    }
    if (entry->second == nullptr) {
      throw value_error(what + "several kernels are named '" + std::string(name) +
                        "'; give their function objects names that differ");
    }
    return *entry->second;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, const Kernel*, std::less<>> kernels_;
};

}  // namespace

const strip_kernel& register_kernel(const strip_kernel& kernel) {
  return kernel_table<strip_kernel>::instance().insert(kernel);
}

const generator_kernel& register_kernel(const generator_kernel& kernel) {
  return kernel_table<generator_kernel>::instance().insert(kernel);
}

const fold_kernel& register_kernel(const fold_kernel& kernel) {
  return kernel_table<fold_kernel>::instance().insert(kernel);
}

const block_kernel& register_kernel(const block_kernel& kernel) {
  return kernel_table<block_kernel>::instance().insert(kernel);
}

const scan_kernel& register_kernel(const scan_kernel& kernel) {
  return kernel_table<scan_kernel>::instance().insert(kernel);
}

const strip_kernel& find_strip_kernel(std::string_view name) {
  return kernel_table<strip_kernel>::instance().find(name, "strip");
}

const generator_kernel& find_generator_kernel(std::string_view name) {
  return kernel_table<generator_kernel>::instance().find(name, "generator");
}

const fold_kernel& find_fold_kernel(std::string_view name) {
  return kernel_table<fold_kernel>::instance().find(name, "fold");
}

const block_kernel& find_block_kernel(std::string_view name) {
  return kernel_table<block_kernel>::instance().find(name, "block");
}

const scan_kernel& find_scan_kernel(std::string_view name) {
  return kernel_table<scan_kernel>::instance().find(name, "scan");
}

}  // namespace tessera
