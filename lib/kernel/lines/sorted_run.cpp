// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs of a sorted line: an external sort without a merge.
///
/// A selection has found the keys of the ranks at which runs begin. A run streams through the whole
/// line, part by part, keeps the elements between its bounds, and sorts them:
///     line  -> [part][part][part]...   keep first_ <= key < next_   -> run, sorted
/// Elements equal to a bound are shared among neighbouring runs by their count so far.

#include "tessera/core/error.hpp"
#include "tessera/kernel/detail/fold_common.hpp"
#include "tessera/kernel/registry.hpp"

#include "kernel/api/radix_select.hpp"
#include "kernel/lines/key_sort.hpp"
#include "kernel/lines/line_kernels.hpp"
#include "kernel/lines/line_runner.hpp"
#include "kernel/lines/rank_query.hpp"

#include <algorithm>
#include <climits>
#include <cstring>
#include <limits>

namespace tessera {
namespace {

using detail::query_in;
using radix_select::rank_query;

/// The state of a run between the parts of the line.
struct progress {
  index_t num_taken = 0;
  index_t equal_to_first = 0;
  index_t equal_to_next = 0;
  index_t zeros = 0;
};

/// The bounds of a run: from its first rank to the rank before the next run's first.
template <class T>
class run_bounds {
 public:
  using key = detail::key_t<T>;

  run_bounds(const rank_query& query, const block_input& search_state, index_t start)
      : flipped_(detail::flipped_keys<T>(query.is_descending)),
        has_first_(start > 0),
        has_next_(start + query.run < query.size) {
    const index_t number = start / query.run;
    const auto at = [&](index_t i) {
      return *detail::typed<std::int64_t>(search_state.data + i * search_state.strides.back());
    };
    if (has_first_) {
      first_ = static_cast<key>(at(1 + 2 * (number - 1)));
      before_first_ = at(2 + 2 * (number - 1));
    }
    if (has_next_) {
      next_ = static_cast<key>(at(1 + 2 * number));
      before_next_ = at(2 + 2 * number);
    }
  }

  /// Tells whether the run has `x`, the next element of the line.
  bool has(T x, progress& state) const {
    const key k = detail::key_of(x, flipped_);
    bool is_in = true;
    if (has_first_ && k <= first_) is_in = k == first_ && state.equal_to_first++ >= before_first_;
    if (has_next_ && k >= next_) {
      is_in = k == next_ && state.equal_to_next++ < before_next_ && is_in;
    }
    return is_in;
  }

 private:
  key flipped_;
  bool has_first_;
  bool has_next_;
  key first_{};
  key next_{};
  /// The number of elements with that key in the runs before.
  index_t before_first_ = 0;
  index_t before_next_ = 0;
};

progress& progress_of(const block_call& call) {
  return *static_cast<progress*>(static_cast<void*>(call.workspace.data()));
}

void start_run(const block_call& call) { progress_of(call) = {}; }

/// Tells whether a kernel makes whole runs, and the last one.
bool are_runs(const block_shapes& of) {
  if (of.inputs.size() != 2 || of.outputs.size() != 1) return false;
  const rank_query& query = query_in(of.parameters);
  const index_vector& run = of.outputs[0];
  return query.run > 0 && of.inputs[0].size() == 1 && of.inputs[1].size() == 1 &&
         of.inputs[1][0] == radix_select::length_of_state(query.count()) && !run.empty() &&
         (run.back() == query.run || run.back() == query.size);
}

/// Makes a run of elements: appends elements to the output, and sorts the complete run. Zeros that
/// differ by their signs alone stay in their order: a bit for each keeps its sign.
template <class T>
struct sorted_runs {
  static constexpr const char* label = "sort";
  using result = T;

  static std::size_t workspace(const block_shapes& of) {
    const auto size = static_cast<std::size_t>(of.outputs[0].back());
    return detail::padded(sizeof(progress)) + (detail::may_be_nan<T> ? size / CHAR_BIT + 1 : 0);
  }

  static void take(const block_call& call, T x, index_t /*position*/, progress& state) {
    if constexpr (detail::may_be_nan<T>) {
      if (static_cast<detail::compared_t<T>>(x) == 0) note_sign(signs(call), state.zeros++, x);
    }
    detail::typed<T>(call.outputs[0].data)[state.num_taken++] = x;
  }

  static void finish(const block_call& call, const progress& state) {
    using value = detail::compared_t<T>;
    T* const first = detail::typed<T>(call.outputs[0].data);
    T* const last = detail::move_nan_behind(first, first + state.num_taken);
    detail::sort_elements(first, last, query_in(call.parameters).is_descending);
    if constexpr (detail::may_be_nan<T>) {
      T* zero = std::find_if(first, last, [](T x) { return static_cast<value>(x) == value{}; });
      for (index_t i = 0; i < state.zeros; ++i)
        *zero++ = is_negative(signs(call), i) ? -T(0.0F) : T(0.0F);
    }
  }

 private:
  static std::byte* signs(const block_call& call) {
    return call.workspace.data() + detail::padded(sizeof(progress));
  }
  static std::byte bit_of(index_t i) { return std::byte{1} << static_cast<int>(i % CHAR_BIT); }
  static void note_sign(std::byte* bits, index_t i, T zero) {
    std::byte& here = bits[i / CHAR_BIT];
    const bool is_set = (std::bit_cast<detail::key_t<T>>(zero) & detail::sign_bit<T>) != 0;
    here = is_set ? here | bit_of(i) : here & ~bit_of(i);
  }
  static bool is_negative(const std::byte* bits, index_t i) {
    return (bits[i / CHAR_BIT] & bit_of(i)) != std::byte{};
  }
};

/// Makes a run of indices: collects keys with their indices, and sorts them at the end.
template <class T>
struct argsorted_runs {
  static constexpr const char* label = "argsort";
  using result = std::int64_t;

  using entry = detail::indexed_key<detail::key_t<T>, index_t>;

  static std::size_t workspace(const block_shapes& of) {
    return detail::padded(sizeof(progress)) +
           static_cast<std::size_t>(of.outputs[0].back()) * sizeof(entry);
  }

  static void take(const block_call& call, T x, index_t position, progress& state) {
    const auto flipped = detail::flipped_keys<T>(query_in(call.parameters).is_descending);
    entries(call)[state.num_taken++] = {detail::key_of(x, flipped), position};
  }

  static void finish(const block_call& call, const progress& state) {
    entry* const first = entries(call);
    detail::sort_indexed_keys(first, first + state.num_taken);
    auto* const positions = detail::typed<std::int64_t>(call.outputs[0].data);
    std::transform(first, first + state.num_taken, positions,
                   [](const entry& sorted) { return sorted.index; });
  }

 private:
  static entry* entries(const block_call& call) {
    return static_cast<entry*>(
        static_cast<void*>(call.workspace.data() + detail::padded(sizeof(progress))));
  }
};

template <template <class> class Runs, class T>
void run(const block_call& call) {
  const block_input& x = call.inputs[0];
  const block_output& out = call.outputs[0];
  const index_t size = out.extents.back();
  if (out.strides.back() != index_t{sizeof(typename Runs<T>::result)} ||
      num_elements(out.extents) != size) {
    throw value_error("sort: found a run of a sorted line that does not lie side by side");
  }
  progress& state = progress_of(call);
  const run_bounds<T> bounds(query_in(call.parameters), call.inputs[1], out.start.back());
  if (state.num_taken == size) return;
  for (index_t i = 0; i < x.extents[0]; ++i) {
    const T element = *detail::typed<T>(x.data + i * x.strides[0]);
    if (!bounds.has(element, state)) continue;
    Runs<T>::take(call, element, x.start[0] + i, state);
    if (state.num_taken == size) return Runs<T>::finish(call, state);
  }
}

template <template <class> class Runs, class T>
const block_kernel& run_kernel_of() {
  static const std::string name =
      std::string("run of ") + Runs<T>::label + "<" + std::string(name_of(dtype_of<T>)) + ">";
  static const block_kernel kernel{.name = name,
                                   .label = Runs<T>::label,
                                   .inputs = {dtype_of<T>, dtype::int64},
                                   .outputs = {dtype_of<typename Runs<T>::result>},
                                   .run = &run<Runs, T>,
                                   .start = &start_run,
                                   .takes = &are_runs,
                                   .workspace = &Runs<T>::workspace,
                                   .restore = &detail::restore_positions};
  static const block_kernel& registered = register_kernel(kernel);
  return registered;
}

template <template <class> class Runs>
const block_kernel& run_kernel(dtype type) {
  return detail::ordered_kernel(
      Runs<double>::label, type,
      []<class T>(type_tag<T>) -> const block_kernel& { return run_kernel_of<Runs, T>(); });
}

const bool runs_are_registered = [] {
  for (const dtype type : detail::ordered_dtypes) {
    static_cast<void>(radix_select::sorted_run(type));
    static_cast<void>(radix_select::argsorted_run(type));
  }
  return true;
}();

}  // namespace

const block_kernel& radix_select::sorted_run(dtype type) {
  static_cast<void>(runs_are_registered);
  return run_kernel<sorted_runs>(type);
}

const block_kernel& radix_select::argsorted_run(dtype type) {
  return run_kernel<argsorted_runs>(type);
}

}  // namespace tessera
