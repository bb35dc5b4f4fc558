// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The immutable parameters of a kernel: an object in this process, and bytes that identify it.

#include <memory>
#include <string>
#include <typeinfo>
#include <utility>

namespace tessera {

/// The `reason`, one of its `type`, for which a function object cannot go to other processes.
struct portability_obstacle {
  const std::type_info* type;
  const char* reason;
};

/// The immutable parameters of a kernel.
///
/// `identity()` holds bytes that are equal exactly if the parameters are; the planner compares
/// them. Parameters whose identity states everything are portable; those of a user's function
/// object with a state of its own are not, and are equal only to themselves.
class kernel_parameters {
 public:
  /// No parameters at all. Members that are no templates are not inline: programs need not be
  /// compiled with them.
  kernel_parameters();
  kernel_parameters(const kernel_parameters& rhs);
  kernel_parameters(kernel_parameters&& rhs) noexcept;
  kernel_parameters& operator=(const kernel_parameters& rhs);
  kernel_parameters& operator=(kernel_parameters&& rhs) noexcept;
  ~kernel_parameters();

  /// Parameters that `identity` describes wholly.
  template <class T>
  kernel_parameters(T object, std::string identity)
      : object_(std::make_shared<const T>(std::move(object))), identity_(std::move(identity)) {}

  /// Parameters that are equal only to themselves. Requires: `obstacle` is never destroyed.
  template <class T>
  [[nodiscard]] static kernel_parameters not_portable(T object,
                                                      const portability_obstacle& obstacle) {
    kernel_parameters parameters(std::move(object), {});
    parameters.obstacle_ = &obstacle;
    return parameters;
  }

  [[nodiscard]] const void* get() const { return object_.get(); }
  [[nodiscard]] const std::string& identity() const { return identity_; }
  [[nodiscard]] bool is_portable() const { return obstacle_ == nullptr; }
  /// Returns the reason for which they are not portable, or null if they are.
  [[nodiscard]] const portability_obstacle* obstacle() const { return obstacle_; }

  [[nodiscard]] bool operator==(const kernel_parameters& rhs) const {
    if (!is_portable() || !rhs.is_portable()) return object_ == rhs.object_;
    return identity_ == rhs.identity_;
  }

 private:
  std::shared_ptr<const void> object_;
  std::string identity_;
  const portability_obstacle* obstacle_ = nullptr;
};

}  // namespace tessera
