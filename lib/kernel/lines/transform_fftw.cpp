// SPDX-License-Identifier: Apache-2.0
/// \file
/// Transforms by FFTW 3, of any length in n log n.

#include "kernel/lines/transform.hpp"

#include <fftw3.h>
#include <mutex>
#include <new>

namespace tessera::detail {
namespace {

/// Plans are made and destroyed by one thread at a time; they are executed by any number.
std::mutex& planner() {
  static std::mutex lock;
  return lock;
}

/// The functions of one precision. Plans are for arrays of any alignment, and measure nothing: the
/// same input has the same bits in each run.
template <class Real>
struct fftw;

#define TESSERA_FFTW_OF(real, prefix)                                                           \
  template <>                                                                                   \
  struct fftw<real> {                                                                           \
    using plan = prefix##_plan;                                                                 \
    static constexpr unsigned flags = FFTW_ESTIMATE | FFTW_UNALIGNED | FFTW_PRESERVE_INPUT;     \
    static prefix##_complex* as_complex(const std::complex<real>* x) {                          \
      return reinterpret_cast<prefix##_complex*>(const_cast<std::complex<real>*>(x));           \
    }                                                                                           \
    static plan make(int n, std::complex<real>* to, const std::complex<real>* from, int sign) { \
      return prefix##_plan_dft_1d(n, as_complex(from), as_complex(to), sign, flags);            \
    }                                                                                           \
    static plan make(int n, std::complex<real>* to, const real* from) {                         \
      return prefix##_plan_dft_r2c_1d(n, const_cast<real*>(from), as_complex(to), flags);       \
    }                                                                                           \
    static plan make(int n, real* to, const std::complex<real>* from) {                         \
      return prefix##_plan_dft_c2r_1d(n, as_complex(from), to, flags);                          \
    }                                                                                           \
    static void run(plan p, std::complex<real>* to, const std::complex<real>* from) {           \
      prefix##_execute_dft(p, as_complex(from), as_complex(to));                                \
    }                                                                                           \
    static void run(plan p, std::complex<real>* to, const real* from) {                         \
      prefix##_execute_dft_r2c(p, const_cast<real*>(from), as_complex(to));                     \
    }                                                                                           \
    static void run(plan p, real* to, const std::complex<real>* from) {                         \
      prefix##_execute_dft_c2r(p, as_complex(from), to);                                        \
    }                                                                                           \
    static void destroy(plan p) { prefix##_destroy_plan(p); }                                   \
  };

TESSERA_FFTW_OF(float, fftwf)
TESSERA_FFTW_OF(double, fftw)
#undef TESSERA_FFTW_OF

}  // namespace

/// The plans of one size, each made at its first use.
template <class Real>
struct fourier_transform<Real>::plans {
  using functions = fftw<Real>;
  using plan = typename functions::plan;

  explicit plans(index_t size) : length(static_cast<int>(size)) {}
  plans(const plans&) = delete;
  plans& operator=(const plans&) = delete;
  ~plans() {
    const std::lock_guard lock(planner());
    for (const plan kind : {forward, inverse, of_real, to_real}) {
      if (kind != nullptr) functions::destroy(kind);
    }
  }

  /// Transforms by `kept`, which the first call makes.
  template <class To, class From, class... Sign>
  void run(plan& kept, To* to, const From* from, Sign... sign) {
    if (kept == nullptr) {
      const std::lock_guard lock(planner());
      kept = functions::make(length, to, from, sign...);
      if (kept == nullptr) throw std::bad_alloc();
    }
    functions::run(kept, to, from);
  }

  int length;
  plan forward = nullptr;
  plan inverse = nullptr;
  plan of_real = nullptr;
  plan to_real = nullptr;
};

template <class Real>
fourier_transform<Real>::fourier_transform(index_t size) : plans_(std::make_unique<plans>(size)) {}

template <class Real>
fourier_transform<Real>::~fourier_transform() = default;

template <class Real>
std::size_t fourier_transform<Real>::memory(index_t size) {
  constexpr std::size_t small = 1 << 16;
  return static_cast<std::size_t>(elements_in_memory(size)) * sizeof(complex) + small;
}

template <class Real>
void fourier_transform<Real>::forward(complex* to, const complex* from) {
  plans_->run(plans_->forward, to, from, FFTW_FORWARD);
}

template <class Real>
void fourier_transform<Real>::inverse(complex* to, const complex* from) {
  plans_->run(plans_->inverse, to, from, FFTW_BACKWARD);
}

template <class Real>
void fourier_transform<Real>::forward(complex* to, const Real* from) {
  plans_->run(plans_->of_real, to, from);
}

template <class Real>
void fourier_transform<Real>::inverse(Real* to, const complex* from) {
  plans_->run(plans_->to_real, to, from);
}

template class fourier_transform<float>;
template class fourier_transform<double>;

}  // namespace tessera::detail
