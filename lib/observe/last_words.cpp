// SPDX-License-Identifier: Apache-2.0
#include "observe/last_words.hpp"

#include "tessera/core/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace tessera {

namespace {

constexpr int exit_code = 130;

// A terminate handler is a plain function: what it falls back to has no other place.
std::terminate_handler handler_before = nullptr;

[[noreturn]] void end_program() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const interrupted_error& error) {
    std::fflush(nullptr);
    std::fprintf(stderr, "%s\n", error.what());
    std::_Exit(exit_code);
  } catch (...) {
    // Is said by the handler that was there before.
  }
  if (handler_before != nullptr) handler_before();
  std::abort();
}

}  // namespace

last_words::last_words() { handler_before = std::set_terminate(end_program); }

last_words::~last_words() { std::set_terminate(handler_before); }

}  // namespace tessera
