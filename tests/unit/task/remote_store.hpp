// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// A store that is far away, in memory: it counts the reads in flight.

#include "tessera/core/error.hpp"
#include "tessera/store/memory_store.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera::testing {

/// A store that answers reads in flight when they are waited for, and counts them.
class remote_store final : public key_value_store {
 public:
  /// The requests, in the order of their beginnings.
  struct record {
    std::vector<std::string> keys;
    std::size_t num_calls = 0;
    std::size_t in_flight = 0;
    /// Of the requests of one queue for chunks. New arrays ask for several documents at once.
    std::size_t most_in_flight = 0;
    std::size_t num_given_up = 0;
    std::size_t writes_in_flight = 0;
    std::size_t most_writes_in_flight = 0;
    std::size_t num_called_writes = 0;
  };

  store_traits given_traits{.latency = std::chrono::milliseconds(30),
                            .bandwidth = bytes{60'000'000},
                            .num_requests = 7,
                            .kept_per_request = bytes{300'000}};
  std::optional<store_recipe> given_recipe = {};
  /// The key that cannot be read.
  std::string broken_key = {};
  /// Whether folders may be listed.
  bool may_list = true;

  [[nodiscard]] record log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }
  void reset_log() {
    const std::lock_guard lock(mutex_);
    log_ = {};
  }

  std::string name() const override { return "remote"; }
  std::optional<store_recipe> recipe() const override { return given_recipe; }
  store_traits traits() const override { return given_traits; }
  std::optional<std::size_t> read(std::string_view key, std::span<std::byte> into) const override {
    {
      const std::lock_guard lock(mutex_);
      log_.keys.emplace_back(key);
      ++log_.num_calls;
    }
    fail_if_broken(key);
    return inner_.read(key, into);
  }
  std::optional<value_part> read_part(std::string_view key, const byte_range& range,
                                      std::span<std::byte> into) const override {
    fail_if_broken(key);
    return inner_.read_part(key, range, into);
  }
  std::unique_ptr<read_queue> reads() const override { return std::make_unique<queue>(*this); }
  std::unique_ptr<write_queue> writes() override {
    return std::make_unique<queue_of_writes>(*this);
  }
  std::optional<std::vector<std::byte>> read_all(std::string_view key,
                                                 std::size_t limit) const override {
    return inner_.read_all(key, limit);
  }
  std::optional<std::size_t> size(std::string_view key) const override { return inner_.size(key); }
  void write(std::string_view key, std::span<const std::byte> value) override {
    {
      const std::lock_guard lock(mutex_);
      ++log_.num_called_writes;
    }
    inner_.write(key, value);
  }
  void erase(std::string_view key) override { inner_.erase(key); }
  void erase_all(std::string_view folder) override { inner_.erase_all(folder); }
  std::vector<std::string> list(std::string_view folder) const override {
    return inner_.list(folder);
  }
  std::vector<std::string> list_folder(std::string_view folder) const override {
    if (!may_list) throw store_error("cannot list the folder", store_failure::denied);
    return inner_.list_folder(folder);
  }

 private:
  class queue final : public read_queue {
   public:
    explicit queue(const remote_store& store) : store_(store) {}
    ~queue() override {
      const std::lock_guard lock(store_.mutex_);
      store_.log_.in_flight -= num_in_flight_;
      store_.log_.num_given_up += num_in_flight_;
      // An answer may come as late as this.
      for (const auto& [key, request] : requests_) std::ranges::fill(request.into, std::byte{});
    }

    std::size_t submit(const read_request& request) override {
      const std::lock_guard lock(store_.mutex_);
      record& log = store_.log_;
      log.keys.emplace_back(request.key);
      ++num_in_flight_;
      ++log.in_flight;
      if (is_of_chunk(request.key)) ++num_chunks_;
      log.most_in_flight = std::max(log.most_in_flight, num_chunks_);
      requests_.push_back({std::string(request.key), request});
      return requests_.size() - 1;
    }
    bool is_complete(std::size_t) const override { return true; }
    std::optional<value_part> wait(std::size_t ticket) override {
      {
        const std::lock_guard lock(store_.mutex_);
        --store_.log_.in_flight;
        --num_in_flight_;
        if (is_of_chunk(requests_.at(ticket).first)) --num_chunks_;
      }
      auto& [key, request] = requests_.at(ticket);
      return store_.read_part(key, request.range, std::exchange(request.into, {}));
    }

   private:
    const remote_store& store_;
    std::size_t num_in_flight_ = 0;
    /// The requests for chunks among them.
    std::size_t num_chunks_ = 0;
    std::vector<std::pair<std::string, read_request>> requests_;
  };

  /// A value is read from the caller's memory as late as may be: when its write is waited for.
  class queue_of_writes final : public write_queue {
   public:
    explicit queue_of_writes(remote_store& store) : store_(store) {}
    ~queue_of_writes() override {
      for (std::size_t i = 0; i < requests_.size(); ++i) {
        if (requests_[i].is_waiting) end(i);
      }
    }

    std::size_t submit(std::string_view key, std::span<const std::byte> value) override {
      const std::lock_guard lock(store_.mutex_);
      record& log = store_.log_;
      log.most_writes_in_flight = std::max(log.most_writes_in_flight, ++log.writes_in_flight);
      requests_.push_back({std::string(key), value, true});
      return requests_.size() - 1;
    }
    bool is_complete(std::size_t) const override { return true; }
    void wait(std::size_t ticket) override {
      end(ticket);
      store_.fail_if_broken(requests_[ticket].key);
    }

   private:
    struct request {
      std::string key;
      std::span<const std::byte> value;
      bool is_waiting;
    };

    void end(std::size_t ticket) {
      request& ended = requests_.at(ticket);
      ended.is_waiting = false;
      const std::lock_guard lock(store_.mutex_);
      --store_.log_.writes_in_flight;
      if (ended.key != store_.broken_key) store_.inner_.write(ended.key, ended.value);
    }

    remote_store& store_;
    std::vector<request> requests_;
  };

  /// Tells whether a key is that of a chunk: "x/3.2".
  [[nodiscard]] static bool is_of_chunk(std::string_view key) {
    return key.find_first_not_of("0123456789.", key.rfind('/') + 1) == std::string_view::npos;
  }

  void fail_if_broken(std::string_view key) const {
    if (key == broken_key)
      throw store_error("cannot read the broken key", store_failure::permanent);
  }

  memory_store inner_;
  mutable std::mutex mutex_;
  mutable record log_;
};

}  // namespace tessera::testing
