// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Functions along axes, of arrays whose axes have names: those of the same names for arrays
/// without. Each takes `dim<"time">` wherever it takes `axis<k>`.
///
/// Other arrays beside the first, such as weights, labels and masks, may have any of its
/// dimensions, in any order; of rank 1, that which is named. Requires: dimensions that the array
/// has. Throws:   as the functions.

#include "tessera/array/grids.hpp"
#include "tessera/array/grouping.hpp"
#include "tessera/core/index.hpp"
#include "tessera/function/fft.hpp"
#include "tessera/function/groupby.hpp"
#include "tessera/function/lines.hpp"
#include "tessera/function/rolling.hpp"
#include "tessera/function/running.hpp"
#include "tessera/function/scan.hpp"
#include "tessera/function/statistical.hpp"
#include "tessera/labelled/detail/call.hpp"
#include "tessera/labelled/labelled.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// clang-format off
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sum(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::sum(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::sum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto prod(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::prod(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::prod(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto mean(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::mean(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::mean(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto min(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::min(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::min(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto max(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::max(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::max(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto any(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::any(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::any(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto all(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::all(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::all(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto count(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::count(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::count(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto var(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::var(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::var(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto stddev(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::stddev(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::stddev(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto count_nonzero(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::count_nonzero(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::count_nonzero(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ptp(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ptp(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ptp(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto average(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::average(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::average(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nansum(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nansum(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nansum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanprod(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanprod(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanprod(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanmin(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanmin(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanmin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanmax(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanmax(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanmax(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanmean(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanmean(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanmean(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanvar(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanvar(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanvar(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanstd(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanstd(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanstd(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto skew(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::skew(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::skew(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto kurtosis(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::kurtosis(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::kurtosis(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto moment(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::moment(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::moment(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto vector_norm(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::vector_norm(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::vector_norm(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto argmin(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::argmin(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::argmin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto argmax(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::argmax(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::argmax(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanargmin(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanargmin(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanargmin(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanargmax(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanargmax(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanargmax(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto first(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::first(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::first(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto last(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::last(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::last(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto topk(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::topk(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::topk(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto argtopk(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::argtopk(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::argtopk(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto median(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::median(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::median(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nanmedian(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nanmedian(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nanmedian(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto mode(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::mode(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::mode(x...); }, xs...); }
template <element T, labelled_array X, class... Options> [[nodiscard]] auto sum(const X& x, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::sum(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... all) { return tessera::sum<T>(all...); }, x, options...); }
template <element T, labelled_array X, class... Options> [[nodiscard]] auto prod(const X& x, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::prod(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... all) { return tessera::prod<T>(all...); }, x, options...); }

// Where several quantiles are sought, they are along the dimension "quantile", the first.
template <labelled_array X, class... Options> [[nodiscard]] auto quantile(const X& x, double q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::quantile(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... all) { return tessera::quantile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto quantile(const X& x, const std::vector<double>& q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::quantile(x, dim<...>): requires a dimension that x has"); return detail::along_names<dims<"quantile">>([](const auto&... all) { return tessera::quantile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto percentile(const X& x, double q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::percentile(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... all) { return tessera::percentile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto percentile(const X& x, const std::vector<double>& q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::percentile(x, dim<...>): requires a dimension that x has"); return detail::along_names<dims<"quantile">>([](const auto&... all) { return tessera::percentile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto nanquantile(const X& x, double q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::nanquantile(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... all) { return tessera::nanquantile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto nanquantile(const X& x, const std::vector<double>& q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::nanquantile(x, dim<...>): requires a dimension that x has"); return detail::along_names<dims<"quantile">>([](const auto&... all) { return tessera::nanquantile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto nanpercentile(const X& x, double q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::nanpercentile(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... all) { return tessera::nanpercentile(all...); }, x, q, options...); }
template <labelled_array X, class... Options> [[nodiscard]] auto nanpercentile(const X& x, const std::vector<double>& q, const Options&... options) { static_assert(detail::names_are_of_x<X, Options...>, "tessera::nanpercentile(x, dim<...>): requires a dimension that x has"); return detail::along_names<dims<"quantile">>([](const auto&... all) { return tessera::nanpercentile(all...); }, x, q, options...); }

template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cumulative_sum(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::cumulative_sum(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::cumulative_sum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cumulative_prod(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::cumulative_prod(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::cumulative_prod(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cumulative_max(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::cumulative_max(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::cumulative_max(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto cumulative_min(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::cumulative_min(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::cumulative_min(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nancumsum(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nancumsum(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nancumsum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto nancumprod(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::nancumprod(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::nancumprod(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ffill(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ffill(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ffill(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto bfill(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::bfill(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::bfill(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto scan(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::scan(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::scan(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rolling(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rolling(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rolling(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rolling_sum(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rolling_sum(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rolling_sum(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rolling_mean(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rolling_mean(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rolling_mean(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rolling_min(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rolling_min(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rolling_min(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rolling_max(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rolling_max(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rolling_max(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rolling_stddev(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rolling_stddev(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rolling_stddev(x...); }, xs...); }

template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto sort(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::sort(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::sort(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto argsort(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::argsort(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::argsort(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fft(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::fft(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::fft(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ifft(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ifft(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ifft(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rfft(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rfft(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rfft(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto irfft(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::irfft(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::irfft(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto hfft(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::hfft(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::hfft(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ihfft(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ihfft(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ihfft(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fftn(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::fftn(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::fftn(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ifftn(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ifftn(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ifftn(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rfftn(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rfftn(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rfftn(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto irfftn(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::irfftn(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::irfftn(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fft2(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::fft2(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::fft2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ifft2(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ifft2(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ifft2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto rfft2(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::rfft2(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::rfft2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto irfft2(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::irfft2(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::irfft2(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto fftshift(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::fftshift(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::fftshift(x...); }, xs...); }
template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto ifftshift(const Xs&... xs) { static_assert(detail::names_are_of_x<Xs...>, "tessera::ifftshift(x, dim<...>): requires a dimension that x has"); return detail::along_names([](const auto&... x) { return tessera::ifftshift(x...); }, xs...); }

template <class... Xs> requires have_names<Xs...> [[nodiscard]] auto reduction(const Xs&... xs) { return detail::by_names<true>([](const auto&... x) { return tessera::reduction(x...); }, xs...); }
// clang-format on

namespace detail {

/// Tells whether options name one axis.
template <class... Options>
inline constexpr bool name_one_axis = (std::size_t{0} + ... + dims_named<Options>::type::size) == 1;

}  // namespace detail

/// As `groupby_reduce` of arrays without names. The groups of one dimension have its name.
template <class... Args>
requires have_names<Args...>
[[nodiscard]] auto groupby_reduce(const Args&... args) {
  static_assert(detail::names_are_of_x<Args...>,
                "tessera::groupby_reduce(x, dim<...>): requires a dimension that x has");
  const auto found = detail::along_names(
      [](const auto&... all) { return tessera::groupby_reduce(all...); }, args...);
  if constexpr (detail::name_one_axis<Args...> || !labelled_array<decltype(found)>) {
    return found;
  } else {
    return found.array();
  }
}
/// The same of labels of several kinds.
template <labelled_array X, class Labels, class F, std::size_t N, class... Options>
[[nodiscard]] auto groupby_reduce(const X& x, const Labels& labels, const F& fold,
                                  const index_t (&counts)[N], const Options&... options) {
  static_assert(detail::names_are_of_x<X, Options...>,
                "tessera::groupby_reduce(x, dim<...>): requires a dimension that x has");
  return detail::along_names(
      [&counts](const auto& all, const auto& by, const auto& fold, const auto&... rest) {
        return tessera::groupby_reduce(all, by, fold, counts, rest...);
      },
      x, labels, fold, options...);
}

/// Lets a reduction count only the elements where `valid` is true, whose dimensions are any of
/// those of the array.
template <labelled_array Valid>
[[nodiscard]] auto where(const Valid& valid) {
  static_assert(
      std::same_as<typename Valid::value_type, bool>,
      "tessera::where(valid): requires a lazy array of dtype bool: mean(x, where(x > 0)); "
      "where(condition, a, b) chooses elements");
  return counted_where<Valid>{valid};
}

}  // namespace tessera
