// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The attributes of an open array.

#include "tessera/storage/attributes.hpp"

#include <functional>
#include <memory>
#include <mutex>
#include <utility>

namespace tessera::detail {

/// Attributes that are parsed at their first use, if their text is long: a million short names take
/// five times the memory of their text. Copies share the attributes.
///
/// Thread safety: `get` may be called by several threads at the same time.
class attributes_on_demand {
 public:
  explicit attributes_on_demand(attributes values) : state_(std::make_shared<state>()) {
    state_->values = std::move(values);
  }
  /// `parse` is called once, or never.
  explicit attributes_on_demand(std::function<attributes()> parse)
      : state_(std::make_shared<state>()) {
    state_->parse = std::move(parse);
  }

  [[nodiscard]] const attributes& get() const {
    std::call_once(state_->is_parsed, [this] {
      if (state_->parse == nullptr) return;
      state_->values = state_->parse();
      state_->parse = nullptr;
    });
    return state_->values;
  }

 private:
  struct state {
    std::once_flag is_parsed;
    std::function<attributes()> parse;
    attributes values;
  };

  std::shared_ptr<state> state_;
};

}  // namespace tessera::detail
