// SPDX-License-Identifier: Apache-2.0
#include "core/api/fingerprint.hpp"

#include <fmt/format.h>
#include <new>
#include <xxhash.h>
// Dispatches at run time to the widest vector instructions; the hashes are the same.
#if defined(__x86_64__) && __has_include(<xxh_x86dispatch.h>)
#include <xxh_x86dispatch.h>
#endif

namespace tessera {

struct fingerprint::state {
  XXH3_state_t* hash = XXH3_createState();

  state() {
    if (hash == nullptr || XXH3_128bits_reset(hash) == XXH_ERROR) throw std::bad_alloc();
  }
  state(const state&) = delete;
  state& operator=(const state&) = delete;
  ~state() { XXH3_freeState(hash); }
};

void fingerprint::release::operator()(state* s) const { delete s; }

fingerprint::fingerprint() : state_(new state) {}

void fingerprint::add(std::span<const std::byte> piece) {
  // XXH3 fails only for a null pointer, which an empty piece may have.
  if (!piece.empty())
    static_cast<void>(XXH3_128bits_update(state_->hash, piece.data(), piece.size()));
}

std::array<std::uint64_t, 2> fingerprint::words() const {
  const XXH128_hash_t hash = XXH3_128bits_digest(state_->hash);
  return {hash.high64, hash.low64};
}

std::array<std::uint64_t, 2> fingerprint::words_of(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

std::string fingerprint::digits() const {
  const auto [high, low] = words();
  return fmt::format("{:016x}{:016x}", high, low);
}

}  // namespace tessera
