// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/in_out.hpp"
#include "tessera/array/indexing.hpp"
#include "tessera/array/manipulation.hpp"
#include "tessera/array/reshaping.hpp"
#include "tessera/function/elementwise.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/store/memory_store.hpp"

#include "unit/array/print_cases.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
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
    for (const index_t extent : shape) chunks.push_back(1 + below(extent));
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
  tessera::testing::print_shapes();
  tessera::testing::print_random();
  return 0;
}
