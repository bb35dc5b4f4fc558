// SPDX-License-Identifier: Apache-2.0
#include "tool/verbatim_copy.hpp"

#include "tessera/core/error.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "tool/progress_line.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"

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

/// Returns the value of a chunk, or nullopt if it is missing.
///
/// Throws: store_error <- the value is larger than `limit`, or cannot be read.
std::optional<std::vector<std::byte>> read_chunk(const key_value_store& store,
                                                 const std::string& key, bytes limit) {
  try {
    return store.read_all(key, limit.count());
  } catch (const error&) {
    const auto size = store.size(key);
    if (!size || *size <= limit.count()) throw;
    throw store_error(
        fmt::format("{} takes {}, and a task may use {}; allow more memory by --memory",
                    detail::name_of_node(store, key), format(bytes(*size)), format(limit)));
  }
}

/// A queue of chunks to copy for several threads.
class chunk_queue {
 public:
  chunk_queue(const copy_source& source, const copy_target& target, bytes limit)
      : source_(source), target_(target), limit_(limit) {
    for (const source_array& array : source.arrays) {
      if (!array.encoded_as) first_.push_back({&array, total_});
      if (!array.encoded_as) total_ += array.files.chunks.size();
    }
  }

  [[nodiscard]] std::size_t size() const { return total_; }

  /// Copies chunks until the queue is empty or a copy fails.
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
    if (const auto value = read_chunk(store, from, limit_)) target_.store()->write(to, *value);
  }

  const copy_source& source_;
  const copy_target& target_;
  bytes limit_;
  /// Arrays with chunks, and the sum of the chunks of all earlier arrays.
  std::vector<first_chunk> first_;
  std::size_t total_ = 0;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> has_failed_ = false;
  std::mutex mutex_;
  std::exception_ptr failure_;
};

void write_array(const copy_source& source, const copy_target& target, const source_array& array) {
  if (array.encoded_as) return;
  const detail::node_format& format = *array.description.format;
  std::string text = array.description.document;
  const array_description original = describe_array(*source.store, source.key(array.path, ""));
  if (original.separator != array.description.separator) {
    text = format.with_separator(text, array.description.separator);
  }
  target.store()->write(target.key(array.path, std::string(format.array_key)),
                        std::as_bytes(std::span(text)));
}

void copy_file(const copy_source& source, const copy_target& target, const std::string& path,
               std::string_view key) {
  const std::string name(key);
  if (const auto text = detail::read_text(*source.store, source.key(path, name))) {
    target.store()->write(target.key(path, name), std::as_bytes(std::span(*text)));
  }
}

/// Writes the attributes of an array that a plan has encoded, in the format of the copy.
void write_attributes(const copy_source& source, const copy_target& target,
                      const source_array& array) {
  zarr_destination named;
  named.metadata = *array.encoded_as;
  named.attributes = detail::read_attributes(*source.store, source.key(array.path, ""));
  if (!array.description.dimension_names.empty()) {
    named.dimension_names = array.description.dimension_names;
  }
  const attributes values = named.stored_attributes();
  if (values.empty()) return;
  detail::format_of(named.metadata.format)
      .write_attributes(*target.store(), target.key(array.path, ""), values.to_json());
}

/// Writes the documents of a group, or of a folder of nodes, without consolidated metadata.
void write_group(const copy_source& source, const copy_target& target, const node& group) {
  const detail::node_format& format = *group.format;
  key_value_store& store = *target.store();
  const std::string path = target.key(group.path, "");
  const bool is_group = group.kind == node_kind::group;
  if (is_group && source.format && *source.format != format.number) {
    const attributes values = detail::read_attributes(*source.store, source.key(group.path, ""));
    detail::put_group(store, path, detail::format_of(*source.format), values.to_json());
    return;
  }
  for (const std::string_view name : format.group_keys) copy_file(source, target, group.path, name);
  if (format.consolidated_key == format.group_key && format.has_consolidated(store, path)) {
    format.drop_consolidated(store, path);
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
    // The system refuses further threads: the existing threads do the work.
  }
  queue.work(&progress);
  for (std::thread& thread : threads) thread.join();
  queue.rethrow();
}

void copy_metadata(const copy_source& source, const copy_target& target) {
  const detail::node_format& format =
      source.format ? detail::format_of(*source.format) : *source.tree.nodes.front().format;
  detail::change_metadata(*target.store(), target.key("", ""), detail::old_node::stays,
                          [&] { detail::make_room(*target.store(), target.key("", ""), format); });
  auto array = source.arrays.begin();
  for (const node& member : source.tree.nodes) {
    const bool is_array = member.kind == node_kind::array;
    const auto write = [&] {
      if (!is_array) return write_group(source, target, member);
      const bool is_translated =
          array->encoded_as && (source.format || array->encoded_as->format != 2);
      if (is_translated) return write_attributes(source, target, *array);
      for (const std::string_view name : member.format->array_keys) {
        if (name == member.format->array_key) {
          write_array(source, target, *array);
        } else {
          copy_file(source, target, member.path, name);
        }
      }
    };
    detail::change_metadata(*target.store(), target.key(member.path, ""), detail::old_node::stays,
                            write);
    if (is_array) ++array;
  }
}

}  // namespace tessera::tool
