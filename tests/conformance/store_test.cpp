// SPDX-License-Identifier: Apache-2.0
#include "tessera/store/filesystem_store.hpp"
#include "tessera/store/memory_store.hpp"

#include "conformance/store_conformance.hpp"
#include "unit/store/temporary_directory.hpp"

namespace tessera::testing {
namespace {

/// A store in a directory that goes when the store does.
std::shared_ptr<key_value_store> in_new_directory() {
  auto directory = std::make_shared<temporary_directory>();
  auto store = std::make_shared<filesystem_store>(*directory / "made by the store");
  return {store.get(), [store, directory](key_value_store*) {}};
}

constexpr auto add = &register_store_conformance;

// clang-format off
const bool memory = add("memory", [] { return std::make_shared<memory_store>(); });
const bool filesystem = add("filesystem", [] { return in_new_directory(); });
// clang-format on

}  // namespace
}  // namespace tessera::testing
