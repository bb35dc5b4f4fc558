// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/strided_copy.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <vector>

namespace ts = tessera;

namespace {

ts::index_vector random_extents() {
  ts::index_vector extents;
  const auto rank = *rc::gen::inRange<std::size_t>(0, 6);
  for (std::size_t axis = 0; axis < rank; ++axis) {
    extents.push_back(*rc::gen::inRange<ts::index_t>(1, rank < 3 ? 80 : 6));
  }
  return extents;
}

/// Strides of a layout in which the axes follow one another in any order, with gaps between.
ts::index_vector random_strides(const ts::index_vector& extents, ts::index_t& num_elements) {
  std::vector<std::size_t> axes(extents.size());
  for (std::size_t i = 0; i < axes.size(); ++i) {
    axes[i] = i;
    std::swap(axes[i], axes[*rc::gen::inRange<std::size_t>(0, i + 1)]);
  }
  ts::index_vector strides(extents.size());
  num_elements = 1;
  for (const std::size_t axis : axes) {
    num_elements *= *rc::gen::element<ts::index_t>(1, 1, 1, 2, 3);
    strides[axis] = num_elements;
    num_elements *= extents[axis];
  }
  return strides;
}

ts::index_t offset_of(const ts::index_vector& position, const ts::index_vector& strides) {
  ts::index_t offset = 0;
  for (std::size_t axis = 0; axis < position.size(); ++axis) {
    offset += position[axis] * strides[axis];
  }
  return offset;
}

/// As long as a complex number.
struct two_numbers {
  two_numbers() = default;
  explicit two_numbers(std::size_t x) : first(x), second(~x) {}
  std::uint64_t first = 0;
  std::uint64_t second = 0;
};

template <class T>
std::vector<std::byte> bytes_of(const std::vector<T>& values) {
  const auto bytes = std::as_bytes(std::span(values));
  return {bytes.begin(), bytes.end()};
}

template <class T>
void copies_as_a_loop_does() {
  const ts::index_vector extents = random_extents();
  ts::index_t from_size = 0;
  ts::index_t to_size = 0;
  const ts::index_vector from_strides = random_strides(extents, from_size);
  const ts::index_vector to_strides = random_strides(extents, to_size);
  std::vector<T> from(static_cast<std::size_t>(from_size));
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i * 2654435761U + 1);
  std::vector<T> expected(static_cast<std::size_t>(to_size), T{});
  std::vector<T> filled = expected;
  ts::index_vector position(extents.size());
  do {
    const auto to = static_cast<std::size_t>(offset_of(position, to_strides));
    expected[to] = from[static_cast<std::size_t>(offset_of(position, from_strides))];
    filled[to] = from[0];
  } while (ts::next_position(position, extents));

  // One byte aside, so that nothing is aligned.
  std::vector<std::byte> source = bytes_of(from);
  source.insert(source.begin(), std::byte{0});
  std::vector<std::byte> copied(expected.size() * sizeof(T) + 1);
  ts::detail::strided_copy(copied.data() + 1, to_strides, source.data() + 1, from_strides, extents,
                           sizeof(T));
  copied.erase(copied.begin());
  RC_ASSERT(copied == bytes_of(expected));
  std::vector<std::byte> fill(filled.size() * sizeof(T));
  ts::detail::strided_fill(fill.data(), to_strides, extents, source.data() + 1, sizeof(T));
  RC_ASSERT(fill == bytes_of(filled));
}

TEST(StridedCopy, CopiesAsALoopDoes) {
  EXPECT_TRUE(rc::check("1 B", copies_as_a_loop_does<std::uint8_t>));
  EXPECT_TRUE(rc::check("2 B", copies_as_a_loop_does<std::uint16_t>));
  EXPECT_TRUE(rc::check("4 B", copies_as_a_loop_does<std::uint32_t>));
  EXPECT_TRUE(rc::check("8 B", copies_as_a_loop_does<std::uint64_t>));
  EXPECT_TRUE(rc::check("16 B", copies_as_a_loop_does<two_numbers>));
}

void copies_a_run_as_a_loop_does() {
  const auto itemsize = *rc::gen::element<std::size_t>(1, 2, 3, 4, 8, 16, 24);
  const auto item = static_cast<ts::index_t>(itemsize);
  const auto size = *rc::gen::inRange<ts::index_t>(0, 100);
  const auto gap = [item] {
    return item + *rc::gen::inRange<ts::index_t>(0, 3) * *rc::gen::element(item, ts::index_t{1});
  };
  const ts::index_t to_stride = gap();
  const ts::index_t from_stride = gap() * *rc::gen::element<ts::index_t>(1, -1);
  std::vector<std::byte> from(100 * 3 * itemsize + 1);
  for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<std::byte>(i * 151 + 1);
  const std::byte* const begin =
      from_stride < 0 ? from.data() + from.size() - itemsize : from.data() + 1;
  std::vector<std::byte> expected(from.size());
  std::vector<std::byte> copied(from.size());
  for (ts::index_t i = 0; i < size; ++i) {
    std::copy_n(begin + i * from_stride, itemsize, expected.begin() + i * to_stride);
  }
  ts::detail::copy_strided(copied.data(), to_stride, begin, from_stride, size, itemsize);
  RC_ASSERT(copied == expected);
}

TEST(StridedCopy, CopiesARunAsALoopDoes) {
  EXPECT_TRUE(rc::check("a run", copies_a_run_as_a_loop_does));
}

TEST(StridedCopy, CopiesWhatIsWalkedBackwards) {
  const std::vector<std::int16_t> from{1, 2, 3, 4, 5, 6};
  std::vector<std::int16_t> to(6);
  // As NumPy's from.reshape(2, 3)[::-1, ::-1].
  ts::detail::strided_copy(reinterpret_cast<std::byte*>(to.data()), ts::index_vector{3, 1},
                           reinterpret_cast<const std::byte*>(from.data() + 5),
                           ts::index_vector{-3, -1}, ts::index_vector{2, 3}, 2);
  EXPECT_EQ(to, (std::vector<std::int16_t>{6, 5, 4, 3, 2, 1}));
}

template <class T>
void reverses_runs() {
  for (ts::index_t size = 0; size < 70; ++size) {
    std::vector<T> from(static_cast<std::size_t>(size));
    for (std::size_t i = 0; i < from.size(); ++i) from[i] = static_cast<T>(i * 151 + 1);
    std::vector<T> to(from.size());
    if (size > 0) {
      ts::detail::copy_strided(reinterpret_cast<std::byte*>(to.data()), sizeof(T),
                               reinterpret_cast<const std::byte*>(&from.back()),
                               -static_cast<ts::index_t>(sizeof(T)), size, sizeof(T));
    }
    std::reverse(from.begin(), from.end());
    EXPECT_EQ(bytes_of(to), bytes_of(from)) << size << " of " << sizeof(T) << " B";
  }
}

TEST(StridedCopy, ReversesRuns) {
  reverses_runs<std::uint8_t>();
  reverses_runs<std::uint16_t>();
  reverses_runs<std::uint32_t>();
  reverses_runs<std::uint64_t>();
  reverses_runs<two_numbers>();
}

TEST(StridedCopy, TouchesNothingOfAnEmptyBox) {
  const ts::index_vector strides{3, 1};
  ts::detail::strided_copy(nullptr, strides, nullptr, strides, ts::index_vector{0, 3}, 4);
  ts::detail::strided_fill(nullptr, strides, ts::index_vector{2, 0}, nullptr, 4);
}

TEST(StridedCopy, ReversesTheBytesOfEachElement) {
  std::vector<std::byte> values;
  for (int i = 1; i <= 8; ++i) values.push_back(static_cast<std::byte>(i));
  const auto swapped = [&](std::size_t itemsize) {
    std::vector<std::byte> copy = values;
    ts::detail::swap_bytes(copy, itemsize);
    std::vector<int> result;
    for (const std::byte value : copy) result.push_back(std::to_integer<int>(value));
    return result;
  };
  EXPECT_EQ(swapped(1), (std::vector<int>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(swapped(2), (std::vector<int>{2, 1, 4, 3, 6, 5, 8, 7}));
  EXPECT_EQ(swapped(4), (std::vector<int>{4, 3, 2, 1, 8, 7, 6, 5}));
  EXPECT_EQ(swapped(8), (std::vector<int>{8, 7, 6, 5, 4, 3, 2, 1}));
}

}  // namespace
