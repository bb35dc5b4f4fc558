// SPDX-License-Identifier: Apache-2.0
#include "kernel/openblas.hpp"

#include <mutex>

// Declared here as well, since the headers of other BLAS libraries do not have them; null where the
// library is not OpenBLAS.
extern "C" {
[[gnu::weak]] int openblas_get_num_threads();
[[gnu::weak]] void openblas_set_num_threads(int);
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
