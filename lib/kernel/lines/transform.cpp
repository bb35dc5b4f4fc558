// SPDX-License-Identifier: Apache-2.0
#include "kernel/lines/transform.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <unsupported/Eigen/FFT>
#include <vector>

namespace tessera::detail {
namespace {

/// A transform as a convolution with a chirp: jk = (j^2 + k^2 - (j - k)^2) / 2.
template <class Real>
class convolved_transform {
 public:
  using complex = std::complex<Real>;

  explicit convolved_transform(index_t size)
      : size_(static_cast<std::size_t>(size)),
        chirp_(size_),
        filter_(static_cast<std::size_t>(convolution_size(size))),
        padded_(filter_.size()),
        transformed_(filter_.size()) {
    for (std::size_t i = 0; i < size_; ++i) {
      // The square, modulo twice the size, so that no digit of the angle is lost.
      const auto square = static_cast<double>(i * i % (2 * size_));
      const double angle = std::numbers::pi * square / static_cast<double>(size_);
      chirp_[i] = {static_cast<Real>(std::cos(angle)), static_cast<Real>(-std::sin(angle))};
    }
    padded_[0] = std::conj(chirp_[0]);
    for (std::size_t i = 1; i < size_; ++i) {
      padded_[i] = padded_[padded_.size() - i] = std::conj(chirp_[i]);
    }
    fft_.fwd(filter_.data(), padded_.data(), static_cast<int>(filter_.size()));
  }

  void forward(complex* to, const complex* from) {
    for (std::size_t i = 0; i < size_; ++i) padded_[i] = product(from[i], chirp_[i]);
    std::fill(padded_.begin() + static_cast<std::ptrdiff_t>(size_), padded_.end(), complex());
    const auto length = static_cast<int>(padded_.size());
    fft_.fwd(transformed_.data(), padded_.data(), length);
    for (std::size_t i = 0; i < padded_.size(); ++i) {
      transformed_[i] = product(transformed_[i], filter_[i]);
    }
    fft_.inv(padded_.data(), transformed_.data(), length);
    const auto scale = static_cast<Real>(1.0 / static_cast<double>(length));
    for (std::size_t i = 0; i < size_; ++i) to[i] = product(padded_[i], chirp_[i]) * scale;
  }

 private:
  std::size_t size_;
  std::vector<complex> chirp_;
  std::vector<complex> filter_;
  std::vector<complex> padded_;
  std::vector<complex> transformed_;
  Eigen::internal::kissfft_impl<Real> fft_;
};

}  // namespace

template <class Real>
struct fourier_transform<Real>::plans {
  explicit plans(index_t size) : size(size) {
    if (!has_large_prime(size)) return;
    convolved = std::make_unique<convolved_transform<Real>>(size);
    line.resize(static_cast<std::size_t>(size));
    convolution.resize(line.size());
  }

  [[nodiscard]] int length() const { return static_cast<int>(size); }

  index_t size;
  Eigen::internal::kissfft_impl<Real> fft;
  std::unique_ptr<convolved_transform<Real>> convolved;
  std::vector<complex> line;
  std::vector<complex> convolution;
};

template <class Real>
fourier_transform<Real>::fourier_transform(index_t size) : plans_(std::make_unique<plans>(size)) {}

template <class Real>
fourier_transform<Real>::~fourier_transform() = default;

template <class Real>
std::size_t fourier_transform<Real>::memory(index_t size) {
  constexpr std::size_t small = 4096;
  return static_cast<std::size_t>(elements_in_memory(size)) * sizeof(complex) + small;
}

template <class Real>
void fourier_transform<Real>::forward(complex* to, const complex* from) {
  if (plans_->size == 1) {
    *to = *from;
  } else if (plans_->convolved != nullptr) {
    plans_->convolved->forward(to, from);
  } else {
    plans_->fft.fwd(to, from, plans_->length());
  }
}

template <class Real>
void fourier_transform<Real>::inverse(complex* to, const complex* from) {
  if (plans_->size == 1) {
    *to = *from;
  } else if (plans_->convolved != nullptr) {
    std::transform(from, from + plans_->size, plans_->line.begin(),
                   [](complex x) { return std::conj(x); });
    plans_->convolved->forward(to, plans_->line.data());
    std::transform(to, to + plans_->size, to, [](complex x) { return std::conj(x); });
  } else {
    plans_->fft.inv(to, from, plans_->length());
  }
}

template <class Real>
void fourier_transform<Real>::forward(complex* to, const Real* from) {
  if (plans_->size == 1) {
    *to = *from;
  } else if (plans_->convolved != nullptr) {
    std::copy_n(from, plans_->size, plans_->line.begin());
    plans_->convolved->forward(plans_->convolution.data(), plans_->line.data());
    std::copy_n(plans_->convolution.begin(), plans_->size / 2 + 1, to);
  } else {
    plans_->fft.fwd(to, from, plans_->length());
  }
}

template <class Real>
void fourier_transform<Real>::inverse(Real* to, const complex* from) {
  if (plans_->size == 1) {
    *to = from->real();
  } else if (plans_->convolved != nullptr) {
    const index_t size = plans_->size;
    for (index_t i = 0; i < size; ++i) {
      const complex at = i <= size / 2 ? from[i] : std::conj(from[size - i]);
      plans_->line[static_cast<std::size_t>(i)] = std::conj(at);
    }
    plans_->line[0] = from[0].real();
    if (size % 2 == 0) plans_->line[static_cast<std::size_t>(size / 2)] = from[size / 2].real();
    plans_->convolved->forward(plans_->convolution.data(), plans_->line.data());
    for (index_t i = 0; i < size; ++i)
      to[i] = plans_->convolution[static_cast<std::size_t>(i)].real();
  } else {
    plans_->fft.inv(to, from, plans_->length());
  }
}

template class fourier_transform<float>;
template class fourier_transform<double>;

}  // namespace tessera::detail
