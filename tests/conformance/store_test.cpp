// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"
#include "tessera/testing/fault_injecting_store.hpp"

#include "conformance/store_conformance.hpp"
#include "unit/store/temporary_directory.hpp"

namespace tessera::testing {
namespace {

/// A store in a directory that goes when the store does.
std::shared_ptr<key_value_store> in_new_directory(const filesystem_options& options = {}) {
  auto directory = std::make_shared<temporary_directory>();
  auto store = std::make_shared<filesystem_store>(*directory / "made by the store", options);
  return {store.get(), [store, directory](key_value_store*) {}};
}

std::shared_ptr<key_value_store> without_faults() {
  return std::make_shared<fault_injecting_store>(std::make_shared<memory_store>());
}

constexpr auto add = &register_store_conformance;

// clang-format off
const bool memory = add("memory", [] { return std::make_shared<memory_store>(); });
const bool filesystem = add("filesystem", [] { return in_new_directory(); });
const bool synced = add("synced_filesystem", [] { return in_new_directory({.fsync = true}); });
const bool strict = add("strict_filesystem",
                        [] { return in_new_directory({.refuse_outward_links = true}); });
const bool faultless = add("fault_injecting", [] { return without_faults(); });
// clang-format on

}  // namespace
}  // namespace tessera::testing
