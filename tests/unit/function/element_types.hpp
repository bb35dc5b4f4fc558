// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// The dtypes as a list, to call a function for each of them.

#include "tessera/core/dtype.hpp"

#include <boost/hana/tuple.hpp>
#include <cstdint>

namespace tessera::testing {

using element_types =
    boost::hana::tuple<type_tag<bool>, type_tag<std::int8_t>, type_tag<std::int16_t>,
                       type_tag<std::int32_t>, type_tag<std::int64_t>, type_tag<std::uint8_t>,
                       type_tag<std::uint16_t>, type_tag<std::uint32_t>, type_tag<std::uint64_t>,
                       type_tag<float16>, type_tag<float>, type_tag<double>, type_tag<complex64>,
                       type_tag<complex128>>;

}  // namespace tessera::testing
