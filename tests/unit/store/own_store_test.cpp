// SPDX-License-Identifier: Apache-2.0
/// \file
/// A store that the library does not know: files with masked bytes in the directory that is its
/// place.

#include "tessera/plan/bounded_plan.hpp"
#include "tessera/tessera.hpp"
#include "tessera/zarr/zarr_location.hpp"

#include "unit/core/message_of.hpp"
#include "unit/store/temporary_directory.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace tessera {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using testing::message_of;
using testing::temporary_directory;

constexpr auto own_scheme = "own";

/// The values that this process has read and written through stores of the scheme.
std::atomic<int> values_moved{0};

/// The stores at a place that have been asked for the state of an array.
std::multiset<std::string> locations_of_states;

/// The first letter of its options is the mask, "5" without any. The rest is a part of the name of
/// the directory, so that stores of one place may have other values.
class masked_store final : public key_value_store {
 public:
  explicit masked_store(std::string place, std::string mask = "")
      : place_(std::move(place)),
        mask_(std::move(mask)),
        files_("/" + place_ + (mask_.empty() ? "" : mask_.substr(1))) {}

  [[nodiscard]] std::string name() const override { return "own://" + place_; }
  [[nodiscard]] std::optional<store_recipe> recipe() const override {
    return store_recipe{own_scheme, place_, mask_};
  }
  [[nodiscard]] std::string state(std::string_view folder) const override {
    locations_of_states.insert(place_);
    return key_value_store::state(folder);
  }
  [[nodiscard]] std::optional<std::size_t> read(std::string_view key,
                                                std::span<std::byte> into) const override {
    const auto size = files_.read(key, into);
    if (size) mask(into.first(*size));
    values_moved += size ? 1 : 0;
    return size;
  }
  [[nodiscard]] std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                               std::size_t limit) const override {
    auto value = files_.read_all(key, limit);
    if (value) mask(*value);
    return value;
  }
  [[nodiscard]] std::optional<std::size_t> size(std::string_view key) const override {
    return files_.size(key);
  }
  void write(std::string_view key, std::span<const std::byte> value) override {
    std::vector<std::byte> masked(value.begin(), value.end());
    mask(masked);
    files_.write(key, masked);
    const bool is_chunk = !key.substr(key.rfind('/') + 1).starts_with('.');
    values_moved += is_chunk ? 1 : 0;
  }
  void erase(std::string_view key) override { files_.erase(key); }
  void erase_all(std::string_view folder) override { files_.erase_all(folder); }
  [[nodiscard]] std::vector<std::string> list(std::string_view folder) const override {
    return files_.list(folder);
  }
  [[nodiscard]] std::vector<std::string> list_folder(std::string_view folder) const override {
    return files_.list_folder(folder);
  }
  [[nodiscard]] std::unique_ptr<store_lock> lock(std::string_view key,
                                                 std::string_view intent) override {
    return files_.lock(key, intent);
  }

 private:
  void mask(std::span<std::byte> value) const {
    const auto with = static_cast<std::byte>(mask_.empty() ? '5' : mask_.front());
    for (std::byte& byte : value) byte ^= with;
  }

  std::string place_;
  std::string mask_;
  filesystem_store files_;
};

const bool is_known = register_store(own_scheme, [](const store_recipe& recipe) {
  return std::make_shared<masked_store>(recipe.place, recipe.options);
});

constexpr index_t extent = 20;

class OwnStore : public ::testing::Test {
 protected:
  /// Returns "own://..." of a name in the test's directory.
  [[nodiscard]] std::string at(const std::string& name) const {
    return "own:/" + (directory_ / name);
  }
  /// Returns the place of a name in the test's directory.
  [[nodiscard]] std::string place(const std::string& name) const {
    return (directory_ / name).substr(1);
  }
  [[nodiscard]] spec limits() const {
    spec settings;
    settings.work_dir = directory_ / "work";
    return settings;
  }
  /// Stores 0, 1, 2, ... in chunks of 4.
  void store_numbers(const std::string& where) const {
    store(arange<double>(extent), where, {.chunks = {4}});
  }
  static void expect_multiples(const array<double, 1>& multiples, double factor) {
    const auto values = multiples.compute();
    for (index_t i = 0; i < extent; ++i) EXPECT_EQ(values(i), factor * static_cast<double>(i));
  }

  temporary_directory directory_;
};

TEST_F(OwnStore, IsOpenedByItsScheme) {
  store_numbers(at("numbers.zarr/x"));
  expect_multiples(open<double, 1>(at("numbers.zarr/x")), 1);
  expect_multiples(open<double, 1>(open_store(at("numbers.zarr")), "x"), 1);
  EXPECT_EQ(open_any(at("numbers.zarr/x")).shape(), index_vector(1, extent));
  EXPECT_THAT(zarr_group::open(at("numbers.zarr")).arrays(), ::testing::ElementsAre("x"));
  // The contents of the files are masked.
  EXPECT_THROW(static_cast<void>(open<double, 1>(directory_ / "numbers.zarr/x")), error);
}

// It knows nothing of ranges: a plan says that chunks are read whole, into memory that it counts.
TEST_F(OwnStore, IsReadInWholeChunks) {
  store(arange<double>(extent), at("a.zarr/x"), {.chunks = {10}, .compressor = codec::none{}});
  store(arange<double>(extent), directory_ / "files",
        {.chunks = {10}, .compressor = codec::none{}});
  const auto first_of = [](const std::string& where) {
    return tessera::plan(sum(open<double, 1>(where)(slice(0, 2))));
  };
  EXPECT_EQ(first_of(directory_ / "files").bytes_read(), bytes{2 * 8});
  const auto whole = first_of(at("a.zarr/x"));
  EXPECT_EQ(whole.bytes_read(), bytes{10 * 8});
  EXPECT_GE(whole.projected_memory(), bytes{10 * 8});
  const int before = values_moved;
  EXPECT_EQ(whole.compute()(), 1);
  // By `read` into a buffer, not by `read_all`.
  EXPECT_EQ(values_moved - before, 1);
}

TEST_F(OwnStore, IsReadAndWrittenByProcesses) {
  store_numbers(at("a.zarr/x"));
  const auto x = open<double, 1>(at("a.zarr/x"), limits());
  values_moved = 0;
  static_cast<void>(store(x * 3.0, at("b.zarr/y"), run_with{.executor = executors::processes(2)}));
  EXPECT_EQ(values_moved, 0) << "in this process";
  expect_multiples(open<double, 1>(at("b.zarr/y")), 3);
}

TEST_F(OwnStore, KeepsItsOptionsInOtherProcesses) {
  store_numbers(at("a.zarr/x"));
  const auto masked = std::make_shared<masked_store>(place("b.zarr"), "k");
  const auto x = open<double, 1>(at("a.zarr/x"), limits());
  static_cast<void>(store(x * 3.0, masked, "y", run_with{.executor = executors::processes(2)}));
  expect_multiples(open<double, 1>(masked, "y"), 3);
  EXPECT_THROW(static_cast<void>(open<double, 1>(at("b.zarr/y"))), error);
}

TEST_F(OwnStore, IsFoundByAPlanThatIsSavedAndLoaded) {
  store_numbers(at("a.zarr/x"));
  const auto twice = open<double, 1>(at("a.zarr/x"), limits()) * 2.0;
  const auto engine = executors::processes(2);
  const auto saved = plan(stored(twice, at("b.zarr/y")), run_with{.executor = engine});
  saved.bounded().save(directory_ / "plan");
  const bounded_plan loaded = bounded_plan::load(directory_ / "plan");
  EXPECT_EQ(loaded.identity(), saved.bounded().identity());
  static_cast<void>(execute(loaded, {.executor = engine}));
  expect_multiples(open<double, 1>(at("b.zarr/y")), 2);
}

// A chunk of the same size, at the same time as far as the clock of files goes.
TEST_F(OwnStore, TellsAPlanThatItsValuesAreOthers) {
  store_numbers(at("a.zarr/x"));
  const auto identity = [this] {
    const auto x = open<double, 1>(at("a.zarr/x"), limits());
    return plan(sum(x)).bounded().identity();
  };
  const std::string before = identity();
  EXPECT_EQ(identity(), before);
  const auto chunks = open_store(at("a.zarr/x"));
  auto value = chunks->read_all("2", 1000).value();
  value.back() ^= std::byte{1};
  chunks->write("2", value);
  EXPECT_NE(identity(), before);
}

// The identity of a plan depends on it, and so do the names of intermediates: it reads each chunk.
TEST_F(OwnStore, IsAskedForItsStateOnceARun) {
  store(zeros<std::int64_t>({4096, 512}), at("a.zarr/x"),
        {.chunks = {16, 512}, .compressor = codec::none{}});
  spec small = limits();
  small.allowed_memory = bytes{400'000};
  small.intermediate_compressor = "none";
  const auto x = open<std::int64_t, 2>(at("a.zarr/x"), small);
  const auto staged =
      plan(pass_switches{.memory_tier = false},
           stored(x, at("b.zarr/lines"), {.chunks = {4096, 1}, .compressor = codec::none{}}));
  ASSERT_GT(staged.num_operations(), 1U) << "there is no intermediate";
  locations_of_states.clear();
  static_cast<void>(staged.compute());
  EXPECT_EQ(locations_of_states.count(place("a.zarr")), 1U);
}

// As buckets of one name at two endpoints.
TEST_F(OwnStore, OfOnePlaceWithOtherOptionsHasOtherValues) {
  const auto here = std::make_shared<masked_store>(place("a.zarr"), "5");
  const auto there = std::make_shared<masked_store>(place("a.zarr"), "5.there");
  store(arange<double>(extent), here, "x", {.chunks = {4}});
  store(arange<double>(extent) * 10.0, there, "x", {.chunks = {4}});
  const auto x = open<double, 1>(here, "x", limits());
  const auto y = open<double, 1>(there, "x", limits());
  const auto difference = (y - x).compute();
  for (index_t i = 0; i < extent; ++i) EXPECT_EQ(difference(i), 9.0 * static_cast<double>(i));
}

TEST_F(OwnStore, IsOnePlaceHoweverItIsOpened) {
  store_numbers(at("a.zarr/x"));
  const auto x = open<double, 1>(at("a.zarr/x"));
  const auto object = std::make_shared<masked_store>(place("a.zarr"));
  EXPECT_EQ(plan(stored(x + 1.0, at("a.zarr/x"))).num_operations(), 2U) << "no copy is between";
  EXPECT_EQ(plan(stored(x + 1.0, object, "x")).num_operations(), 2U) << "no copy is between";
  EXPECT_THAT(message_of<value_error>([&] {
                static_cast<void>(plan(stored(x, at("b.zarr/y")), stored(x, at("b.zarr/y/"))));
              }),
              HasSubstr("store: result 1 ('copy') goes to '" + at("b.zarr/y") +
                        "' and result 2 ('copy') to '" + at("b.zarr/y") + "', which is the same"));
  EXPECT_THAT(message_of<value_error>([&] {
                static_cast<void>(plan(stored(x, at("b.zarr/y")), stored(x, at("b.zarr/y/z"))));
              }),
              HasSubstr("becomes the array of result 1 ('copy'); an array holds nothing but"));
  static_cast<void>(store(x + 1.0, directory_ / "a.zarr.copy"));
  expect_multiples(x, 1);
}

TEST_F(OwnStore, IsRootedWhereItsHierarchyBegins) {
  EXPECT_EQ(locate(at("a.zarr/b.zarr/x")).path, "b.zarr/x");
  EXPECT_EQ(locate(at("a/x")).path, "");
  EXPECT_EQ(locate(at("a/x")).store->name(), at("a/x"));
  static_cast<void>(zarr_group::create(at("a")));
  EXPECT_EQ(locate(at("a/x")).path, "x");
  EXPECT_EQ(locate(at("a/x/")).store->name(), at("a"));
}

TEST_F(OwnStore, HoldsNoArrayInsideOfAnother) {
  store_numbers(at("x"));
  EXPECT_THAT(message_of<zarr_error>([&] { store_numbers(at("x/y.zarr")); }),
              HasSubstr(at("x") + " is an array"));
}

TEST_F(OwnStore, NamesTheAxesOfAnArrayAfterItsPlace) {
  store_numbers(at("u.zarr"));
  EXPECT_THAT(zarr_array::open(at("u.zarr")).dimension_names(), ::testing::ElementsAre("u_dim_0"));
}

TEST(Stores, OfAnUnknownSchemeAreRefusedWithThoseThatAreKnown) {
  const std::string opened =
      message_of<value_error>([] { static_cast<void>(open<double, 1>("onw://bucket/a.zarr/x")); });
  EXPECT_THAT(opened, HasSubstr("\"onw://bucket/a.zarr/x\""));
  EXPECT_THAT(opened, HasSubstr("(did you mean \"own\"?)"));
  EXPECT_THAT(opened, HasSubstr("known are \"file\", \"memory\", \"own\""));
  const auto x = zeros<double>({3});
  EXPECT_THROW(store(x, "s3://bucket/a.zarr/x"), value_error);
  EXPECT_THROW(static_cast<void>(zarr_group::open("https://host/a.zarr")), value_error);
  EXPECT_THROW(static_cast<void>(open_store(store_recipe{"s3", "bucket"})), value_error);
}

TEST(Stores, RunAFactoryToItsEndThoughItIsReplacedMeanwhile) {
  auto captured = std::make_shared<int>(0);
  static bool is_alive = false;
  register_store("replaced", [captured](const store_recipe&) {
    const std::weak_ptr<int> watch = captured;
    register_store("replaced", filesystem_store::open);
    is_alive = !watch.expired();
    return std::make_shared<memory_store>();
  });
  captured.reset();
  EXPECT_NE(open_store(store_recipe{"replaced", "/"}), nullptr);
  EXPECT_TRUE(is_alive);
}

TEST(Stores, AreOpenedWhileOtherThreadsRegister) {
  constexpr int num_schemes = 2000;
  std::vector<std::thread> threads;
  for (int number = 0; number < 4; ++number) {
    threads.emplace_back([number] {
      for (int i = 0; i < num_schemes; ++i) {
        const std::string scheme = "x" + std::to_string(number) + "." + std::to_string(i);
        register_store(scheme, filesystem_store::open);
        EXPECT_NE(open_store(store_recipe{scheme, "/"}), nullptr);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_NE(open_store(store_recipe{"x3.1999", "/"}), nullptr);
}

// RFC 3986, 3.1: a scheme begins with a letter, and has letters, digits, "+", "-" and "." alone.
TEST(Stores, ArePathsUnlessASchemeBeginsThem) {
  const std::string here = filesystem_store(".").path();
  for (const auto& [where, path] : {std::pair("a:b", "a:b"),
                                    {"own:x", "own:x"},
                                    {"own:/x", "own:/x"},
                                    {"./own://x", "own:/x"},
                                    {"1own://x", "1own:/x"},
                                    {"://x", ":/x"},
                                    {"a b://x", "a b:/x"},
                                    {"a/own://x", "a/own:/x"}}) {
    EXPECT_EQ(open_store(where)->name(), here + "/" + path);
  }
  EXPECT_THAT(message_of<value_error>([] { static_cast<void>(open_store("a+b-c.1://x")); }),
              HasSubstr("scheme \"a+b-c.1\""));
}

TEST(Stores, InDirectoriesAreFilesByTheirScheme) {
  const temporary_directory directory;
  store(arange<double>(3), "file://" + (directory / "a.zarr/x"));
  EXPECT_EQ((open<double, 1>(directory / "a.zarr/x").compute()(2)), 2.0);
  const zarr_location location = locate("file://" + (directory / "./b/../a.zarr/x"));
  EXPECT_EQ(location.store->name(), directory / "a.zarr");
  EXPECT_EQ(location.path, "x");
  EXPECT_THAT(message_of<value_error>([] { static_cast<void>(open_store("file://a/b")); }),
              HasSubstr("must be absolute"));
}

TEST(Stores, InDirectoriesKeepTheirOptionsInRecipes) {
  const filesystem_store expected("/data", {.fsync = true, .refuse_outward_links = true});
  for (const filesystem_options& options : {filesystem_options{},
                                            {.fsync = true},
                                            {.refuse_outward_links = true},
                                            expected.options()}) {
    const filesystem_store store("/data", options);
    const auto again = open_store(store.recipe().value());
    const auto& reopened = dynamic_cast<const filesystem_store&>(*again);
    EXPECT_EQ(reopened.path(), "/data");
    EXPECT_EQ(reopened.options().fsync, options.fsync);
    EXPECT_EQ(reopened.options().refuse_outward_links, options.refuse_outward_links);
  }
  EXPECT_THAT(message_of<value_error>([] {
                static_cast<void>(open_store(store_recipe{"file", "/data", "fsync&fast"}));
              }),
              HasSubstr("\"fast\""));
}

TEST(Stores, ThatNoOtherProcessFindsAreRefusedThere) {
  const auto memory = std::make_shared<memory_store>();
  store(arange<double>(3), memory, "x");
  const auto twice = open<double, 1>(memory, "x") * 2.0;
  const std::string refusal = message_of<value_error>(
      [&] { static_cast<void>(plan(twice, run_with{.executor = executors::processes(1)})); });
  EXPECT_THAT(refusal, HasSubstr("is in the store 'memory', which other processes cannot open; "
                                 "keep it in a directory"));
}

}  // namespace
}  // namespace tessera
