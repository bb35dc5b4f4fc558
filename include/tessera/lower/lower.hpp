// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Lowering: an expression becomes operations with kernels.

#include "tessera/expr/assemble.hpp"
#include "tessera/expr/block_form.hpp"
#include "tessera/expr/contraction_node.hpp"
#include "tessera/expr/elementwise_node.hpp"
#include "tessera/expr/expression.hpp"
#include "tessera/expr/gathered.hpp"
#include "tessera/expr/line_node.hpp"
#include "tessera/expr/rechunk.hpp"
#include "tessera/expr/reduction.hpp"
#include "tessera/expr/scan_node.hpp"
#include "tessera/expr/view.hpp"
#include "tessera/lower/lower_blocks.hpp"
#include "tessera/lower/lower_contraction.hpp"
#include "tessera/lower/lower_strips.hpp"
#include "tessera/lower/nodes.hpp"

#include <boost/hana/at.hpp>
#include <boost/hana/unpack.hpp>
#include <concepts>
#include <cstddef>

namespace tessera {

/// A leaf: an expression that is a view of a plan's array.
template <class E>
concept lowered_expression = array_expression<E> && requires(const E& e) {
  { e.view() } -> std::convertible_to<array_view>;
};

/// Returns an array of the elements of `e` in chunks of `chunks`.
///
/// Nothing runs and nothing is read. An array that is already there in these chunks is returned as
/// it is.
template <array_expression E>
[[nodiscard]] array_handle lower(const E& e, const index_vector& chunks);

namespace detail {

template <class E>
inline constexpr bool is_view = false;
template <std::size_t N, class X>
inline constexpr bool is_view<expression<op::view<N>, X>> = true;

/// Returns the parameters of a tag, a reference to none if it has none.
template <class Tag>
decltype(auto) parameters_of(const Tag& tag) {
  if constexpr (requires { tag.parameters(); }) {
    return tag.parameters();
  } else {
    return empty_parameters();
  }
}

/// The lowering of a node to an array; one specialisation for each family.
template <class E>
struct lowering;

template <class Fold, std::size_t NumAxes, std::size_t NumOwn, class... Xs>
struct lowering<expression<op::reduce<Fold, NumAxes, NumOwn>, Xs...>> {
  using node = expression<op::reduce<Fold, NumAxes, NumOwn>, Xs...>;

  static array_handle lower(const node& e, const index_vector& chunks) {
    const kernel_parameters& parameters = parameters_of(e.op().fold);
    const fold_request fold{.kernel = Fold::template kernel<typename Xs::value_type...>(),
                            .parameters = parameters,
                            .reduced = e.op().reduced,
                            .extra_axes = e.op().extra_axes,
                            .is_labelled = is_labelled<Fold>,
                            .takes_positions = takes_positions<Fold>};
    return boost::hana::unpack(e.operands(), [&](const Xs&... xs) {
      if constexpr (sizeof...(Xs) == 1 && (lowered_expression<Xs> && ...)) {
        return make_fold(Fold::name, xs.layout()..., chunks, fold, xs.view()...);
      } else {
        const array_layout& folded = folded_layout(Fold::name, xs...);
        strip_sources sources;
        (sources.add(lower_strips(xs, broadcast_map(xs.layout().shape, folded.shape))), ...);
        return make_fold(Fold::name, folded, chunks, fold, sources);
      }
    });
  }
};

template <class Scan, class X>
struct lowering<expression<op::scan<Scan>, X>> {
  static array_handle lower(const expression<op::scan<Scan>, X>& e, const index_vector& chunks) {
    const X& x = boost::hana::at_c<0>(e.operands());
    const op::scan<Scan>& scan = e.op();
    const scan_request request{.kernel = Scan::template kernel<typename X::value_type>(),
                               .parameters = parameters_of(scan.function),
                               .axis = scan.axis,
                               .is_reversed = scan.is_reversed,
                               .skipped = scan.skipped,
                               .has_initial = scan.has_initial};
    return make_scan(Scan::name, x.layout().shape, x.layout().chunks, chunks, request,
                     lower_strips(x));
  }
};

template <std::size_t N, class X, class... Xs>
struct lowering<expression<op::contraction<N>, X, Xs...>> {
  static array_handle lower(const expression<op::contraction<N>, X, Xs...>& e,
                            const index_vector& chunks) {
    return boost::hana::unpack(e.operands(), [&](const auto&... xs) {
      return make_contraction(e.op().name, dtype_of<typename X::value_type>, *e.op().form, chunks,
                              {lower_view(xs)...});
    });
  }
};

template <class Line, std::size_t N, class X>
struct lowering<expression<op::lines<Line, N>, X>> {
  static array_handle lower(const expression<op::lines<Line, N>, X>& e,
                            const index_vector& chunks) {
    const X& x = boost::hana::at_c<0>(e.operands());
    const op::lines<Line, N>& lines = e.op();
    return make_lines(Line::name, lines.function.kernel(dtype_of<typename X::value_type>),
                      parameters_of(lines.function), x.layout(), chunks, lines.lined, lines.result,
                      lower_view(x));
  }
};

template <class Call, std::size_t N, class... Xs>
struct lowering<expression<op::blocks<Call, N>, Xs...>> {
  static array_handle lower(const expression<op::blocks<Call, N>, Xs...>& e,
                            const index_vector& chunks) {
    const op::blocks<Call, N>& blocks = e.op();
    return boost::hana::unpack(e.operands(), [&](const Xs&... xs) {
      return make_blocks(blocks.name, Call::kernel(), blocks.call.parameters(), blocks.form, chunks,
                         {lower_view(xs)...});
    });
  }
};

template <std::size_t N, class... Xs>
struct lowering<expression<op::assemble<N>, Xs...>> {
  static array_handle lower(const expression<op::assemble<N>, Xs...>& e,
                            const index_vector& chunks) {
    strip_sources sources;
    boost::hana::unpack(e.operands(),
                        [&](const auto&... xs) { (sources.add(lower_strips(xs)), ...); });
    return make_assembly(e.op().name, e.layout().shape, chunks, e.op().assembly.pieces, sources);
  }
};

template <std::size_t N, class X>
struct lowering<expression<op::gathered<N>, X>> {
  static array_handle lower(const expression<op::gathered<N>, X>& e, const index_vector& chunks) {
    const X& x = boost::hana::at_c<0>(e.operands());
    return make_gathered(e.op().name, e.layout().shape, chunks, e.layout().chunks, e.op().map,
                         {lower_view(x), x.layout().shape, x.layout().chunks});
  }
};

template <std::size_t N, class X>
struct lowering<expression<op::view<N>, X>> {
  static array_handle lower(const expression<op::view<N>, X>& e, const index_vector& chunks) {
    return materialise(e.op().name, lower_view(e), e.layout().shape, chunks);
  }
};

template <class X>
struct lowering<expression<op::rechunk, X>> {
  static array_handle lower(const expression<op::rechunk, X>& e, const index_vector& chunks) {
    const X& x = boost::hana::at_c<0>(e.operands());
    if constexpr (lowered_expression<X>) {
      return materialise("rechunk", x.view(), e.layout().shape, chunks);
    } else {
      return tessera::lower(x, chunks);
    }
  }
};

}  // namespace detail

template <array_expression E>
array_handle lower(const E& e, const index_vector& chunks) {
  if constexpr (lowered_expression<E>) {
    return materialise("copy", e.view(), e.layout().shape, chunks);
  } else if constexpr (detail::is_elementwise<E>) {
    return make_map(detail::elementwise_name<E>, e.layout().shape, chunks, lower_strips(e));
  } else {
    return detail::lowering<E>::lower(e, chunks);
  }
}

template <array_expression E>
array_view lower_view(const E& e) {
  if constexpr (lowered_expression<E>) {
    return e.view();
  } else if constexpr (detail::is_view<E>) {
    const auto& x = boost::hana::at_c<0>(e.operands());
    // Only a part of a function is computed as a view. Other operations that read the function can
    // share it, and repeated elements are computed once.
    if (detail::is_elementwise<E> && e.size() < x.size()) {
      return whole_of(lower(e, e.layout().chunks));
    }
    return seen_through(lower_view(x), e.op().map);
  } else {
    return whole_of(lower(e, e.layout().chunks));
  }
}

}  // namespace tessera
