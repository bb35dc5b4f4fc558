// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The message of a program that ends with an uncaught error of the library.

#include <exception>

namespace tessera {

/// The exit code of a program that was told to stop, as of shells for Ctrl-C.
inline constexpr int interrupted_code = 130;

/// Prints the message of an uncaught `error` and ends the program, without `abort`.
///
/// The exit code is `interrupted_code` after an `interrupted_error`, and else 1.
/// The previous handler handles other exceptions. A handler that the program has set has precedence
/// over ours, except after an interrupt.
///
/// Threads: at most one object at a time.
class terminate_handler {
 public:
  terminate_handler();
  terminate_handler(const terminate_handler&) = delete;
  terminate_handler& operator=(const terminate_handler&) = delete;
  ~terminate_handler();
};

}  // namespace tessera
