// SPDX-License-Identifier: Apache-2.0
#include "kernel/openblas.hpp"

#include "core/api/resident_library.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <dlfcn.h>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tessera::detail {
namespace {

/// The library that the build has found, if any, and the name of its binary interface, which is
/// there without the library's headers.
constexpr std::array libraries{
#ifdef TESSERA_OPENBLAS
    TESSERA_OPENBLAS,
#endif
    "libopenblas.so.0"};

std::atomic<bool> is_loaded = false;

template <class Function>
Function* find_as(void* library, const char* name) {
  return reinterpret_cast<Function*>(dlsym(library, name));
}

/// Ends the threads that a library starts when it is loaded; it starts new ones if a program asks
/// for more than one thread.
void end_threads(void* library) {
  auto* const set_num_threads = find_as<void(int)>(library, "openblas_set_num_threads");
  auto* const end_all = find_as<int()>(library, "blas_thread_shutdown_");
  if (set_num_threads == nullptr || end_all == nullptr) return;
  set_num_threads(1);
  end_all();
}

void* load_openblas() {
  for (const char* const name : libraries) {
    if (void* const of_program = dlopen(name, RTLD_NOW | RTLD_NOLOAD)) return of_program;
  }
  for (const char* const name : libraries) {
    void* const library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) continue;
    end_threads(library);
    return library;
  }
  throw std::runtime_error(std::string("products of matrices call OpenBLAS, which cannot be "
                                       "loaded: ") +
                           dlerror() + "; install it (Debian: libopenblas0)");
}

void* openblas() {
  static void* const library = [] {
    announce_library_load();
    void* const loaded = load_openblas();
    is_loaded = true;
    return loaded;
  }();
  return library;
}

/// Functions that other BLAS libraries do not have; null there.
struct openblas_settings {
  int (*num_threads)();
  void (*set_num_threads)(int);
  char* (*core_name)();
};

const openblas_settings& settings() {
  static const openblas_settings state{find_as<int()>(openblas(), "openblas_get_num_threads"),
                                       find_as<void(int)>(openblas(), "openblas_set_num_threads"),
                                       find_as<char*()>(openblas(), "openblas_get_corename")};
  return state;
}

struct guarded_threads {
  std::mutex mutex;
  int num_guards = 0;
  int of_user = 1;
};

guarded_threads& threads() {
  static guarded_threads guards;
  return guards;
}

}  // namespace

void* find_in_openblas(const char* name) { return dlsym(openblas(), name); }

void throw_missing_function(const char* name) {
  throw std::runtime_error(std::string("OpenBLAS has no function ") + name);
}

std::uintptr_t address_of_openblas() {
  return is_loaded ? reinterpret_cast<std::uintptr_t>(find_in_openblas("cblas_dgemm")) : 0;
}

bool are_kernels_narrow() {
  using namespace std::string_view_literals;
  // Source: the processors in OpenBLAS's driver/others/dynamic.c.
  constexpr std::array narrow{"Katmai"sv,     "Coppermine"sv,   "Northwood"sv,  "Prescott"sv,
                              "Banias"sv,     "Atom"sv,         "Core2"sv,      "Penryn"sv,
                              "Dunnington"sv, "Nehalem"sv,      "Athlon"sv,     "Opteron"sv,
                              "Nano"sv,       "Opteron_SSE3"sv, "Barcelona"sv,  "Sandybridge"sv,
                              "Bobcat"sv,     "Bulldozer"sv,    "Piledriver"sv, "Steamroller"sv};
  if (settings().core_name == nullptr) return false;
  const std::string_view name = settings().core_name();
  return std::find(narrow.begin(), narrow.end(), name) != narrow.end();
}

void hold_one_thread() {
  if (settings().set_num_threads == nullptr) return;
  guarded_threads& state = threads();
  const std::lock_guard lock(state.mutex);
  if (state.num_guards++ > 0) return;
  state.of_user = settings().num_threads();
  if (state.of_user != 1) settings().set_num_threads(1);
}

void release_one_thread() {
  if (settings().set_num_threads == nullptr) return;
  guarded_threads& state = threads();
  const std::lock_guard lock(state.mutex);
  if (--state.num_guards == 0 && state.of_user != 1) settings().set_num_threads(state.of_user);
}

}  // namespace tessera::detail
