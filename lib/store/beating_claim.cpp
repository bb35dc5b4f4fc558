// SPDX-License-Identifier: Apache-2.0
#include "store/beating_claim.hpp"

#include "store/api/claim_files.hpp"
#include "store/api/heartbeat.hpp"
#include "store/api/posix_file.hpp"
#include "store/claim_slots.hpp"

#include <fmt/format.h>
#include <unistd.h>

namespace tessera::detail {

bool may_have_claims(const std::string& directory, std::string_view name) {
  const std::string path = fmt::format("{}/{}", directory, name);
  return ::access(slots_of_claims(path).c_str(), F_OK) == 0 ||
         ::access(folder_of_claims(path).c_str(), F_OK) == 0;
}

beating_claim::beating_claim(std::string_view path, std::string_view key, std::string_view text,
                             const claim_judge& admit)
    : turn_(path), file_(turn_.claim_file()) {
  try {
    turn_.take(key);
    std::vector<std::string> texts = turn_.read_claims(key);
    const auto by_lock = claims_by_lock(slots_of_claims(path), key, turn_.present_time());
    texts.insert(texts.end(), by_lock.begin(), by_lock.end());
    admit(texts);
    write_text(key, text);
    turn_.leave();
  } catch (...) {
    heartbeat::of_process().remove(file_);
    ::unlink(file_.c_str());
    throw;
  }
}

beating_claim::~beating_claim() {
  heartbeat::of_process().remove(file_);
  ::unlink(file_.c_str());
}

bool beating_claim::is_held() const { return ::access(file_.c_str(), F_OK) == 0; }

/// Writes the file of the claim. It is missing, so that the claim is not held, if the folder was
/// removed while the claim was judged.
void beating_claim::write_text(std::string_view key, std::string_view text) {
  const int failure = create_file(file_, text);
  if (failure != 0 && !is_missing(failure)) throw_failure("claim", key, file_, failure);
  if (failure == 0) heartbeat::of_process().add(file_);
}

}  // namespace tessera::detail
