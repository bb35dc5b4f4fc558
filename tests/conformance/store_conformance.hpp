// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The contract of stores; `register_store_conformance` makes the tests of one store.

#include "tessera/store/key_value_store.hpp"

#include <functional>
#include <memory>
#include <string>

namespace tessera::testing {

/// Registers the conformance tests of a store as `Store/<name>.<Test>`; `make` makes an empty one.
///
/// Returns true, so that a registration can initialise a constant.
bool register_store_conformance(const std::string& name,
                                const std::function<std::shared_ptr<key_value_store>()>& make);

/// Registers those of reads of parts, conditional writes, queues and writers; a part of the above.
void register_transfer_conformance(const std::string& name,
                                   const std::function<std::shared_ptr<key_value_store>()>& make);

}  // namespace tessera::testing
