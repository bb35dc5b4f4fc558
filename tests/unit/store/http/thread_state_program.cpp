// SPDX-License-Identifier: Apache-2.0
/// \file
/// A program that fails if OpenSSL keeps state for a thread that reads from a server.
///
/// usage: http_thread_state_program <location of a store>
///
/// OpenSSL frees the state of a thread by the destructor of a key. This program takes the place of
/// the function that registers it.

#include "tessera/core/error.hpp"
#include "tessera/store/key_value_store.hpp"
#include "tessera/store/open_store.hpp"

#include <atomic>
#include <dlfcn.h>
#include <pthread.h>
#include <string_view>
#include <thread>

namespace {

using destructor = void (*)(void*);

thread_local bool is_reader = false;
std::atomic<bool> has_state = false;
destructor of_openssl = nullptr;

void destroy_state(void* state) {
  if (is_reader) has_state = true;
  of_openssl(state);
}

/// Tells whether code at an address is OpenSSL's.
bool is_of_openssl(const void* address) {
  Dl_info library{};
  return dladdr(address, &library) != 0 &&
         std::string_view(library.dli_fname).find("libcrypto") != std::string_view::npos;
}

}  // namespace

extern "C" int pthread_key_create(pthread_key_t* key, destructor function) noexcept {
  using creator = int (*)(pthread_key_t*, destructor);
  static const auto next = reinterpret_cast<creator>(dlsym(RTLD_NEXT, "pthread_key_create"));
  const bool is_first = function != nullptr && of_openssl == nullptr;
  if (!is_first || !is_of_openssl(__builtin_return_address(0))) return next(key, function);
  of_openssl = function;
  return next(key, &destroy_state);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::thread([location = argv[1]] {
    is_reader = true;
    try {
      // No server listens there.
      (void)tessera::open_store(location)->size("k");
    } catch (const tessera::store_error&) {
      // The client has started all the same.
    }
  }).join();
  return has_state ? 1 : 0;
}
