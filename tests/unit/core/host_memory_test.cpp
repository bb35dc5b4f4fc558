// SPDX-License-Identifier: Apache-2.0
#include "core/api/host_memory.hpp"

#include "core/cgroup_limit.hpp"

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <optional>
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

TEST(HostMemory, IsAtMostWhatIsInstalled) {
  const auto pages = static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES));
  const auto page_size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  EXPECT_GT(host_memory(), 10_MB);
  EXPECT_LE(host_memory(), bytes{pages * page_size});
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
