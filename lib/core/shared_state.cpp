// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/shared_state.hpp"

namespace tessera::detail {

shared_object::shared_object() noexcept = default;
shared_object::shared_object(std::shared_ptr<const void> object) noexcept
    : object_(std::move(object)) {}
shared_object::shared_object(const shared_object& rhs) noexcept = default;
shared_object::shared_object(shared_object&& rhs) noexcept = default;
shared_object& shared_object::operator=(const shared_object& rhs) noexcept = default;
shared_object& shared_object::operator=(shared_object&& rhs) noexcept = default;
shared_object::~shared_object() = default;

}  // namespace tessera::detail
