// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Makes the nodes of a plan: lowering calls these functions once the types are gone.
///
/// An operation computes the array that is returned in chunks of `chunks`, which are clipped to its
/// shape.

#include "tessera/core/dtype.hpp"
#include "tessera/core/index.hpp"
#include "tessera/core/index_map.hpp"
#include "tessera/core/region.hpp"
#include "tessera/expr/assemble.hpp"
#include "tessera/expr/layout.hpp"
#include "tessera/kernel/kernel.hpp"
#include "tessera/kernel/parameters.hpp"
#include "tessera/kernel/scan_kernel.hpp"
#include "tessera/meta/axes.hpp"
#include "tessera/plan/array_view.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

/// Returns parameters of which there are none.
[[nodiscard]] const kernel_parameters& empty_parameters();

/// A function of elements of some arrays, each seen in the same domain.
///
/// Nothing of it is inline, here and below: programs need not be compiled with it.
struct strip_source {
  strip_source();
  explicit strip_source(array_view as_it_is);
  strip_source(const strip_source&);
  strip_source(strip_source&&) noexcept;
  strip_source& operator=(const strip_source&);
  strip_source& operator=(strip_source&&) noexcept;
  ~strip_source();

  /// Adds an operand: `view`, seen through `map`.
  void add_operand(const array_view& view, const index_map& map);

  /// The kernel of an element; null for the one operand as it is.
  const strip_kernel* kernel = nullptr;
  kernel_parameters parameters;
  std::vector<array_view> operands;
};

/// Several of them, in order.
class strip_sources {
 public:
  strip_sources();
  strip_sources(const strip_sources&) = delete;
  strip_sources& operator=(const strip_sources&) = delete;
  ~strip_sources();

  void add(strip_source source);
  [[nodiscard]] const std::vector<strip_source>& items() const { return items_; }

 private:
  std::vector<strip_source> items_;
};

/// Returns the array of `shape` that `source` computes.
[[nodiscard]] array_handle make_map(std::string_view name, const index_vector& shape,
                                    const index_vector& chunks, const strip_source& source);

/// Returns the array of `shape` that `parts` of `sources` make up.
[[nodiscard]] array_handle make_assembly(std::string_view name, const index_vector& shape,
                                         const index_vector& chunks,
                                         const std::vector<assembled_piece>& parts,
                                         const strip_sources& sources);

/// The fold of some arrays: a `fold_sink` before its leaves are known.
struct fold_request {
  const fold_kernel& kernel;
  const kernel_parameters& parameters;
  axis_mask reduced;
  std::span<const index_t> extra_axes = {};
  bool is_labelled = false;
  /// Whether the kernel takes the positions of elements, behind its operands.
  bool takes_positions = false;
};

/// Returns the first result of a fold of `sources`.
///
/// `domain` is the layout that the sources have, with the chunks in which it is best read; the
/// leaves follow from them. A fold over no elements at all becomes a constant.
[[nodiscard]] array_handle make_fold(std::string_view name, const array_layout& domain,
                                     const index_vector& chunks, const fold_request& fold,
                                     const strip_sources& sources);
/// As above of one array as it is, `x` of the layout `domain`.
[[nodiscard]] array_handle make_fold(std::string_view name, const array_layout& domain,
                                     const index_vector& chunks, const fold_request& fold,
                                     const array_view& x);

/// The scan of an array: a `scan_sink` before its leaves are known.
struct scan_request {
  const scan_kernel& kernel;
  const kernel_parameters& parameters;
  std::size_t axis = 0;
  /// Whether lines begin at the end of the axis.
  bool is_reversed = false;
  /// The elements before the first result: one less than a window.
  index_t skipped = 0;
  /// Whether the result of an empty state comes before all elements.
  bool has_initial = false;
};

/// Returns the scan of `source`.
///
/// `step` are the chunks in which the source is best read; the leaves follow from them. With
/// `has_initial`, the result of an empty state comes before all elements.
[[nodiscard]] array_handle make_scan(std::string_view name, const index_vector& domain,
                                     const index_vector& step, const index_vector& chunks,
                                     const scan_request& scan, const strip_source& source);

/// Returns an array with the elements of `view`. It is the array itself if the view is of all of it
/// in its order and with its chunks `chunks`, else a copy.
[[nodiscard]] array_handle materialise(std::string_view name, const array_view& view,
                                       const index_vector& shape, const index_vector& chunks);

/// Returns `view`, an array of `shape`, with a label on the array that it shows, by which plans,
/// runs and errors name the operation that computes that. An array that no operation computes gets
/// the label if the view is all of it.
[[nodiscard]] array_view with_label(const array_view& view, const index_vector& shape,
                                    const std::string& label);

/// Returns a copy of `view`, an array of `shape`.
[[nodiscard]] array_handle make_copy(std::string_view name, const index_vector& shape,
                                     const index_vector& chunks, const array_view& view);

/// Returns `array` if an operation computes it, else a copy that an operation computes: an output
/// that a plan can have.
[[nodiscard]] array_handle computed(const array_handle& array);

/// Returns an array of the elements that `kernel` computes from their position.
[[nodiscard]] array_handle make_generated(std::string_view name, const index_vector& shape,
                                          const index_vector& chunks,
                                          const generator_kernel& kernel,
                                          kernel_parameters parameters);

/// A view of an array, and the chunks in which it is best read.
struct seen_array {
  array_view view;
  index_vector shape;
  index_vector chunks;
};

/// Returns the array of `shape` that `map`, with a gather, reads from `from`, in `chunks`. If the
/// chunks of `from` would be read again and again, it is computed in `own_chunks` first.
[[nodiscard]] array_handle make_gathered(std::string_view name, const index_vector& shape,
                                         const index_vector& chunks, const index_vector& own_chunks,
                                         const index_map& map, const seen_array& from);

/// Returns the whole of an array as a view.
[[nodiscard]] array_view whole_of(array_handle array);

/// Returns `view` seen through `map`, which leads into the view's indices.
[[nodiscard]] array_view seen_through(const array_view& view, const index_map& map);
[[nodiscard]] strip_source seen_through(strip_source source, const index_map& map);

}  // namespace tessera
