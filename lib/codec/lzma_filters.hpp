// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The chain of filters within LZMA, by the names of Python's lzma module.

#include "codec/option_reader.hpp"

#include <array>
#include <cstddef>
#include <lzma.h>
#include <vector>

namespace tessera::detail {

/// A chain of liblzma's filters that owns their options.
class lzma_filter_chain {
 public:
  /// Makes the chain of a preset: LZMA2, or LZMA1 if `is_old`.
  lzma_filter_chain(int preset, bool is_old);

  /// Reads the option "filters", a list of objects.
  ///
  /// Throws: codec_error <- a filter or an option is unknown or out of range.
  explicit lzma_filter_chain(const option_reader& options);

  lzma_filter_chain(const lzma_filter_chain& chain) { *this = chain; }
  lzma_filter_chain& operator=(const lzma_filter_chain& chain);

  /// Shrinks dictionaries to the need of `decoded_size` bytes. An encoder's memory grows with them.
  void shrink(std::size_t decoded_size);

  /// Returns the filters, ended by LZMA_VLI_UNKNOWN.
  [[nodiscard]] const lzma_filter* get() const { return filters_.data(); }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool has_only(lzma_vli id) const { return size_ == 1 && filters_[0].id == id; }

 private:
  /// The options of a filter of any kind.
  struct options_of_filter {
    lzma_options_lzma lzma = {};
    lzma_options_delta delta = {};
    lzma_options_bcj bcj = {};
  };

  void add(lzma_vli id, const options_of_filter& options);
  void point_to_own_options();

  std::array<options_of_filter, LZMA_FILTERS_MAX> options_ = {};
  std::array<lzma_filter, LZMA_FILTERS_MAX + 1> filters_ = {};
  std::size_t size_ = 0;
};

}  // namespace tessera::detail
