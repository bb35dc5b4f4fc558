// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/any_array.hpp"

#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

ndarray<std::int16_t, 2> example() { return ndarray<std::int16_t, 2>::of({{1, 2, 3}, {4, 5, 0}}); }

TEST(AnyArray, TellsWhatAnArrayIsWithoutItsType) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example(), {.chunks = {2, 2}}), memory, "x", {.attributes = {{"units", "K"}}});
  const any_array x = open_any(memory, "x");
  EXPECT_EQ(x.dtype(), dtype::int16);
  EXPECT_EQ(x.rank(), 2U);
  EXPECT_EQ(x.shape(), (index_vector{2, 3}));
  EXPECT_EQ(x.chunks(), (index_vector{2, 2}));
  EXPECT_EQ(x.attributes().get<std::string>("units"), "K");
  EXPECT_EQ((x.as<std::int16_t, 2>().compute()), example());
  test::expect_error<dtype_error>([&] { static_cast<void>(x.as<float, 2>()); },
                                  {"int16", "float32"});
}

TEST(AnyArray, IsVisitedWithItsDtypeAndRank) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example()), memory, "x");
  const auto total = [](const auto& x) {
    using type = typename std::remove_cvref_t<decltype(x)>::value_type;
    EXPECT_EQ(dtype_of<type>, dtype::int16);
    EXPECT_EQ(std::remove_cvref_t<decltype(x)>::rank, 2U);
    return static_cast<double>(num_elements(x.layout().shape));
  };
  static_assert(std::same_as<decltype(visit(open_any(memory, "x"), total)), double>);
  EXPECT_EQ(visit(open_any(memory, "x"), total), 6.0);
}

TEST(AnyArray, IsVisitedByTheFunctionOfTheDocumentation) {
  const auto greatest = []<real_element T, std::size_t N>(const array<T, N>& a) {
    const T result = max(a).compute();
    return static_cast<double>(result);
  };
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example()), memory, "integers");
  EXPECT_EQ(visit<3>(open_any(memory, "integers"), greatest), 5.0);
  store(astype<float16>(asarray(example())) / float16(2.0F), memory, "halves");
  EXPECT_EQ(visit<3>(open_any(memory, "halves"), greatest), 2.5);
}

TEST(AnyArray, RefusesAFunctionThatDoesNotTakeIt) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example()), memory, "x");
  const auto of_floats = []<floating_element T, std::size_t N>(const array<T, N>&) { return true; };
  test::expect_error<value_error>(
      [&] { static_cast<void>(visit(open_any(memory, "x"), of_floats)); },
      {"memory", "int16", "rank 2"});
  const auto of_any = [](const auto&) { return true; };
  test::expect_error<value_error>(
      [&] { static_cast<void>(visit<1>(open_any(memory, "x"), of_any)); }, {"rank 2"});
}

double sum_of_matrix(const array<double, 2>& x) { return sum(x).compute(); }

TEST(AnyArray, IsVisitedByAFunctionOfOneType) {
  const auto memory = std::make_shared<memory_store>();
  store(astype<double>(asarray(example())), memory, "x");
  store(asarray(example()), memory, "of integers");
  const auto check = [&](auto f) {
    static_assert(std::same_as<decltype(visit(open_any(memory, "x"), f)), double>);
    EXPECT_EQ(visit(open_any(memory, "x"), f), 15.0);
    test::expect_error<value_error>(
        [&] { static_cast<void>(visit(open_any(memory, "of integers"), f)); },
        {"memory", "int16", "rank 2"});
  };
  check([](const array<double, 2>& x) { return sum_of_matrix(x); });
  check([](array<double, 2> x) mutable noexcept { return sum_of_matrix(x); });
  check(&sum_of_matrix);
}

TEST(AnyArray, IsCopiedWithItsMetadata) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example(), {.chunks = {2, 2}}), memory, "x",
        {.compressor = codec::zlib{.level = 3},
         .attributes = {{"units", "K"}},
         .dimension_separator = '/',
         .order = 'F',
         .fill_value = 7});
  const any_array copy = store(open_any(memory, "x"), memory, "y");
  EXPECT_EQ(copy.metadata(), open_any(memory, "x").metadata());
  EXPECT_EQ(copy.attributes(), open_any(memory, "x").attributes());
  EXPECT_EQ((copy.as<std::int16_t, 2>().compute()), example());
}

TEST(StoreOptions, AreWhatTheMetadataSay) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(ndarray<double, 1>::of({1, 2})), memory, "x",
        {.dimension_separator = '/', .order = 'F', .fill_value = 1.5});
  const zarr_metadata metadata = zarr_array::open(memory, "x").metadata();
  EXPECT_EQ(metadata.order, 'F');
  EXPECT_EQ(metadata.dimension_separator, '/');
  EXPECT_EQ(metadata.fill_value->as<double>(), 1.5);
  store(asarray(example()), memory, "y");
  EXPECT_EQ(zarr_array::open(memory, "y").metadata().fill_value, std::nullopt);
  test::expect_error<value_error>(
      [&] { static_cast<void>(stored(asarray(example()), memory, "z", {.fill_value = 1.5})); },
      {"fill value", "int16"});
}

TEST(StoreOptions, OmitChunksOfTheFillValue) {
  const auto memory = std::make_shared<memory_store>();
  const auto x = asarray(ndarray<int, 1>::of({7, 7, 7, 8}), {.chunks = {2}});
  store(x, memory, "x", {.fill_value = 7, .empty = empty_chunks::omit});
  EXPECT_FALSE(zarr_array::open(memory, "x").has_chunk(index_vector{0}));
  EXPECT_TRUE(zarr_array::open(memory, "x").has_chunk(index_vector{1}));
  EXPECT_EQ((open<int, 1>(memory, "x").compute()), (ndarray<int, 1>::of({7, 7, 7, 8})));
}

TEST(StoreOptions, TakeZeroForTheFillValueWhereChunksAreOmitted) {
  const auto memory = std::make_shared<memory_store>();
  const auto x = asarray(ndarray<double, 1>::of({0, 0, 0, 8}), {.chunks = {2}});
  store(x, memory, "x", {.empty = empty_chunks::omit});
  const zarr_array stored_x = zarr_array::open(memory, "x");
  EXPECT_EQ(stored_x.metadata().fill_value, element_bytes(0.0));
  EXPECT_FALSE(stored_x.has_chunk(index_vector{0}));
  EXPECT_EQ((open<double, 1>(memory, "x").compute()), (ndarray<double, 1>::of({0, 0, 0, 8})));
}

TEST(StoreOptions, SayWhatFiltersEncodeTheChunks) {
  const auto memory = std::make_shared<memory_store>();
  const std::vector<codec::configuration> filters = {
      codec::configuration::from_json(R"({"id": "delta", "dtype": "<i2"})"),
      codec::configuration::from_json(R"({"id": "crc32"})")};
  store(asarray(example()), memory, "x", {.filters = filters, .compressor = codec::none{}});
  EXPECT_EQ(zarr_array::open(memory, "x").metadata().filters, filters);
  // A checksum of 4 bytes, and the differences of 1, 2, 3, 4, 5, 0.
  std::vector<std::byte> value(100);
  ASSERT_EQ(memory->read("x/0.0", value), 4U + 12U);
  EXPECT_EQ(value[4 + 10], std::byte{0xFB});
  EXPECT_EQ((open<std::int16_t, 2>(memory, "x").compute()), example());
}

TEST(StoreOptions, ArrangeTheChunksOfACopyAnew) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example()), memory, "columns", {.order = 'F'});
  store(open<std::int16_t, 2>(memory, "columns"), memory, "rows");
  EXPECT_EQ((open<std::int16_t, 2>(memory, "rows").compute()), example());
}

TEST(StoreOptions, KeepAnArrayThatIsThere) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example()), memory, "x");
  test::expect_error<error>(
      [&] { store(asarray(example()) + 1, memory, "x", {.existing = existing::keep}); }, {"x"});
  EXPECT_EQ((open<std::int16_t, 2>(memory, "x").compute()), example());
}

// An array that will grow has chunks beyond its extent, and other writers have members of their
// own.
TEST(StoreOptions, KeepLongChunksAndForeignMembersOfACopy) {
  const auto memory = std::make_shared<memory_store>();
  static_cast<void>(zarr_array::create(
      memory, "x",
      {.shape = {2, 3}, .chunks = {100, 2}, .other_members = {{"node_type", "array"}}}));
  const any_array x = open_any(memory, "x");
  const test::scratch_directory folder;
  const any_array copy = store(x, folder / "x", as_stored(x));
  EXPECT_EQ(copy.chunks(), (index_vector{100, 2}));
  EXPECT_EQ(copy.metadata().other_members.get<std::string>("node_type"), "array");
}

TEST(OpenOptions, MakeMissingChunksErrors) {
  const auto memory = std::make_shared<memory_store>();
  const auto x = asarray(ndarray<int, 1>::of({7, 8}), {.chunks = {1}});
  store(x, memory, "x", {.fill_value = 7, .empty = empty_chunks::omit});
  EXPECT_EQ((open<int, 1>(memory, "x").compute()), (ndarray<int, 1>::of({7, 8})));
  const auto strict = open<int, 1>(memory, "x", open_options{.missing = missing_chunks::error});
  test::expect_error<error>([&] { static_cast<void>(strict.compute()); }, {"x/0"});
}

TEST(OpenOptions, SayWhatSeparatorTheMetadataDoNotMention) {
  const auto memory = std::make_shared<memory_store>();
  store(asarray(example(), {.chunks = {1, 3}}), memory, "x");
  const auto copy = std::make_shared<memory_store>();
  for (const std::string key : {".zgroup", "x/.zarray", "x/0.0", "x/1.0"}) {
    std::string moved = key;
    if (moved.ends_with(".0")) moved.replace(moved.size() - 2, 2, "/0");
    std::vector<std::byte> value(1000);
    value.resize(memory->read(key, value).value());
    copy->write(moved, value);
  }
  EXPECT_EQ((open<std::int16_t, 2>(copy, "x", {.dimension_separator = '/'}).compute()), example());
}

}  // namespace
}  // namespace tessera
