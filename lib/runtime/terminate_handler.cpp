// SPDX-License-Identifier: Apache-2.0
#include "runtime/terminate_handler.hpp"

#include "tessera/core/error.hpp"

#include <cstdio>
#include <cstdlib>

namespace tessera {

namespace {

constexpr int failed_code = 1;

// A terminate handler is a function without arguments, so its fallback is a global object.
std::terminate_handler handler_before = nullptr;

/// Tells whether a handler is the standard library's. A handler of the program has precedence.
bool is_default(std::terminate_handler handler) {
#ifdef __GLIBCXX__
  return handler == __gnu_cxx::__verbose_terminate_handler;
#else
  return handler == std::abort;
#endif
}

[[noreturn]] void print_and_exit(const error& last, int exit_code) {
  std::fflush(nullptr);
  std::fprintf(stderr, "%s\n", last.what());
  std::_Exit(exit_code);
}

[[noreturn]] void end_program() {
  try {
    if (const std::exception_ptr thrown = std::current_exception()) std::rethrow_exception(thrown);
  } catch (const interrupted_error& last) {
    print_and_exit(last, interrupted_code);
  } catch (const error& last) {
    if (is_default(handler_before)) print_and_exit(last, failed_code);
  } catch (...) {
    // The previous handler reports it.
  }
  if (handler_before != nullptr) handler_before();
  std::abort();
}

}  // namespace

terminate_handler::terminate_handler() { handler_before = std::set_terminate(end_program); }

terminate_handler::~terminate_handler() { std::set_terminate(handler_before); }

}  // namespace tessera
