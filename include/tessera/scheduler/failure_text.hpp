// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Failures of tasks as text, so that they travel between processes.

#include <exception>
#include <memory>
#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace tessera {

/// Memory that was refused, with words that say more than that.
class explained_bad_alloc final : public std::bad_alloc {
 public:
  explicit explained_bad_alloc(std::string text)
      : text_(std::make_shared<const std::string>(std::move(text))) {}
  [[nodiscard]] const char* what() const noexcept override { return text_->c_str(); }

 private:
  // Shared: an exception's copy must not throw.
  std::shared_ptr<const std::string> text_;
};

/// Returns a failure as text: its type, the fields that decide on another attempt, and its message.
///
/// Requires: `failure` is not null.
[[nodiscard]] std::string encode_failure(const std::exception_ptr& failure);

/// Returns the failure that `text` was made of, never null.
///
/// It has the type of the original if that is one of error.hpp's or std::bad_alloc, and is a
/// std::runtime_error with the same message otherwise. A text that describes no failure becomes an
/// `error` that says so.
[[nodiscard]] std::exception_ptr decode_failure(std::string_view text);

}  // namespace tessera
