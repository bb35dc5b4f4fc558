// SPDX-License-Identifier: Apache-2.0
#include "kernel/openblas.hpp"

#include <algorithm>
#include <array>
#include <mutex>
#include <string_view>

// Declared here as well, since the headers of other BLAS libraries do not have them; null where the
// library is not OpenBLAS.
extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int);
[[gnu::weak]] char* openblas_get_corename();
}

namespace tessera::detail {
namespace {

struct guarded_threads {
  std::mutex mutex;
  int num_guards = 0;
  int of_user = 1;
};

guarded_threads& threads() {
  static guarded_threads one;
  return one;
}

}  // namespace

bool are_kernels_narrow() {
  using namespace std::string_view_literals;
  // Of those that OpenBLAS's driver/others/dynamic.c chooses from.
  constexpr std::array narrow{"Katmai"sv,     "Coppermine"sv,   "Northwood"sv,  "Prescott"sv,
                              "Banias"sv,     "Atom"sv,         "Core2"sv,      "Penryn"sv,
                              "Dunnington"sv, "Nehalem"sv,      "Athlon"sv,     "Opteron"sv,
                              "Nano"sv,       "Opteron_SSE3"sv, "Barcelona"sv,  "Sandybridge"sv,
                              "Bobcat"sv,     "Bulldozer"sv,    "Piledriver"sv, "Steamroller"sv};
  if (openblas_get_corename == nullptr) return false;
  const std::string_view name = openblas_get_corename();
  return std::find(narrow.begin(), narrow.end(), name) != narrow.end();
}

void hold_one_thread() {
  if (openblas_set_num_threads == nullptr) return;
  guarded_threads& all = threads();
  const std::lock_guard lock(all.mutex);
  if (all.num_guards++ > 0) return;
  all.of_user = openblas_get_num_threads();
  if (all.of_user != 1) openblas_set_num_threads(1);
}

void let_threads_go() {
  if (openblas_set_num_threads == nullptr) return;
  guarded_threads& all = threads();
  const std::lock_guard lock(all.mutex);
  if (--all.num_guards == 0 && all.of_user != 1) openblas_set_num_threads(all.of_user);
}

}  // namespace tessera::detail
