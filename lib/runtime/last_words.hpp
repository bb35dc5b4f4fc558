// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// What a program says when an error of ours ends it.

#include <exception>

namespace tessera {

/// For its lifetime, an `error` that leaves `main` ends the program with its message and the exit
/// code 1, or 130 that shells give to Ctrl-C where it is an `interrupted_error`; not with `abort`.
/// Whatever else is thrown ends it as before, and a handler that the program has set goes before
/// ours where it was not interrupted.
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
