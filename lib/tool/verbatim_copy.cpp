// SPDX-License-Identifier: Apache-2.0
#include "tool/verbatim_copy.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/metadata_text.hpp"

#include "tool/progress_line.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <fmt/format.h>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

namespace tessera::tool {

namespace {

/// Copies one value; a missing one stays missing.
void copy_value(const key_value_store& from, const std::string& key, key_value_store& to,
                const std::string& place, std::size_t limit) {
  if (const auto value = from.read_all(key, limit)) to.write(place, *value);
}

/// Chunks to copy, which threads take one by one.
class chunk_queue {
 public:
  chunk_queue(const copy_source& source, const copy_target& target, bytes limit)
      : source_(source), target_(target), limit_(limit.count()) {
    for (const source_array& array : source.arrays) {
      if (!array.encoded_as) first_.push_back({&array, total_});
      if (!array.encoded_as) total_ += array.files.chunks.size();
    }
  }

  [[nodiscard]] std::size_t size() const { return total_; }

  /// Copies chunks until none is left or one fails.
  void work(const progress_line* progress) {
    for (std::size_t i = next_++; i < total_ && !has_failed_; i = next_++) {
      try {
        copy(i);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        has_failed_ = true;
      }
      if (progress != nullptr) progress->show(i);
    }
  }

  void rethrow() const {
    if (failure_) std::rethrow_exception(failure_);
  }

 private:
  struct first_chunk {
    const source_array* array;
    std::size_t position;
  };

  void copy(std::size_t i) const {
    const auto behind = std::ranges::upper_bound(first_, i, {}, &first_chunk::position);
    const first_chunk& first = *std::prev(behind);
    const std::string& name = first.array->files.chunks[i - first.position];
    const std::string from = source_.key(first.array->path, name);
    const std::string to = target_.key(first.array->path, name);
    const key_value_store& store = *source_.store;
    if (target_.is_continued() && target_.store()->size(to) == store.size(from)) return;
    copy_value(store, from, *target_.store(), to, limit_);
  }

  const copy_source& source_;
  const copy_target& target_;
  std::size_t limit_;
  /// Arrays with chunks, each with how many chunks the arrays before it have.
  std::vector<first_chunk> first_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

void write_array(const copy_source& source, const copy_target& target, const source_array& array) {
  if (array.encoded_as) return;
  std::string text = array.description.zarray;
  const array_description original = describe_array(*source.store, source.key(array.path, ""));
  if (original.separator != array.description.separator) {
    text = detail::with_member(text, "dimension_separator",
                               fmt::format("\"{}\"", array.description.separator));
  }
  target.store()->write(target.key(array.path, ".zarray"), std::as_bytes(std::span(text)));
}

void copy_file(const copy_source& source, const copy_target& target, const std::string& path,
               const char* name) {
  if (const auto text = detail::read_text(*source.store, source.key(path, name))) {
    target.store()->write(target.key(path, name), std::as_bytes(std::span(*text)));
  }
}

}  // namespace

verbatim_count count_verbatim(const copy_source& source) {
  verbatim_count count;
  for (const source_array& array : source.arrays) {
    if (array.encoded_as) continue;
    ++count.arrays;
    count.chunks += array.files.chunks.size();
  }
  return count;
}

void copy_chunks(const copy_source& source, const copy_target& target, std::size_t num_threads,
                 bytes limit) {
  chunk_queue queue(source, target, limit);
  const std::size_t count = std::min(num_threads, queue.size());
  const progress_line progress("chunks", queue.size());
  std::vector<std::thread> threads;
  try {
    for (std::size_t i = 1; i < count; ++i) threads.emplace_back([&queue] { queue.work(nullptr); });
  } catch (const std::system_error&) {
    // The system gives no more threads: those that there are do the work.
  }
  queue.work(&progress);
  for (std::thread& thread : threads) thread.join();
  queue.rethrow();
}

void copy_metadata(const copy_source& source, const copy_target& target) {
  detail::change_metadata(*target.store(), target.key("", ""), detail::old_node::stays,
                          [&] { detail::make_room(*target.store(), target.key("", "")); });
  auto array = source.arrays.begin();
  for (const node& member : source.tree.nodes) {
    const bool is_array = member.kind == node_kind::array;
    const auto write = [&] {
      copy_file(source, target, member.path, ".zattrs");
      if (is_array) {
        write_array(source, target, *array);
      } else {
        copy_file(source, target, member.path, ".zgroup");
      }
    };
    detail::change_metadata(*target.store(), target.key(member.path, ""), detail::old_node::stays,
                            write);
    if (is_array) ++array;
  }
}

}  // namespace tessera::tool
