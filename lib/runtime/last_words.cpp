// SPDX-License-Identifier: Apache-2.0
#include "runtime/last_words.hpp"

#include "tessera/core/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace tessera {

namespace {

constexpr int interrupted_code = 130;
constexpr int failed_code = 1;

// A terminate handler is a plain function: what it falls back to has no other place.
std::terminate_handler handler_before = nullptr;

/// Tells whether a handler is what every program begins with; one of the program's own goes first.
bool is_default(std::terminate_handler handler) {
#ifdef __GLIBCXX__
  return handler == __gnu_cxx::__verbose_terminate_handler;
#else
  return handler == std::abort;
#endif
}

[[noreturn]] void say(const error& last, int exit_code) {
  std::fflush(nullptr);
  std::fprintf(stderr, "%s\n", last.what());
  std::_Exit(exit_code);
}

[[noreturn]] void end_program() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const interrupted_error& last) {
    say(last, interrupted_code);
  } catch (const error& last) {
    if (is_default(handler_before)) say(last, failed_code);
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
