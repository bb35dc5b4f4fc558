// SPDX-License-Identifier: Apache-2.0
#include "tessera/executor/memory.hpp"

#include "tessera/executor/executors.hpp"

#include "executor/cgroup_limit.hpp"

#include <cstring>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>

namespace tessera {
namespace {

namespace fs = std::filesystem;
using namespace literals;

/// A folder that is removed at the end.
class temporary_folder {
 public:
  temporary_folder() {
    std::string name = (fs::temp_directory_path() / "tessera-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  temporary_folder(const temporary_folder&) = delete;
  temporary_folder& operator=(const temporary_folder&) = delete;
  ~temporary_folder() { fs::remove_all(path_); }
  [[nodiscard]] const fs::path& path() const { return path_; }

  void write(const fs::path& file, const std::string& text) const {
    fs::create_directories((path_ / file).parent_path());
    std::ofstream(path_ / file) << text;
  }

 private:
  fs::path path_;
};

void touch(std::size_t size) {
  const std::unique_ptr<char[]> block(new char[size]);
  std::memset(block.get(), 1, size);
  asm volatile("" : : "r"(block.get()) : "memory");  // else the compiler removes both
}

TEST(PeakMemory, ShowsABlockThatIsFreeAgainUntilItIsReset) {
  ASSERT_TRUE(reset_peak_memory());
  const bytes before = peak_memory();
  touch(64 << 20);
  EXPECT_GE(peak_memory(), before + 60_MiB);
  ASSERT_TRUE(reset_peak_memory());
  EXPECT_LT(peak_memory(), before + 32_MiB);
}

TEST(ResidentMemory, IsPositiveAndAtMostThePeak) {
  const bytes now = resident_memory();
  EXPECT_GT(now, 500_kB);
  EXPECT_LE(now, peak_memory());
}

TEST(HostMemory, IsAtMostWhatIsInstalled) {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(host_memory(), 10_MB);
  EXPECT_LE(host_memory(), bytes{pages * page_size});
}

TEST(MeasureReservedMemory, IsAtLeastWhatTheIdleProcessHolds) {
  const bytes measured = measure_reserved_memory(*executors::threads(2));
  EXPECT_GT(measured, 500_kB);
  EXPECT_LE(measured, peak_memory());
}

TEST(CgroupMemoryLimit, IsTheLeastOfAGroupAndThoseAboveItInVersion2) {
  const temporary_folder root;
  root.write("user/memory.max", "300\n");
  root.write("user/job/memory.max", "max\n");
  root.write("user/job/step/memory.max", "400\n");
  EXPECT_EQ(cgroup_memory_limit("0::/user/job/step\n", root.path()), 300U);
  EXPECT_EQ(cgroup_memory_limit("0::/other\n", root.path()), std::nullopt);
}

TEST(CgroupMemoryLimit, IsFoundByTheMemoryControllerInVersion1) {
  const temporary_folder root;
  root.write("memory/docker/memory.limit_in_bytes", "500\n");
  root.write("memory/memory.limit_in_bytes", "9223372036854771712\n");
  const std::string membership =
      "12:cpu,cpuacct:/docker\n5:memory:/docker\n1:name=systemd:/docker\n0::/\n";
  EXPECT_EQ(cgroup_memory_limit(membership, root.path()), 500U);
}

TEST(CgroupMemoryLimit, OfAContainerIsFoundAtTheRootOfItsOwnTree) {
  const temporary_folder root;
  root.write("memory.max", "700\n");
  EXPECT_EQ(cgroup_memory_limit("0::/not/visible/here\n", root.path()), 700U);
  EXPECT_EQ(cgroup_memory_limit("0::/\n", root.path()), 700U);
}

TEST(CgroupMemoryLimit, IsNothingForTextsThatAreNoMembership) {
  const temporary_folder root;
  EXPECT_EQ(cgroup_memory_limit("", root.path()), std::nullopt);
  EXPECT_EQ(cgroup_memory_limit("nonsense\n:\n", root.path()), std::nullopt);
}

}  // namespace
}  // namespace tessera
