// SPDX-License-Identifier: Apache-2.0
#include "store/claim_slots.hpp"

#include "store/api/posix_file.hpp"
#include "store/claim_turn.hpp"
#include "store/unfinished_write.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <fcntl.h>
#include <fmt/format.h>
#include <span>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <utility>

namespace tessera::detail {

namespace {

/// The types of file systems without other hosts (statfs(2)): ext2 to ext4, XFS, Btrfs, tmpfs, ZFS,
/// F2FS, overlays. Limit: a server that exports one of them has no heartbeat, and hosts without
/// locks take its claims for abandoned after `longest_silence`.
constexpr std::array<std::uint32_t, 7> types_of_this_machine{
    0xEF53, 0x58465342, 0x9123683E, 0x01021994, 0x2FC12FC1, 0xF2F52010, 0x794C7630};

struct stat status_of(int file, std::string_view key, std::string_view path) {
  struct stat status {};
  if (::fstat(file, &status) != 0) throw_failure("claim", key, path, errno);
  return status;
}

/// Tells whether the owner of a slot is gone. `last_beat` is the time of the file.
bool is_gone(const claim_slot& slot, std::time_t last_beat, std::time_t now) {
  if (const auto has_ended = has_writer_ended(slot.writer)) return *has_ended;
  return now - last_beat > longest_silence.count();
}

}  // namespace

std::string slots_of_claims(std::string_view path) {
  return fmt::format("{}{}", path, lock_suffix);
}

std::size_t count_slots(int file, std::string_view key, std::string_view path) {
  const auto size = static_cast<std::size_t>(status_of(file, key, path).st_size);
  return std::max<std::size_t>(size / slot_size, 1);
}

claim_slot read_slot(int file, std::size_t slot, std::string_view key, std::string_view path) {
  std::array<char, slot_size + 2> bytes{};  // two NULs behind a slot without an end
  read_fully(file, std::as_writable_bytes(std::span(bytes).first<slot_size>()), key, path,
             slot * slot_size);
  claim_slot content{.text = bytes.data(), .writer = {}};
  content.writer = bytes.data() + content.text.size() + 1;
  return content;
}

int write_slot(int file, std::size_t slot, const claim_slot& content) {
  std::array<char, slot_size> bytes{};
  const std::size_t length = content.text.copy(bytes.data(), longest_text);
  content.writer.copy(bytes.data() + length + 1, slot_size - longest_text - 2);
  if (::lseek(file, static_cast<off_t>(slot * slot_size), SEEK_SET) < 0) return errno;
  return write_fully(file, std::as_bytes(std::span(bytes)));
}

bool is_of_this_machine(int file) {
  struct statfs system {};
  if (::fstatfs(file, &system) != 0) return false;
  const auto type = static_cast<std::uint32_t>(system.f_type);
  return std::ranges::find(types_of_this_machine, type) != types_of_this_machine.end();
}

std::vector<std::string> claims_by_lock(const std::string& path, std::string_view key,
                                        std::time_t now) {
  std::vector<std::string> texts;
  const file_descriptor file(open_file(path.c_str(), O_RDWR));
  if (file.get() < 0 && is_missing(errno)) return texts;
  if (file.get() < 0) throw_failure("claim", key, path, errno);
  // An emptied slot renews the time of the file.
  const std::time_t last_beat = status_of(file.get(), key, path).st_mtime;
  const std::size_t num_slots = count_slots(file.get(), key, path);
  for (std::size_t i = 1; i < num_slots; ++i) {
    claim_slot slot = read_slot(file.get(), i, key, path);
    // A claim without a text is there to judge, and stands in no way.
    if (slot.text.empty()) continue;
    if (!is_gone(slot, last_beat, now)) {
      texts.push_back(std::move(slot.text));
    } else if (const int failure = write_slot(file.get(), i, {})) {
      throw_failure("claim", key, path, failure);
    }
  }
  return texts;
}

}  // namespace tessera::detail
