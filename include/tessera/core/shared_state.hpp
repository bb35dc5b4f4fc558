// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Immutable state that the copies of an object share.

#include "tessera/version.hpp"

#include <memory>
#include <utility>

namespace tessera::detail {

/// A `std::shared_ptr<const void>` of which nothing is inline: programs have hundreds of types of
/// expressions, and need not compile the counting of references for each.
class shared_object {
 public:
  shared_object() noexcept;
  explicit shared_object(std::shared_ptr<const void> object) noexcept;
  shared_object(const shared_object& rhs) noexcept;
  shared_object(shared_object&& rhs) noexcept;
  shared_object& operator=(const shared_object& rhs) noexcept;
  shared_object& operator=(shared_object&& rhs) noexcept;
  ~shared_object();

  [[nodiscard]] const void* get() const noexcept { return object_.get(); }

 private:
  std::shared_ptr<const void> object_;
};

/// A `T` that copies share, or null.
template <class T>
class shared_state {
 public:
  shared_state() noexcept = default;
  /// Takes over the state, as functions of the library return it.
  shared_state(std::shared_ptr<const T> state) noexcept : object_(std::move(state)) {}

  [[nodiscard]] const T* get() const noexcept { return static_cast<const T*>(object_.get()); }
  [[nodiscard]] const T& operator*() const noexcept { return *get(); }
  [[nodiscard]] const T* operator->() const noexcept { return get(); }

 private:
  shared_object object_;
};

}  // namespace tessera::detail
