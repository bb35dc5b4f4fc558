// SPDX-License-Identifier: Apache-2.0
#include "core/api/kept_memory.hpp"

#include <utility>

namespace tessera {

namespace {

struct scopes {
  int depth = 0;
  void (*release)() = nullptr;
};

scopes& scopes_of_thread() {
  thread_local scopes open;
  return open;
}

}  // namespace

kept_memory_scope::kept_memory_scope() { ++scopes_of_thread().depth; }

kept_memory_scope::~kept_memory_scope() {
  scopes& open = scopes_of_thread();
  if (--open.depth > 0) return;
  if (auto* const release = std::exchange(open.release, nullptr)) release();
}

void release_with_scope(void (*release)()) { scopes_of_thread().release = release; }

}  // namespace tessera
