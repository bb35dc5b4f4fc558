// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Two calls that wait for servers, at the same time.

#include <functional>
#include <future>
#include <system_error>

namespace tessera::detail {

/// Calls `first` in this thread and `second` in another one, and returns when both have ended. The
/// calls share only thread-safe state. Without a thread `second` runs after `first`. If both throw,
/// the exception of `first` is passed on.
template <class First, class Second>
void call_at_once(First&& first, Second&& second) {
  std::future<void> helper;
  try {
    helper = std::async(std::launch::async, std::ref(second));
  } catch (const std::system_error&) {
    helper = {};
  }
  // The end of `helper` waits for its call.
  first();
  if (helper.valid()) {
    helper.get();
  } else {
    second();
  }
}

}  // namespace tessera::detail
