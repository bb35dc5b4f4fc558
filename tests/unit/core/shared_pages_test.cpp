// SPDX-License-Identifier: Apache-2.0
#include "core/api/shared_pages.hpp"

#include "tessera/core/error.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <gtest/gtest.h>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace tessera {
namespace {

constexpr std::size_t size = std::size_t{4} << 20U;
constexpr std::byte mark{42};

/// Returns the size of the pages, as the system tells it.
std::size_t allocated_bytes(const shared_pages& pages) {
  struct stat status {};
  return stat(pages.name().c_str(), &status) == 0 ? static_cast<std::size_t>(status.st_blocks) * 512
                                                  : 0;
}

/// Tells whether `holds` does in a child of this process.
bool holds_in_a_child(const std::function<bool()>& holds) {
  const pid_t child = fork();
  if (child == 0) std::_Exit(holds() ? 0 : 1);
  int status = 1;
  return waitpid(child, &status, 0) == child && status == 0;
}

/// Tells whether `holds` does in a child of this process that was forked before `happens` here.
bool sees_later(const std::function<void()>& happens, const std::function<bool()>& holds) {
  std::array<int, 2> gate{};
  if (pipe(gate.data()) != 0) return false;
  const pid_t child = fork();
  if (child == 0) {
    char is_open = 0;
    std::_Exit(read(gate[0], &is_open, 1) == 1 && holds() ? 0 : 1);
  }
  happens();
  const bool is_open = write(gate[1], "1", 1) == 1;
  int status = 1;
  const bool has_ended = waitpid(child, &status, 0) == child;
  close(gate[0]);
  close(gate[1]);
  return is_open && has_ended && status == 0;
}

std::ptrdiff_t num_descriptors() {
  return std::distance(std::filesystem::directory_iterator("/proc/self/fd"), {});
}

bool are_all(const std::shared_ptr<std::byte[]>& bytes, std::byte value) {
  return std::all_of(bytes.get(), bytes.get() + size, [=](std::byte b) { return b == value; });
}

TEST(SharedPages, TakeNothingBeforeTheyAreTakenNorAfterwards) {
  const shared_pages pages(std::uint64_t{1} << 45U);
  EXPECT_EQ(allocated_bytes(pages), 0U);
  auto first = pages.take(size, size);
  auto second = pages.take(4 * size, size);
  EXPECT_EQ(allocated_bytes(pages), 2 * size);
  EXPECT_TRUE(are_all(first, std::byte{0}));
  first.reset();
  EXPECT_EQ(allocated_bytes(pages), size);
  second.reset();
  EXPECT_EQ(allocated_bytes(pages), 0U);
  EXPECT_EQ(pages.take(0, 0), nullptr);
}

TEST(SharedPages, AreTakenAndGivenBackWhole) {
  const shared_pages pages(size);
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto few = pages.take(0, 8);
  auto some = pages.take(page, page + 8);
  EXPECT_EQ(allocated_bytes(pages), 3 * page);
  few.reset();
  EXPECT_EQ(allocated_bytes(pages), 2 * page);
  some.reset();
  EXPECT_EQ(allocated_bytes(pages), 0U);
}

TEST(SharedPages, AreSeenByOtherProcesses) {
  const shared_pages pages(2 * size);
  const auto here = pages.take(size, size);
  here[1] = mark;
  EXPECT_TRUE(holds_in_a_child([&] {
    const shared_pages same(pages.name());
    const auto there = same.map(size, size);
    const bool is_seen = there[1] == mark;
    there[2] = mark;
    return is_seen;
  }));
  EXPECT_EQ(here[2], mark);
}

// A mapping in a process that does not know yet takes no memory either.
TEST(SharedPages, AreGivenBackThoughOthersHaveThemMapped) {
  const shared_pages pages(size);
  auto here = pages.take(0, size);
  const auto there = shared_pages(pages.name()).map(0, size);
  std::fill_n(there.get(), size, mark);
  here.reset();
  EXPECT_EQ(allocated_bytes(pages), 0U);
  EXPECT_EQ(there[0], std::byte{0});
}

TEST(SharedPages, AreNotGivenBackByAChildThatDidNotTakeThem) {
  const shared_pages pages(size);
  auto here = pages.take(0, size);
  std::fill_n(here.get(), size, mark);
  EXPECT_TRUE(holds_in_a_child([&] {
    here.reset();
    return true;
  }));
  EXPECT_TRUE(are_all(here, mark));
}

TEST(SharedPages, CanBeMappedForOneProcessAlone) {
  const shared_pages pages(size);
  const auto here = pages.take(0, size);
  std::fill_n(here.get(), size, mark);
  const auto private_copy = pages.map_alone(0, size);
  EXPECT_TRUE(are_all(private_copy, mark));
  private_copy[0] = std::byte{1};
  EXPECT_EQ(here[0], mark);
}

TEST(SharedPages, LastWithoutTheObjectThatTookThem) {
  std::shared_ptr<std::byte[]> here;
  {
    const shared_pages pages(size);
    here = pages.take(0, size);
  }
  std::fill_n(here.get(), size, mark);
  EXPECT_TRUE(are_all(here, mark));
}

TEST(SharedPages, NeedNoDescriptorOnceTheyAreTaken) {
  const std::ptrdiff_t before = num_descriptors();
  std::vector<std::shared_ptr<std::byte[]>> kept;
  for (int i = 0; i < 10; ++i) {
    const shared_pages pages(size);
    kept.push_back(pages.take(0, size));
  }
  EXPECT_EQ(num_descriptors(), before);
}

TEST(SharedPages, AreCountedAsLongAsThisProcessHasThem) {
  const std::uint64_t before = shared_pages_taken();
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const shared_pages pages(2 * size);
  EXPECT_EQ(shared_pages_taken(), before);
  auto first = pages.take(0, size);
  auto second = pages.take(size, 8);
  EXPECT_EQ(shared_pages_taken(), before + size + page);
  EXPECT_TRUE(holds_in_a_child([&] { return shared_pages_taken() == 0; }));
  first.reset();
  EXPECT_EQ(shared_pages_taken(), before + page);
  second.reset();
  EXPECT_THROW((void)pages.take(std::uint64_t{1} << 63U, size), memory_error);
  EXPECT_EQ(shared_pages_taken(), before);
}

TEST(SharedPages, AreLeftToAChildThatMayUseThem) {
  const std::uint64_t before = shared_pages_taken();
  std::optional<shared_pages> pages(2 * size);
  auto here = pages->take(0, size);
  auto hidden = pages->take(size, size);
  std::fill_n(here.get(), size, mark);
  auto private_copy = pages->map_alone(0, size);
  EXPECT_TRUE(sees_later(
      [&] {
        private_copy.reset();
        here.reset();
        EXPECT_EQ(allocated_bytes(*pages), 2 * size);
      },
      [&] { return are_all(private_copy, mark); }));
  EXPECT_EQ(shared_pages_taken(), before + 2 * size);
  hidden.reset();
  pages.reset();
  EXPECT_EQ(shared_pages_taken(), before);
}

// A process that a program forks while a run makes arrays does not know the pages.
TEST(SharedPages, AreGivenBackThoughAChildWasForkedBeforeTheyWereHandedOut) {
  const shared_pages pages(size);
  auto here = pages.take(0, size);
  EXPECT_TRUE(holds_in_a_child([] { return true; }));
  auto private_copy = pages.map_alone(0, size);
  private_copy.reset();
  here.reset();
  EXPECT_EQ(allocated_bytes(pages), 0U);
}

TEST(SharedPages, AreGivenBackThoughTheyAreLocked) {
  const shared_pages pages(size);
  auto here = pages.take(0, 8);
  if (mlock(here.get(), 8) != 0) GTEST_SKIP() << "nothing may be locked";
  here.reset();
  EXPECT_EQ(allocated_bytes(pages), 0U);
}

/// Signals that come in while a file gets its pages, and end a process that gets too many.
std::atomic<int> num_signals{0};
void count_signal(int) {
  if (++num_signals > 200'000) std::_Exit(EXIT_FAILURE);
}

// Linux lets signals undo an allocation in progress; 6.18 does not.
TEST(SharedPages, AreTakenThoughSignalsComeIn) {
  EXPECT_TRUE(holds_in_a_child([] {
    std::signal(SIGALRM, count_signal);
    const itimerval often{{0, 100}, {0, 100}};
    setitimer(ITIMER_REAL, &often, nullptr);
    constexpr std::size_t much = 16 * size;
    const shared_pages pages(much);
    const auto here = pages.take(0, much);
    const itimerval never{};
    setitimer(ITIMER_REAL, &never, nullptr);
    return allocated_bytes(pages) == much;
  }));
}

TEST(SharedPages, SayThatFilesMayNotBeSoLong) {
  EXPECT_TRUE(holds_in_a_child([] {
    const rlimit limit{size, size};
    setrlimit(RLIMIT_FSIZE, &limit);
    const shared_pages just(size);
    try {
      const shared_pages too_long(size + 1);
    } catch (const memory_error& failure) {
      return std::string(failure.what()).find("RLIMIT_FSIZE") != std::string::npos;
    }
    return false;
  }));
}

TEST(SharedPages, RefuseWhatTheSystemDoesNotGive) {
  const shared_pages pages(size);
  constexpr std::uint64_t nowhere = std::uint64_t{1} << 63U;
  EXPECT_THROW((void)pages.take(nowhere, size), memory_error);
  EXPECT_EQ(allocated_bytes(pages), 0U);
  EXPECT_THROW((void)pages.map(1, size), memory_error);  // no multiple of a page
  constexpr auto too_many = std::numeric_limits<std::uint64_t>::max();
  EXPECT_THROW(const shared_pages impossible(too_many), memory_error);
}

TEST(SharedPages, CannotBeOpenedWhenTheyAreGone) {
  std::optional<shared_pages> pages(size);
  const std::string name = pages->name();
  pages.reset();
  EXPECT_THROW(const shared_pages gone(name), memory_error);
}

TEST(SharedPages, AreReachedWhereFilesOfTheProcessAre) {
  const pid_t parent = getpid();
  EXPECT_TRUE(holds_in_a_child([parent] { return reaches_pages_of(parent); }));
  EXPECT_FALSE(reaches_pages_of(std::numeric_limits<int>::max()));
}

}  // namespace
}  // namespace tessera
