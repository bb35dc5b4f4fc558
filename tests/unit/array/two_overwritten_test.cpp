// SPDX-License-Identifier: Apache-2.0
#include "tessera/array/store_target.hpp"

#include "unit/array/overwriting.hpp"

#include <string_view>
#include <sys/syscall.h>
#include <utility>

namespace {

/// The number of notes that this process removes before it is killed; negative: any number.
int num_removed_notes = -1;

}  // namespace

/// Takes the place of the C library's, so that a process is killed between two notes.
extern "C" int unlink(const char* path) noexcept {
  const bool is_note = std::string_view(path).ends_with("/.tessera-overwritten");
  if (is_note && num_removed_notes-- == 0) ::kill(::getpid(), SIGKILL);
  return static_cast<int>(::syscall(SYS_unlink, path));
}

namespace tessera {
namespace {

using testing::in_child;
using testing::status_of;

TEST_F(Overwriting, TwoArraysChangePlaces) {
  kill_everywhere(
      [&] {
        store_numbers("x");
        store_numbers("y", 100);
      },
      [&](const run_with& settings) {
        store(stored(x("y"), at("x")), stored(x(), at("y")), settings);
      },
      [&] {
        expect_old_or_refused("x", same);
        expect_old_or_refused("y", [](double i) { return i + 100; });
      },
      [&] {
        expect_elements("x", [](double i) { return i + 100; });
        expect_elements("y", same);
      });
  EXPECT_GT(num_refused_, 0);
}

class TwoOverwritten : public Overwriting {
 protected:
  TwoOverwritten() {
    store_numbers("x");
    store_numbers("y", 100);
    EXPECT_EQ(status_of(in_child([&] {
                num_removed_notes = 1;
                exchange(serial());
                return 0;
              })),
              SIGKILL);
    // One of the two notes is there.
    EXPECT_NE(std::filesystem::exists(at("x/.tessera-overwritten")),
              std::filesystem::exists(at("y/.tessera-overwritten")));
  }
  void exchange(const run_with& settings) const {
    store(stored(x("y"), at("x")), stored(x(), at("y")), settings);
  }
};

TEST_F(TwoOverwritten, AreWholeThoughTheRunWasKilledBetweenTheirNotes) {
  expect_elements("x", [](double i) { return i + 100; });
  expect_elements("y", same);
}

TEST_F(TwoOverwritten, CanBeOverwrittenAgainByRunsThatAreKilled) {
  // The run that was killed had nothing more to do. Its directory is of no use, unlike the record
  // that its notes are void.
  std::filesystem::remove_all(unfinished_runs(limits().work_dir).at(0).path);
  bool is_first = true;
  kill_everywhere(
      [&] {
        if (std::exchange(is_first, false)) return;
        store_numbers("x", 100);
        store_numbers("y");
      },
      [&](const run_with& settings) { exchange(settings); }, [] {},
      [&] {
        expect_elements("x", same);
        expect_elements("y", [](double i) { return i + 100; });
      });
}

}  // namespace
}  // namespace tessera
