// SPDX-License-Identifier: Apache-2.0
#include "tessera/core/default_spec.hpp"

#include "tessera/core/error.hpp"
#include "tessera/tessera.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using namespace tessera::literals;

class DefaultSpec : public ::testing::Test {
 protected:
  void SetUp() override { reset(); }
  void TearDown() override { reset(); }

  static void reset() {
    unsetenv("TESSERA_MEMORY");
    unsetenv("TESSERA_WORK_DIR");
    set_default_spec(std::nullopt);
  }
};

/// Makes a runtime of a program that was started with `options`, for its own lifetime.
class program {
 public:
  explicit program(std::vector<std::string> options) : texts_(std::move(options)) {
    texts_.insert(texts_.begin(), "program");
    for (std::string& text : texts_) pointers_.push_back(text.data());
    pointers_.push_back(nullptr);
    count_ = static_cast<int>(texts_.size());
    runtime_.emplace(count_, pointers_.data());
  }

 private:
  std::vector<std::string> texts_;
  std::vector<char*> pointers_;
  int count_ = 0;
  std::optional<runtime> runtime_;
};

std::string message_of(const std::string& option) {
  try {
    const program started({option});
  } catch (const value_error& failure) {
    return failure.what();
  }
  return "no error";
}

TEST_F(DefaultSpec, IsABuiltInOneWhereNobodySaysAnything) { EXPECT_EQ(default_spec(), spec{}); }

TEST_F(DefaultSpec, IsWhatTheEnvironmentSays) {
  setenv("TESSERA_MEMORY", "3GB", 1);
  setenv("TESSERA_WORK_DIR", "/scratch/a", 1);
  EXPECT_EQ(default_spec(), (spec{.work_dir = "/scratch/a", .allowed_memory = 3_GB}));
}

TEST_F(DefaultSpec, IsWhatOptionsSayBeforeTheEnvironmentIsAsked) {
  setenv("TESSERA_MEMORY", "3GB", 1);
  setenv("TESSERA_WORK_DIR", "/scratch/a", 1);
  {
    const program started({"--tessera-memory=512MiB"});
    EXPECT_EQ(default_spec().allowed_memory, 512_MiB);
    EXPECT_EQ(default_spec().work_dir, "/scratch/a");
  }
  EXPECT_EQ(default_spec().allowed_memory, 3_GB);
  const program started({"--tessera-work-dir=b"});
  EXPECT_EQ(default_spec(), (spec{.work_dir = "b", .allowed_memory = 3_GB}));
}

TEST_F(DefaultSpec, IsWhatAProgramSetsBeforeOptionsAreAsked) {
  const program started({"--tessera-memory=512MiB", "--tessera-work-dir=b"});
  const spec mine{.work_dir = "c", .allowed_memory = 1_GB};
  EXPECT_EQ(set_default_spec(mine), std::nullopt);
  EXPECT_EQ(default_spec(), mine);
  EXPECT_EQ(set_default_spec(std::nullopt), mine);
  EXPECT_EQ(default_spec(), (spec{.work_dir = "b", .allowed_memory = 512_MiB}));
}

TEST_F(DefaultSpec, IsNotAskedWhereAnArrayHasASpec) {
  set_default_spec(spec{.allowed_memory = 3_GB});
  const spec little{.allowed_memory = 1_MB};
  const auto x = ones<double>({8}, {.chunks = {4}, .spec = little});
  EXPECT_EQ(x.spec(), little);
  EXPECT_EQ(plan(x + 1.0).spec(), little);
}

TEST_F(DefaultSpec, OfArraysWithoutOneFollowsThoseThatTheyAreComputedWith) {
  const auto without = ones<double>({8}, {.chunks = {4}});
  set_default_spec(spec{.allowed_memory = 3_GB});
  const spec little{.allowed_memory = 1_MB};
  const auto with = ones<double>({8}, {.chunks = {4}, .spec = little});
  EXPECT_EQ(plan(without + with).spec(), little);
}

TEST_F(DefaultSpec, IsAskedForWhenAPlanIsMade) {
  const auto x = ones<double>({8}, {.chunks = {4}});
  const auto sum = x + 1.0;
  set_default_spec(spec{.work_dir = "a"});
  const auto before = plan(sum);
  set_default_spec(spec{.work_dir = "b"});
  EXPECT_EQ(before.spec().work_dir, "a");
  EXPECT_EQ(plan(sum).spec().work_dir, "b");
}

TEST_F(DefaultSpec, ChoosesChunksWhenAnArrayIsMade) {
  set_default_spec(spec{.allowed_memory = 80_kB});
  const auto x = zeros<double>({100'000});
  set_default_spec(std::nullopt);
  // A tenth of the memory: 8 kB, which a thousand elements have.
  EXPECT_LE(x.chunks()[0], 1000);
  EXPECT_EQ(zeros<double>({100'000}).chunks()[0], 100'000);
}

TEST_F(DefaultSpec, IsOfOpenedArraysToo) {
  const std::string path = ::testing::TempDir() + "default_spec_test.zarr";
  store(ones<double>({8}, {.chunks = {4}}), path);
  const program started({"--tessera-memory=100B"});
  const auto x = open<double, 1>(path);
  EXPECT_EQ(x.spec().allowed_memory, 100_B);
  EXPECT_THROW((void)plan(stored(x + 1.0, path + "2")), memory_error);
  std::filesystem::remove_all(path);
}

TEST_F(DefaultSpec, MayBeSetWhileOthersAskForIt) {
  const spec a{.work_dir = std::string(100, 'a'), .allowed_memory = 1_GB};
  const spec b{.work_dir = std::string(100, 'b'), .allowed_memory = 3_GB};
  set_default_spec(a);
  std::size_t mixed = 0;
  std::thread setter([&] {
    for (int i = 0; i < 2000; ++i) set_default_spec(i % 2 == 0 ? b : a);
  });
  for (int i = 0; i < 2000; ++i) {
    const spec current = default_spec();
    if (!(current == a) && !(current == b)) ++mixed;
  }
  setter.join();
  EXPECT_EQ(mixed, 0U);
}

TEST_F(DefaultSpec, RefusesWhatIsNoMemoryAndNoFolder) {
  EXPECT_EQ(
      message_of("--tessera-memory=lots"),
      "--tessera-memory: \"lots\" is no memory for a task; write a positive size, as in 2GB or "
      "512MiB");
  EXPECT_EQ(message_of("--tessera-memory=0"),
            "--tessera-memory: \"0\" is no memory for a task; write a positive size, as in 2GB or "
            "512MiB");
  EXPECT_EQ(message_of("--tessera-work-dir="),
            "--tessera-work-dir: the folder's name is empty; name a folder that can be made, as in "
            "/scratch/tessera-work");
  setenv("TESSERA_MEMORY", "2 Gigs", 1);
  EXPECT_EQ(
      message_of("--other"),
      "TESSERA_MEMORY: \"2 Gigs\" is no memory for a task; write a positive size, as in 2GB or "
      "512MiB");
  EXPECT_THROW((void)default_spec(), value_error);
}

}  // namespace
}  // namespace tessera
