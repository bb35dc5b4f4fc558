// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a program says when an interrupt ends it.

#include <exception>

namespace tessera {

/// For its lifetime, an `interrupted_error` that leaves `main` ends the program with its message,
/// which tells how to continue, and with the exit code 130 that shells give to Ctrl-C; not with
/// `abort`. Whatever else is thrown ends it as before.
///
/// Threads: at most one object at a time.
class last_words {
 public:
  last_words();
  last_words(const last_words&) = delete;
  last_words& operator=(const last_words&) = delete;
  ~last_words();
};

}  // namespace tessera
