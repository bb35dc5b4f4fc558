// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A file descriptor that is closed by its owner.

#include <unistd.h>
#include <utility>

namespace tessera {

/// A file descriptor that is closed by its owner; negative: none.
class descriptor {
 public:
  descriptor() = default;
  explicit descriptor(int value) : value_(value) {}
  descriptor(descriptor&& source) noexcept : value_(std::exchange(source.value_, -1)) {}
  descriptor& operator=(descriptor&& source) noexcept {
    std::swap(value_, source.value_);
    return *this;
  }
  ~descriptor() { reset(); }

  [[nodiscard]] int get() const { return value_; }
  void reset() {
    if (value_ >= 0) close(std::exchange(value_, -1));
  }

 private:
  int value_ = -1;
};

}  // namespace tessera
