// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Prints arrays, and results of functions of them, each with the line of Python by which NumPy is
/// to compute the same: see reductions.py.

#include "tessera/tessera.hpp"

#include <cstddef>
#include <cstdio>
#include <string>
#include <type_traits>

namespace tessera::testing {

template <class Result>
void print_array(const char* kind, const std::string& name, const Result& values) {
  using T = std::remove_cvref_t<decltype(values.span()[0])>;
  std::printf("%s\t%s\t%s\t", kind, name.c_str(), std::string(name_of(dtype_of<T>)).c_str());
  for (const index_t extent : values.shape()) std::printf("%ld,", static_cast<long>(extent));
  std::fputc('\t', stdout);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(values.span().data());
  for (std::size_t i = 0; i < values.span().size() * sizeof(T); ++i) std::printf("%02x", bytes[i]);
  std::fputc('\n', stdout);
}

/// Prints the elements of `e`, which `python` is to compute as well.
template <class E>
void expect(const std::string& python, const E& e) {
  print_array("expect", python, e.compute());
}

}  // namespace tessera::testing
