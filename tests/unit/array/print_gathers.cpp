// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/array/selection.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/positions.hpp"
#include "tessera/function/sorting.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/store/memory_store.hpp"

#include "unit/array/print_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

namespace tessera::testing {
namespace {

/// Returns `x`, and stores it so that it is read by chunks.
template <array_expression X>
auto in_storage(const X& x) {
  const auto to = std::make_shared<memory_store>();
  store(x, to, "x");
  return open<typename X::value_type, X::rank>(to, "x");
}

template <element T, std::size_t N>
array<T, N> stored_numbers(const index_t (&shape)[N], const std::vector<index_t>& chunks) {
  return in_storage(numbers<T>(shape, chunk_lengths(chunks)));
}

void print_lists() {
  const auto x = named("x", stored_numbers<int>({5, 7, 4}, {2, 3, 4}));
  same("x[[3, 1, 1, 4]]", x(index({3, 1, 1, 4})));
  same("x[:, [6, -1, 0]]", x(whole, index({6, -1, 0})));
  same("x[1:4, :, [2]]", x(slice(1, 4), whole, index({2})));
  same("x[2, :, [2, 0, 3]].T", x(2, whole, index({2, 0, 3})));
  same("x[np.ix_([4, 0], [1, 5, 2], [3])]", x(index({4, 0}), index({1, 5, 2}), index({3})));
  same("x[np.ix_([0, 4], range(7), [3, 1])][:, None]",
       x(index({0, 4}), newaxis, ellipsis, index(std::vector{3, 1})));
  same("x[:, ::-2][:, [1, 0]]", x(whole, slice(none, none, -2))(whole, index({1, 0})));
  same("x[:, [1, 0, 6, 6]][::2, 1:, 1]",
       x(whole, index({1, 0, 6, 6}))(slice(none, none, 2), slice(1, none), 1));
  same("x[[]]", x(index(std::vector<int>{})));
  same("x[[True, False, False, True, True]]",
       x(index(std::vector{true, false, false, true, true})));
  same("np.take(x, [3, -2, 0], axis=1)", take(x, {3, -2, 0}, axis<1>));
  same("np.take(x, [130, 3, -1])", take(x, {130, 3, -1}));
  same("np.take(x, [[3, 1], [0, 0], [2, 4]], axis=0)",
       take(x, ndarray<int, 2>::of({{3, 1}, {0, 0}, {2, 4}}), axis<0>));
  same("np.take(x, [[5, 1, 6]], axis=-2) * 2 + x[:, :1, None]",
       take(x, ndarray<int, 2>::of({{5, 1, 6}}), axis<-2>) * 2 + x(whole, slice(0, 1), newaxis));
  same("np.take(x + 1, [1, 1], axis=2) - np.take(x, [0, 3], axis=2)",
       take(x + 1, {1, 1}, axis<2>) - take(x, {0, 3}, axis<2>));
  same("np.take(np.take(x, [4, 2, 0], 0), [2, 0], 0)",
       take(take(x, {4, 2, 0}, axis<0>), {2, 0}, axis<0>));
  same("np.take(x.T, [4, 2, 0], 2)", take(x.T(), {4, 2, 0}, axis<2>));
  same("np.take(x, [4, 2, 0], 0).sum(axis=(0, 2), dtype=np.int64)",
       sum(take(x, {4, 2, 0}, axis<0>), axis<0, 2>));
  same("np.take(np.broadcast_to(x[:1], (3, 7, 4)), [2, 2, 0, 1], 0)",
       take(broadcast_to(x(slice(0, 1)), {3, 7, 4}), {2, 2, 0, 1}, axis<0>));
  same("x[[0, 4, 4], [6, 0, -1], [1, 2, 3]]",
       x.at(std::vector{0, 4, 4}, std::vector{6, 0, -1}, std::vector{1, 2, 3}));
  const auto y = named("y", numbers<float>({4, 6}, {3, 2}));
  same("y[np.ix_([3, 0], [5, 1])]", y(index({3, 0}), index({5, 1})));
  same("np.take(np.sqrt(abs(y)), [1, 0], 0)", take(sqrt(abs(y)), {1, 0}, axis<0>));
  same("np.take(np.arange(10, dtype=np.int64) * 3, [9, 2, -3])",
       take(arange<std::int64_t>(10) * 3, {9, 2, -3}));
}

void print_lazy_lists() {
  const auto x = named("x", stored_numbers<int>({5, 7, 4}, {2, 3, 4}));
  const auto i = named("i", in_storage(numbers<std::int64_t>({9}, {4}) % 5 - 2));
  const auto j = named("j", in_storage(numbers<std::int16_t>({2, 9}, {2, 5}) % std::int16_t{4}));
  same("np.take(x, i, axis=0)", take(x, i, axis<0>));
  same("np.take(x, j, axis=-1)", take(x, j, axis<-1>));
  same("np.take(x, j, axis=1) * 2 - np.take(x, j + 1, axis=1)",
       take(x, j, axis<1>) * 2 - take(x, j + 1, axis<1>));
  same("np.take(x, i * 40)", take(x, i * 40));
  same("np.take(x, x[0] % 140)", take(x, x(0) % 140));
  same("np.take(x, j[1, 3], axis=1)", take(x, j(1, 3), axis<1>));
  same("np.take(x[::2, ::-1], i, axis=1)",
       take(x(slice(none, none, 2), slice(none, none, -1)), i, axis<1>));
  same("np.take(x, i, axis=1)[1:4, 5:0:-2]", take(x, i, axis<1>)(slice(1, 4), slice(5, 0, -2)));
  same("x[:, i]", x(whole, index(i)));
  same("x[np.ix_(i, [1, 6, -1], j[0])]", x(index(i), index({1, 6, -1}), index(j(0))));
  same("x[3][None][..., i]", x(3, newaxis, ellipsis, index(i)));
  same("x[..., i][:, 2]", x(ellipsis, 2, index(i)));
  same("x[i, 1 - i, j[0]]", x.at(i, 1 - i, j(0)));
  same("x[i, 0 * j, j[:, :1]]", x.at(i, std::int16_t{0} * j, j(whole, slice(0, 1))));
  same("np.take(x, i[:0], axis=0)", take(x, i(slice(0, 0)), axis<0>));
  same("np.take(x[:, :0], i, axis=2)", take(x(whole, slice(0, 0)), i, axis<2>));
  same("np.take_along_axis(x, np.argsort(x, axis=0, kind='stable'), axis=0)",
       take_along_axis(x, argsort(x, axis<0>), axis<0>));
  same("np.take_along_axis(x, np.argsort(x, kind='stable')[..., :1], axis=2)",
       take_along_axis(x, argsort(x)(ellipsis, slice(0, 1)), axis<2>));
  same("np.take_along_axis(x[:, :1], x[2:3] % 5, axis=0)",
       take_along_axis(x(whole, slice(0, 1)), x(slice(2, 3)) % 5, axis<0>));
  same("np.take_along_axis(x, np.argmax(x, axis=1)[:, None], axis=1).sum(axis=(0, 1))",
       sum(take_along_axis(astype<std::int64_t>(x), argmax(x, axis<1>, keepdims), axis<1>),
           axis<0, 1>));
}

void print_shapes() {
  const auto x = named("x", stored_numbers<int>({5, 7, 4}, {2, 3, 4}));
  same("x.reshape(35, 4)", reshape(x, {35, 4}));
  same("x.reshape(7, -1)", reshape(x, {7, -1}));
  same("x.reshape(5, 28)", reshape(x, {5, 28}));
  same("x.reshape(5, 7, 2, 2)", reshape(x, {5, 7, 2, 2}));
  same("x.reshape(1, 10, 7, 1, 2)", reshape(x, {1, 10, 7, 1, 2}));
  same("x.ravel()", ravel(x));
  same("x.flatten()[3:50:7]", flatten(x)(slice(3, 50, 7)));
  same("(x + 1).ravel()", ravel(x + 1));
  same("x.reshape(7, 20).reshape(4, 35)", reshape(reshape(x, {7, 20}), {4, 35}));
  same("x.reshape(7, 20) + x.reshape(20, 7).T", reshape(x, {7, 20}) + reshape(x, {20, 7}).T());
  same("x.T.reshape(14, 10)", reshape(x.T(), {14, 10}));
  same("x[::2, ::-1].reshape(-1)", reshape(x(slice(none, none, 2), slice(none, none, -1)), -1));
  same("x.reshape(20, 7).sum(axis=0, dtype=np.int64)", sum(reshape(x, {20, 7}), axis<0>));
  same("x.reshape(20, 7).sum(axis=1, dtype=np.int64)", sum(reshape(x, {20, 7}), axis<1>));
  same("np.take(x.reshape(20, 7), [19, 3, 3], 0)", take(reshape(x, {20, 7}), {19, 3, 3}, axis<0>));
  same("np.take(x, [4, 0], 0).reshape(7, 8)", reshape(take(x, {4, 0}, axis<0>), {7, 8}));
  same("np.tile(x, 2)", tile(x, 2));
  same("np.tile(x, (2, 1, 3))", tile(x, {2, 1, 3}));
  same("np.tile(x, (2, 3, 1, 1, 2))", tile(x, {2, 3, 1, 1, 2}));
  same("np.tile(x, 0)", tile(x, 0));
  same("np.repeat(x, 3, axis=1)", repeat(x, 3, axis<1>));
  same("np.repeat(x, 2)", repeat(x, 2));
  same("np.repeat(x, [0, 2, 1, 3, 0], axis=0)", repeat(x, {0, 2, 1, 3, 0}, axis<0>));
  same("np.repeat(x, 0, axis=0)", repeat(x, 0, axis<0>));
  same("np.repeat(x[:, 0], 4, axis=-1) - 1", repeat(x(whole, 0), 4, axis<-1>) - 1);
  same("x[2:2].reshape(7, 0, 3)", reshape(x(slice(2, 2)), {7, 0, 3}));
  same("x[0, 0, 0].reshape(1, 1)", reshape(x(0, 0, 0), {1, 1}));
  same("np.arange(24.0).reshape(4, 6)[1:, ::2]",
       reshape(arange<double>(24), {4, 6})(slice(1, none), slice(none, none, 2)));
  same("np.tile(np.arange(3, dtype=np.int64), 4)", tile(arange<std::int64_t>(3), 4));
}

/// Returns a shape of `rank` extents that multiply to `count`, and chunks for it.
struct drawn {
  std::mt19937 engine;

  index_t below(index_t limit) {
    return std::uniform_int_distribution<index_t>(0, limit - 1)(engine);
  }
  template <std::size_t N>
  std::array<index_t, N> shape_of(index_t count) {
    std::array<index_t, N> shape{};
    for (std::size_t axis = 0; axis + 1 < N; ++axis) {
      index_t factor = 1;
      do {
        factor = 1 + below(count);
      } while (count % factor != 0);
      shape[axis] = factor;
      count /= factor;
    }
    shape[N - 1] = count;
    std::shuffle(shape.begin(), shape.end(), engine);
    return shape;
  }
  template <std::size_t N>
  std::vector<index_t> chunks_of(const std::array<index_t, N>& shape) {
    std::vector<index_t> chunks;
    for (const index_t extent : shape) chunks.push_back(1 + below(std::max<index_t>(1, extent)));
    return chunks;
  }
};

template <std::size_t N>
std::string text_of(const std::array<index_t, N>& shape) {
  std::string text = "(";
  for (const index_t extent : shape) text += std::to_string(extent) + ", ";
  return text + ")";
}

template <std::size_t From, std::size_t To>
void print_reshaped(drawn& draw) {
  constexpr std::array<index_t, 5> counts{12, 36, 60, 96, 210};
  const index_t count = counts[static_cast<std::size_t>(draw.below(counts.size()))];
  const auto shape = draw.shape_of<From>(count);
  const auto to = draw.shape_of<To>(count);
  const auto values = reshape(arange<int>(static_cast<int>(count)), shape);
  const array<int, From> x = in_storage(rechunk(values + 0, chunk_lengths(draw.chunks_of(shape))));
  const std::string code =
      "np.arange(" + std::to_string(count) + ", dtype=np.int32).reshape" + text_of(shape);
  // In its own chunks, and in any.
  same(code + ".reshape" + text_of(to), reshape(x, to));
  same(code + ".reshape" + text_of(to) + " * 2",
       rechunk(reshape(x, to) * 2, chunk_lengths(draw.chunks_of(to))));
  same("np.repeat(" + code + ", 3, axis=-1)", repeat(x, 3, axis<-1>));
}

/// Returns random indices into `extent` elements, counted from either end.
template <class I, std::size_t N>
array<I, N> indices_into(drawn& draw, index_t extent, const std::array<index_t, N>& shape) {
  ndarray<I, N> values(shape);
  for (I& value : values.span()) {
    value = static_cast<I>(draw.below(extent) - (std::is_signed_v<I> ? draw.below(2) * extent : 0));
  }
  return in_storage(asarray(values, {.chunks = chunk_lengths(draw.chunks_of(shape))}));
}

template <class T, class I>
void print_taken(drawn& draw) {
  const std::array<index_t, 3> shape{1 + draw.below(9), 1 + draw.below(9), 1 + draw.below(9)};
  const auto chunks = draw.chunks_of(shape);
  const auto x = named("x", stored_numbers<T>({shape[0], shape[1], shape[2]}, chunks));
  const std::array<index_t, 1> count{draw.below(12)};
  const auto i = named("i", indices_into<I>(draw, shape[1], count));
  const std::string signed_i = "i.astype(np.int64)";
  same("np.take(x, " + signed_i + ", axis=1)", take(x, i, axis<1>));
  same("np.take(x, " + signed_i + ", axis=1)",
       rechunk(take(x, i, axis<1>),
               chunk_lengths(draw.chunks_of(std::array{shape[0], count[0], shape[2]}))));
  const std::array<index_t, 3> along{shape[0], shape[1], 1 + draw.below(9)};
  const auto j = named("j", indices_into<I>(draw, shape[2], along));
  same("np.take_along_axis(x, j.astype(np.int64), axis=2)", take_along_axis(x, j, axis<2>));
  const auto k = named("k", indices_into<I>(draw, shape[0], count));
  same("x[k.astype(np.int64), " + signed_i + ", 0 * " + signed_i + "]", x.at(k, i, i - i));
}

void print_random_lists() {
  for (unsigned seed = 0; seed < 4; ++seed) {
    drawn draw{std::mt19937(seed)};
    print_taken<bool, std::int8_t>(draw);
    print_taken<std::int16_t, std::uint8_t>(draw);
    print_taken<float, std::int32_t>(draw);
    print_taken<std::uint64_t, std::uint64_t>(draw);
    print_taken<complex128, std::int64_t>(draw);
  }
}

void print_random() {
  for (unsigned seed = 0; seed < 12; ++seed) {
    drawn draw{std::mt19937(seed)};
    print_reshaped<1, 2>(draw);
    print_reshaped<2, 1>(draw);
    print_reshaped<2, 2>(draw);
    print_reshaped<2, 3>(draw);
    print_reshaped<3, 2>(draw);
    print_reshaped<3, 3>(draw);
  }
}

}  // namespace
}  // namespace tessera::testing

int main() {
  tessera::testing::print_lists();
  tessera::testing::print_lazy_lists();
  tessera::testing::print_random_lists();
  tessera::testing::print_shapes();
  tessera::testing::print_random();
  return 0;
}
