// SPDX-License-Identifier: Apache-2.0
#include "tessera/kernel/parameters.hpp"

namespace tessera {

kernel_parameters::kernel_parameters() = default;
kernel_parameters::kernel_parameters(const kernel_parameters&) = default;
kernel_parameters::kernel_parameters(kernel_parameters&&) noexcept = default;
kernel_parameters& kernel_parameters::operator=(const kernel_parameters&) = default;
kernel_parameters& kernel_parameters::operator=(kernel_parameters&&) noexcept = default;
kernel_parameters::~kernel_parameters() = default;

}  // namespace tessera
