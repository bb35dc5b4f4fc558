// SPDX-License-Identifier: Apache-2.0
// One mistake in each line, and the message that the compiler must give.
// clang-format off
#include <tessera/tessera.hpp>

#include <string>
#include <tuple>
#include <vector>

namespace ts = tessera;

const auto x = ts::zeros<double>({3, 3});
const auto yes = ts::zeros<bool>({3, 3});
const auto z = ts::zeros<ts::complex128>({3, 3});
const std::string text = "u";
const std::vector<ts::index_t> lengths{3, 3};
const auto i = ts::zeros<int>({3, 3});
const std::vector<double> edges{0, 1, 2};
const ts::ndarray<double, 2> m({3, 3});

struct monoid_of_nothing {};
struct monoid_of_state {
  using state = double;
  static state take(state s, double v) { return s + v; }
  static state merge(state a, state b) { return a + b; }
};
struct monoid_of_take {
  using state = double;
  static constexpr state identity = 0;
  static state take(state s, double v) { return s + v; }
};
struct monoid_of_sum : monoid_of_state {
  static constexpr state identity = 0;
};
struct monoid_of_text : monoid_of_sum {
  static std::string finish(state) { return {}; }
};

template <class T>
void use(const T&);

struct without_state {};
struct with_merge {
  using state = double;
  static double merge(double a, double b) { return a + b; }
};
struct without_identity : with_merge {
  static double take(double s, double x) { return s + x; }
};
struct without_take : with_merge {
  static constexpr double identity = 0;
};
struct without_merge {
  using state = double;
  static constexpr double identity = 0;
  static double take(double s, double x) { return s + x; }
};
struct good : without_identity {
  static constexpr double identity = 0;
};
struct with_member : good {
  double factor = 1;
};
struct with_two_results : good {
  static std::tuple<double, double> finish(double s) { return {s, s}; }
};

void make_mistakes() {
  use(ts::full<double>(lengths, 1.0));  // tessera::full<T>(shape): requires a rank that the compiler knows: full<T>({m, n}, value), or full<T, 2>(v, value) for a vector v
  use(ts::ones<double>(lengths));  // tessera::ones<T>(shape): requires a rank that the compiler knows: ones<T>({m, n}), or ones<T, 2>(v) for a vector v
  use(ts::empty<double>(lengths));  // tessera::empty<T>(shape): requires a rank that the compiler knows: empty<T>({m, n}), or empty<T, 2>(v) for a vector v
  use(ts::concat({x, x}, ts::axis<4>));  // tessera::concat({xs...}, axis<...>): requires an axis in [-rank, rank)
  use(ts::concat(x, x, text));  // tessera::concat(a, b, ..., axis<k>): requires lazy arrays, then at most one axis; asarray(m) is one of the ndarray m
  use(ts::append(x, text, ts::axis<0, 1>));  // tessera::append(x, path, axis<...>): requires exactly one axis
  use(ts::append(x, text, ts::axis<2>));  // tessera::append(x, path, axis<k>): requires an axis in [-rank, rank)
  use(ts::cumulative_sum(x));  // tessera::cumulative_sum(x, axis<...>): requires exactly one axis where x has several
  use(ts::cumulative_sum(x, ts::axis<2>));  // tessera::cumulative_sum(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::cumulative_prod(x));  // tessera::cumulative_prod(x, axis<...>): requires exactly one axis where x has several
  use(ts::cumulative_prod(x, ts::axis<2>));  // tessera::cumulative_prod(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::nancumsum(x));  // tessera::nancumsum(x, axis<...>): requires exactly one axis where x has several
  use(ts::nancumsum(x, ts::axis<2>));  // tessera::nancumsum(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::nancumprod(x));  // tessera::nancumprod(x, axis<...>): requires exactly one axis where x has several
  use(ts::nancumprod(x, ts::axis<2>));  // tessera::nancumprod(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::cumulative_max(x));  // tessera::cumulative_max(x, axis<...>): requires exactly one axis where x has several
  use(ts::cumulative_max(x, ts::axis<2>));  // tessera::cumulative_max(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::cumulative_min(x));  // tessera::cumulative_min(x, axis<...>): requires exactly one axis where x has several
  use(ts::cumulative_min(x, ts::axis<2>));  // tessera::cumulative_min(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::ffill(x));  // tessera::ffill(x, axis<...>): requires exactly one axis where x has several
  use(ts::ffill(x, ts::axis<2>));  // tessera::ffill(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::bfill(x));  // tessera::bfill(x, axis<...>): requires exactly one axis where x has several
  use(ts::bfill(x, ts::axis<2>));  // tessera::bfill(x, axis<k>): requires an axis in [-rank, rank)
  use(ts::cumulative_max(z, ts::axis<0>));  // tessera::cumulative_max(x): requires elements that have an order; complex numbers have none
  use(ts::cumulative_min(z, ts::axis<0>));  // tessera::cumulative_min(x): requires elements that have an order; complex numbers have none
  use(ts::ffill(yes, ts::axis<0>));  // tessera::ffill(x): requires elements that may be NaN: floats or complex numbers
  use(ts::bfill(yes, ts::axis<0>));  // tessera::bfill(x): requires elements that may be NaN: floats or complex numbers
  use(ts::rolling_sum(x, 2));  // tessera::rolling_sum(x, length, axis<...>): requires exactly one axis where x has several
  use(ts::rolling_sum(x, 2, ts::axis<2>));  // tessera::rolling_sum(x, length, axis<k>): requires an axis in [-rank, rank)
  use(ts::rolling_mean(x, 2));  // tessera::rolling_mean(x, length, axis<...>): requires exactly one axis where x has several
  use(ts::rolling_mean(x, 2, ts::axis<2>));  // tessera::rolling_mean(x, length, axis<k>): requires an axis in [-rank, rank)
  use(ts::rolling_min(x, 2));  // tessera::rolling_min(x, length, axis<...>): requires exactly one axis where x has several
  use(ts::rolling_min(x, 2, ts::axis<2>));  // tessera::rolling_min(x, length, axis<k>): requires an axis in [-rank, rank)
  use(ts::rolling_max(x, 2));  // tessera::rolling_max(x, length, axis<...>): requires exactly one axis where x has several
  use(ts::rolling_max(x, 2, ts::axis<2>));  // tessera::rolling_max(x, length, axis<k>): requires an axis in [-rank, rank)
  use(ts::rolling_stddev(x, 2));  // tessera::rolling_stddev(x, length, axis<...>): requires exactly one axis where x has several
  use(ts::rolling_stddev(x, 2, ts::axis<2>));  // tessera::rolling_stddev(x, length, axis<k>): requires an axis in [-rank, rank)
  use(ts::rolling_min(z, 2, ts::axis<0>));  // tessera::rolling_min(x, length): requires elements that have an order; complex numbers have none
  use(ts::rolling_max(z, 2, ts::axis<0>));  // tessera::rolling_max(x, length): requires elements that have an order; complex numbers have none
  use(ts::rolling_stddev(z, 2, ts::axis<0>));  // tessera::rolling_stddev(x, length): requires elements that are real numbers or bool
  use(ts::scan(good{}, x));  // tessera::scan(m, x, axis<...>): requires exactly one axis where x has several
  use(ts::scan(good{}, x, ts::axis<2>));  // tessera::scan(m, x, axis<k>): requires an axis in [-rank, rank)
  use(ts::rolling(good{}, x, 2));  // tessera::rolling(m, x, length, axis<...>): requires exactly one axis where x has several
  use(ts::rolling(good{}, x, 2, ts::axis<2>));  // tessera::rolling(m, x, length, axis<k>): requires an axis in [-rank, rank)
  use(ts::scan(with_member{}, x, ts::axis<0>));  // tessera::scan(m, x), rolling(m, x, length): requires m without members: its functions are static
  use(ts::scan(without_state{}, x, ts::axis<0>));  // tessera::scan(m, x), rolling(m, x, length): requires m::state, an element type or a std::tuple of them
  use(ts::scan(without_identity{}, x, ts::axis<0>));  // tessera::scan(m, x), rolling(m, x, length): requires m::identity, a state that has taken nothing
  use(ts::scan(without_take{}, x, ts::axis<0>));  // tessera::scan(m, x), rolling(m, x, length): requires m::take(state, an element of x) to return a state
  use(ts::scan(without_merge{}, x, ts::axis<0>));  // tessera::scan(m, x), rolling(m, x, length): requires m::merge(state, state) to return a state
  use(ts::scan(with_two_results{}, x, ts::axis<0>));  // tessera::scan(m, x), rolling(m, x, length): requires m::finish(state) to return one element
  use(ts::stack({x, x}, ts::axis<4>));  // tessera::stack({xs...}, axis<...>): requires an axis in [-rank, rank) of the result
  use(ts::stack({x, x}, 0));  // tessera::stack({xs...}, axis<k>): requires the axis as axis<k>, as in axis<0>
  use(ts::stack(x, x, text));  // tessera::stack(a, b, ..., axis<k>): requires lazy arrays, then at most one axis; asarray(m) is one of the ndarray m
  use(x.blocks(ts::newaxis, 0));  // tessera: x.blocks(...): requires each index to be an integer, tessera::slice, whole or ellipsis; x.blocks(...)(newaxis) adds an axis
  use(ts::moveaxis(x, ts::axis<0>, ts::axis<0, 1>));  // tessera::moveaxis(x, axis<...>, axis<...>): requires as many places as axes
  use(ts::moveaxis(x, ts::axis<0>, ts::axis<2>));  // tessera::moveaxis(x, axis<...>, axis<...>): requires every axis and place to be in [-rank, rank) of x
  use(ts::moveaxis(x, ts::axis<0, 1>, ts::axis<0, -2>));  // tessera::moveaxis(x, axis<...>, axis<...>): requires axes, and places, that differ from each other
  use(ts::swapaxes(x, ts::axis<0>, ts::axis<2>));  // tessera::swapaxes(x, axis<a>, axis<b>): requires both axes to be in [-rank, rank) of x
  use(ts::rollaxis(x, ts::axis<0>, ts::axis<3>));  // tessera::rollaxis(x, axis<a>, axis<start>): requires an axis in [-rank, rank) of x, and a start in [-rank, rank]
  use(ts::flipud(x(0, 0)));  // tessera::flipud(x): requires an array of rank 1 or more
  use(ts::fliplr(x(0)));  // tessera::fliplr(x): requires an array of rank 2 or more
  use(ts::rot90(x, 1, ts::axis<0, 2>));  // tessera::rot90(x, k, axis<a, b>): requires both axes to be in [-rank, rank) of x
  use(ts::rot90(x, 1, ts::axis<0, -2>));  // tessera::rot90(x, k, axis<a, b>): requires axes that differ from each other
  use(ts::take(x, edges));  // tessera::take(x, indices): requires indices that are integers, in a list, span, std::vector, computed or lazy array
  use(ts::repeat(x, 2, ts::axis<2>));  // tessera::repeat(x, count, axis<k>): requires one axis in [-rank, rank) of x
  use(ts::nonzero(ts::sum(x)));  // tessera::nonzero(x): requires an array of at least one axis
  use(ts::interp(z, edges, edges));  // tessera::interp(x, places, values): requires real numbers, and places and values in a lazy array, list, span, std::vector or computed array
  use(ts::searchsorted(edges, z));  // tessera::searchsorted(sorted, x): requires values of rank 1, and real numbers
  use(ts::union1d(ts::zeros<std::int64_t>({3}), ts::zeros<std::uint64_t>({3})));  // tessera::union1d(a, b): requires arrays whose values one dtype holds, not int64 and uint64; astype<T>(x) converts one of them
  use(ts::permute_dims(x, ts::axis<0, 2>));  // tessera::permute_dims(x, axis<...>): requires every axis to be in [-rank, rank)
  use(ts::expand_dims(x, ts::axis<0, -4>));  // tessera::expand_dims(x, axis<...>): requires axes that differ from each other
  use(ts::squeeze(x, ts::axis<0, -2>));  // tessera::squeeze(x, axis<...>): requires axes that differ from each other
  use(ts::flip(x, ts::axis<2>));  // tessera::flip(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::flip(x, ts::axis<0, -2>));  // tessera::flip(x, axis<...>): requires axes that differ from each other
  use(ts::pad(x, {{1, 1}}));  // tessera::pad(x, widths, boundary): requires one pair of widths for each axis of x
  use(ts::roll(x, 2, ts::axis<2>));  // tessera::roll(x, shifts, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::roll(x, {2, 2}, ts::axis<0, -2>));  // tessera::roll(x, shifts, axis<...>): requires axes that differ from each other
  use(ts::sliding_window_view(x, 2, ts::axis<2>));  // tessera::sliding_window_view(x, lengths, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::sliding_window_view(x, {2, 2}, ts::axis<0, -2>));  // tessera::sliding_window_view(x, lengths, axis<...>): requires axes that differ from each other
  use(ts::coarsen(ts::op::max{}, z, {3, 3}));  // tessera::coarsen(op, x, {n, ...}): requires an op that takes the elements of x
  use(ts::random::uniform<double>(lengths));  // tessera::random::uniform<T>(shape): requires a rank that the compiler knows: uniform<T>({m, n}), or uniform<T, 2>(v) for a vector v
  use(ts::random::normal<double>(lengths));  // tessera::random::normal<T>(shape): requires a rank that the compiler knows: normal<T>({m, n}), or normal<T, 2>(v) for a vector v
  use(ts::array<double, 33>::rank);  // tessera::array: requires a rank of at most 32
  use(ts::add(yes, yes));  // tessera::add(a, b), a + b: requires elements that are numbers, not bool
  use(ts::subtract(x, text));  // tessera::subtract(a, b), a - b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::subtract(yes, yes));  // tessera::subtract(a, b), a - b: requires elements that are numbers, not bool
  use(ts::multiply(x, text));  // tessera::multiply(a, b), a * b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::multiply(yes, yes));  // tessera::multiply(a, b), a * b: requires elements that are numbers, not bool
  use(ts::bitwise_invert(x));  // tessera::bitwise_invert(x): requires elements that are bool or integers
  use(ts::bitwise_and(x, text));  // tessera::bitwise_and(a, b), a & b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::bitwise_or(x, text));  // tessera::bitwise_or(a, b), a | b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::bitwise_or(x, x));  // tessera::bitwise_or(a, b), a | b: requires elements that are bool or integers
  use(ts::bitwise_xor(x, text));  // tessera::bitwise_xor(a, b), a ^ b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::bitwise_xor(x, x));  // tessera::bitwise_xor(a, b), a ^ b: requires elements that are bool or integers
  use(ts::bitwise_left_shift(x, text));  // tessera::bitwise_left_shift(a, b), a << b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::bitwise_left_shift(x, x));  // tessera::bitwise_left_shift(a, b), a << b: requires elements that are integers
  use(ts::bitwise_right_shift(x, text));  // tessera::bitwise_right_shift(a, b), a >> b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::bitwise_right_shift(x, x));  // tessera::bitwise_right_shift(a, b), a >> b: requires elements that are integers
  use(ts::equal(x, text));  // tessera::equal(a, b), a == b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::not_equal(x, text));  // tessera::not_equal(a, b), a != b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::less(x, text));  // tessera::less(a, b), a < b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::less_equal(x, text));  // tessera::less_equal(a, b), a <= b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::less_equal(z, z));  // tessera::less_equal(a, b), a <= b: requires elements that have an order; complex numbers have none
  use(ts::greater(x, text));  // tessera::greater(a, b), a > b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::greater(z, z));  // tessera::greater(a, b), a > b: requires elements that have an order; complex numbers have none
  use(ts::greater_equal(x, text));  // tessera::greater_equal(a, b), a >= b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::greater_equal(z, z));  // tessera::greater_equal(a, b), a >= b: requires elements that have an order; complex numbers have none
  use(ts::real(yes));  // tessera::real(x): requires elements that are numbers, not bool
  use(ts::imag(yes));  // tessera::imag(x): requires elements that are numbers, not bool
  use(ts::conj(yes));  // tessera::conj(x): requires elements that are numbers, not bool
  use(ts::divide(x, text));  // tessera::divide(a, b), a / b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::divide(yes, yes));  // tessera::divide(a, b), a / b: requires elements that are numbers, not bool
  use(ts::reciprocal(yes));  // tessera::reciprocal(x): requires elements that are numbers, not bool
  use(ts::floor_divide(x, text));  // tessera::floor_divide(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::floor_divide(z, z));  // tessera::floor_divide(a, b): requires elements that are real numbers, not bool or complex
  use(ts::remainder(x, text));  // tessera::remainder(a, b), a % b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::remainder(z, z));  // tessera::remainder(a, b), a % b: requires elements that are real numbers, not bool or complex
  use(ts::exp(yes));  // tessera::exp(x): requires elements that are numbers, not bool
  use(ts::expm1(yes));  // tessera::expm1(x): requires elements that are numbers, not bool
  use(ts::log(yes));  // tessera::log(x): requires elements that are numbers, not bool
  use(ts::log1p(yes));  // tessera::log1p(x): requires elements that are numbers, not bool
  use(ts::log2(yes));  // tessera::log2(x): requires elements that are numbers, not bool
  use(ts::log10(yes));  // tessera::log10(x): requires elements that are numbers, not bool
  use(ts::logaddexp(x, text));  // tessera::logaddexp(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::logaddexp(z, z));  // tessera::logaddexp(a, b): requires elements that are real numbers, not bool or complex
  use(ts::min(x, 0));  // tessera::min(x, options...): requires each option to be axis<k>, keepdims, where(valid): min(x, axis<0>); minimum(a, b) compares two arrays
  use(ts::min(x, ts::axis<2>));  // tessera::min(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::min(x, ts::axis<0, -2>));  // tessera::min(x, axis<...>): requires axes that differ from each other
  use(ts::min(z));  // tessera::min(x): requires elements that have an order; complex numbers have none
  use(ts::max(x, ts::axis<2>));  // tessera::max(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::max(x, ts::axis<0, -2>));  // tessera::max(x, axis<...>): requires axes that differ from each other
  use(ts::sinh(yes));  // tessera::sinh(x): requires elements that are numbers, not bool
  use(ts::cosh(yes));  // tessera::cosh(x): requires elements that are numbers, not bool
  use(ts::tanh(yes));  // tessera::tanh(x): requires elements that are numbers, not bool
  use(ts::asinh(yes));  // tessera::asinh(x): requires elements that are numbers, not bool
  use(ts::acosh(yes));  // tessera::acosh(x): requires elements that are numbers, not bool
  use(ts::atanh(yes));  // tessera::atanh(x): requires elements that are numbers, not bool
  use(ts::logical_and(x, text));  // tessera::logical_and(a, b), a && b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::logical_and(x, x));  // tessera::logical_and(a, b), a && b: requires elements of dtype bool
  use(ts::logical_or(x, text));  // tessera::logical_or(a, b), a || b: requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::logical_or(x, x));  // tessera::logical_or(a, b), a || b: requires elements of dtype bool
  use(ts::logical_xor(x, text));  // tessera::logical_xor(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::logical_xor(x, x));  // tessera::logical_xor(a, b): requires elements of dtype bool
  use(ts::map([](double v, double) { return v; }, x, text));  // tessera::map(f, xs...): requires each of xs to be an array expression or a C++ number
  use(ts::var(x, ts::axis<2>));  // tessera::var(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::var(x, ts::axis<0, -2>));  // tessera::var(x, axis<...>): requires axes that differ from each other
  use(ts::stddev(x, 0));  // tessera::stddev(x, options...): requires each option to be axis<k>, keepdims, where(valid) or correction(n): stddev(x, axis<0>)
  use(ts::stddev(x, ts::axis<2>));  // tessera::stddev(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::square(yes));  // tessera::square(x): requires elements that are numbers, not bool
  use(ts::pow(x, text));  // tessera::pow(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::pow(yes, yes));  // tessera::pow(a, b): requires elements that are numbers, not bool
  use(ts::isnan(yes));  // tessera::isnan(x): requires elements that are numbers, not bool
  use(ts::isinf(yes));  // tessera::isinf(x): requires elements that are numbers, not bool
  use(ts::isfinite(yes));  // tessera::isfinite(x): requires elements that are numbers, not bool
  use(ts::any(x, 0));  // tessera::any(x, options...): requires each option to be axis<k>, keepdims, where(valid): any(x, axis<0>)
  use(ts::any(x, ts::axis<2>));  // tessera::any(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::any(x, ts::axis<0, -2>));  // tessera::any(x, axis<...>): requires axes that differ from each other
  use(ts::all(x, 0));  // tessera::all(x, options...): requires each option to be axis<k>, keepdims, where(valid): all(x, axis<0>)
  use(ts::all(x, ts::axis<2>));  // tessera::all(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::all(x, ts::axis<0, -2>));  // tessera::all(x, axis<...>): requires axes that differ from each other
  use(ts::ceil(z));  // tessera::ceil(x): requires elements that are real numbers, not bool or complex
  use(ts::round(yes));  // tessera::round(x): requires elements that are numbers, not bool
  use(ts::trunc(z));  // tessera::trunc(x): requires elements that are real numbers, not bool or complex
  use(ts::nextafter(x, text));  // tessera::nextafter(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::nextafter(z, z));  // tessera::nextafter(a, b): requires elements that are real numbers, not bool or complex
  use(ts::maximum(x, text));  // tessera::maximum(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::minimum(x, text));  // tessera::minimum(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::minimum(z, z));  // tessera::minimum(a, b): requires elements that have an order; complex numbers have none
  use(ts::clip(x, text, text));  // tessera::clip(x, low, high): requires each bound to be an array expression or a C++ number
  use(ts::clip(z, z, z));  // tessera::clip(x, low, high): requires elements that have an order; complex numbers have none
  use(ts::where(yes, x, text));  // tessera::where(condition, a, b): requires each operand to be an array expression or a C++ number
  use(ts::negative(yes));  // tessera::negative(x): requires elements that are numbers, not bool
  use(ts::positive(yes));  // tessera::positive(x): requires elements that are numbers, not bool
  use(ts::abs(yes));  // tessera::abs(x): requires elements that are numbers, not bool
  use(ts::sign(yes));  // tessera::sign(x): requires elements that are numbers, not bool
  use(ts::signbit(z));  // tessera::signbit(x): requires elements that are real numbers, not bool or complex
  use(ts::copysign(x, text));  // tessera::copysign(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::copysign(z, z));  // tessera::copysign(a, b): requires elements that are real numbers, not bool or complex
  use(ts::prod(x, 0));  // tessera::prod(x, options...): requires each option to be axis<k>, keepdims, where(valid): prod(x, axis<0>)
  use(ts::prod(x, ts::axis<2>));  // tessera::prod(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::prod(x, ts::axis<0, -2>));  // tessera::prod(x, axis<...>): requires axes that differ from each other
  use(ts::mean(x, ts::axis<0, -2>));  // tessera::mean(x, axis<...>): requires axes that differ from each other
  use(ts::sin(yes));  // tessera::sin(x): requires elements that are numbers, not bool
  use(ts::cos(yes));  // tessera::cos(x): requires elements that are numbers, not bool
  use(ts::tan(yes));  // tessera::tan(x): requires elements that are numbers, not bool
  use(ts::asin(yes));  // tessera::asin(x): requires elements that are numbers, not bool
  use(ts::acos(yes));  // tessera::acos(x): requires elements that are numbers, not bool
  use(ts::atan(yes));  // tessera::atan(x): requires elements that are numbers, not bool
  use(ts::atan2(x, text));  // tessera::atan2(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::atan2(z, z));  // tessera::atan2(a, b): requires elements that are real numbers, not bool or complex
  use(ts::hypot(x, text));  // tessera::hypot(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::hypot(z, z));  // tessera::hypot(a, b): requires elements that are real numbers, not bool or complex
  use(ts::erf(z));  // tessera::erf(x): requires elements that are real numbers, not bool or complex
  use(ts::erfc(z));  // tessera::erfc(x): requires elements that are real numbers, not bool or complex
  use(ts::tgamma(z));  // tessera::tgamma(x): requires elements that are real numbers, not bool or complex
  use(ts::lgamma(z));  // tessera::lgamma(x): requires elements that are real numbers, not bool or complex
  use(ts::sinc(yes));  // tessera::sinc(x): requires elements that are numbers, not bool
  use(ts::heaviside(x, text));  // tessera::heaviside(x, h): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::heaviside(z, z));  // tessera::heaviside(x, h): requires elements that are real numbers, not bool or complex
  use(ts::deg2rad(z));  // tessera::deg2rad(x): requires elements that are real numbers, not bool or complex
  use(ts::rad2deg(z));  // tessera::rad2deg(x): requires elements that are real numbers, not bool or complex
  use(ts::isclose(x, text));  // tessera::isclose(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::isclose(yes, yes));  // tessera::isclose(a, b): requires elements that are numbers, not bool
  use(ts::nan_to_num(yes));  // tessera::nan_to_num(x): requires elements that are numbers, not bool
  use(ts::fillna(x, text));  // tessera::fillna(x, value): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::fillna(yes, yes));  // tessera::fillna(x, value): requires elements that are numbers, not bool
  use(ts::gcd(x, text));  // tessera::gcd(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::gcd(x, x));  // tessera::gcd(a, b): requires elements that are integers
  use(ts::lcm(x, text));  // tessera::lcm(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::lcm(x, x));  // tessera::lcm(a, b): requires elements that are integers
  use(ts::modf(z));  // tessera::modf(x): requires elements that are real numbers, not bool or complex
  use(ts::frexp(z));  // tessera::frexp(x): requires elements that are real numbers, not bool or complex
  use(ts::ldexp(x, text));  // tessera::ldexp(x, exponent): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::ldexp(x, x));  // tessera::ldexp(x, exponent): requires real numbers, and exponents that are integers
  use(ts::cbrt(z));  // tessera::cbrt(x): requires elements that are real numbers, not bool or complex
  use(ts::exp2(z));  // tessera::exp2(x): requires elements that are real numbers, not bool or complex
  use(ts::logaddexp2(x, text));  // tessera::logaddexp2(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::logaddexp2(z, z));  // tessera::logaddexp2(a, b): requires elements that are real numbers, not bool or complex
  use(ts::fma(x, text, text));  // tessera::fma(a, b, c): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::fma(z, z, z));  // tessera::fma(a, b, c): requires elements that are real numbers, not bool or complex
  use(ts::fabs(z));  // tessera::fabs(x): requires elements that are real numbers, not bool or complex
  use(ts::fmax(x, text));  // tessera::fmax(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::fmax(z, z));  // tessera::fmax(a, b): requires elements that have an order; complex numbers have none
  use(ts::fmin(x, text));  // tessera::fmin(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::fmin(z, z));  // tessera::fmin(a, b): requires elements that have an order; complex numbers have none
  use(ts::fmod(x, text));  // tessera::fmod(a, b): requires each operand to be an array expression or a C++ number; asarray(v) is one of an ndarray
  use(ts::fmod(z, z));  // tessera::fmod(a, b): requires elements that are real numbers, not bool or complex
  use(ts::isposinf(z));  // tessera::isposinf(x): requires elements that are real numbers, not bool or complex
  use(ts::isneginf(z));  // tessera::isneginf(x): requires elements that are real numbers, not bool or complex
  use(ts::select(yes, x));  // tessera::select(condition, a, ..., otherwise): requires an array after each condition, and one for where none is true
  use(ts::choose(x, 1, 2));  // tessera::choose(index, arrays...): requires an index of integers
  use(ts::piecewise(x, yes, 1.0));  // tessera::piecewise(x, condition, f, ..., otherwise): requires a function or value after each condition, and one for where none is true
  use(ts::unstack(x, ts::axis<2>));  // tessera::unstack(x, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::split(x, 3, ts::axis<2>));  // tessera::split(x, sections, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::split(x, {1, 2}, ts::axis<2>));  // tessera::split(x, {indices}, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::array_split(x, 2, ts::axis<2>));  // tessera::array_split(x, sections, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::meshgrid(x, x));  // tessera::meshgrid(xs..., ij): requires arrays of rank 1, and at most ij after them
  use(ts::diff(x, ts::axis<2>));  // tessera::diff(x, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::diff(x, 2, ts::axis<2>));  // tessera::diff(x, n, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::gradient(x, text));  // tessera::gradient(x, options...): requires each option to be a number or array of rank 1 for the spacing, axis<k>, edge_order<1> or edge_order<2>
  use(ts::gradient(x, ts::axis<2>));  // tessera::gradient(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::gradient(x, 1, 2, 3));  // tessera::gradient(x, spacings...): requires one spacing, or one for each axis
  use(ts::with(x, ts::at(ts::newaxis), 0.0));  // tessera::with(x, at(indices...), y): requires at most as many indices as x has axes, each an integer, tessera::slice or whole
  use(ts::erase(x, 0, ts::axis<2>));  // tessera::erase(x, index, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::insert(x, 0, 1.0, ts::axis<2>));  // tessera::insert(x, index, values, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::block({{x(0)}}));  // tessera::block({{a, b}, ...}): requires arrays of rank 2 or more
  use(ts::argmin(x, ts::axis<0, 1>));  // tessera::argmin(x, options...): requires each option to be axis<k>, one axis of x or none for all, keepdims or where(valid): argmin(x, axis<0>)
  use(ts::argmin(z));  // tessera::argmin(x): requires elements that have an order; complex numbers have none
  use(ts::argmax(x, ts::axis<0, 1>));  // tessera::argmax(x, options...): requires each option to be axis<k>, one axis of x or none for all, keepdims or where(valid): argmax(x, axis<0>)
  use(ts::argmax(z));  // tessera::argmax(x): requires elements that have an order; complex numbers have none
  use(ts::nanargmin(x, ts::axis<0, 1>));  // tessera::nanargmin(x, options...): requires each option to be axis<k>, one axis of x or none for all, keepdims or where(valid): nanargmin(x, axis<0>)
  use(ts::nanargmin(z));  // tessera::nanargmin(x): requires elements that have an order; complex numbers have none
  use(ts::nanargmax(x, ts::axis<0, 1>));  // tessera::nanargmax(x, options...): requires each option to be axis<k>, one axis of x or none for all, keepdims or where(valid): nanargmax(x, axis<0>)
  use(ts::nanargmax(z));  // tessera::nanargmax(x): requires elements that have an order; complex numbers have none
  use(ts::first(x, ts::axis<0, 1>));  // tessera::first(x, options...): requires each option to be axis<k>, one axis of x or none for all, keepdims or where(valid): first(x, axis<0>)
  use(ts::last(x, ts::axis<0, 1>));  // tessera::last(x, options...): requires each option to be axis<k>, one axis of x or none for all, keepdims or where(valid): last(x, axis<0>)
  use(ts::nansum(x, 0));  // tessera::nansum(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): nansum(x, axis<0>)
  use(ts::nanprod(x, 0));  // tessera::nanprod(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): nanprod(x, axis<0>)
  use(ts::nanmin(x, 0));  // tessera::nanmin(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): nanmin(x, axis<0>)
  use(ts::nanmin(z));  // tessera::nanmin(x): requires elements that have an order; complex numbers have none
  use(ts::nanmax(x, 0));  // tessera::nanmax(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): nanmax(x, axis<0>)
  use(ts::nanmax(z));  // tessera::nanmax(x): requires elements that have an order; complex numbers have none
  use(ts::nanmean(x, 0));  // tessera::nanmean(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): nanmean(x, axis<0>)
  use(ts::nanvar(x, 0));  // tessera::nanvar(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims, where(valid) or correction(n): nanvar(x, axis<0>)
  use(ts::nanstd(x, 0));  // tessera::nanstd(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims, where(valid) or correction(n): nanstd(x, axis<0>)
  use(ts::count_nonzero(x, ts::axis<0, 0>));  // tessera::count_nonzero(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): count_nonzero(x, axis<0>)
  use(ts::count(x, ts::axis<0, 0>));  // tessera::count(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): count(x, axis<0>)
  use(ts::moment(x, 3, ts::axis<0, 0>));  // tessera::moment(x, order, options...): requires an array of real numbers, and each option to be axis<k>, of axes of x that differ, keepdims or where(valid)
  use(ts::ptp(x, ts::axis<0, 0>));  // tessera::ptp(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): ptp(x, axis<0>)
  use(ts::ptp(z));  // tessera::ptp(x): requires elements that are real numbers, not bool or complex; astype<T>(x) converts them
  use(ts::skew(x, ts::axis<0, 0>));  // tessera::skew(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): skew(x, axis<0>)
  use(ts::skew(z));  // tessera::skew(x): requires elements that are real numbers, not bool or complex; astype<T>(x) converts them
  use(ts::kurtosis(x, ts::axis<0, 0>));  // tessera::kurtosis(x, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): kurtosis(x, axis<0>)
  use(ts::kurtosis(z));  // tessera::kurtosis(x): requires elements that are real numbers, not bool or complex; astype<T>(x) converts them
  use(ts::average(x, x, 0));  // tessera::average(x, weights, options...): requires each option to be axis<k>, of axes of x that differ, keepdims or where(valid): average(x, w, axis<0>)
  use(ts::average(x, x(0)));  // tessera::average(x, weights, options...): requires weights of the rank of x, or weights of rank 1 and the one axis that they are along
  use(ts::sum(x, ts::where(x)));  // tessera::where(valid): requires a lazy array of dtype bool: mean(x, where(x > 0)); where(condition, a, b) chooses elements
  use(ts::sum(x(0), ts::where(yes)));  // tessera: where(valid): requires valid to have the shape of x, or one that is broadcast to it: a rank of at most that of x
  use(ts::topk(x, 2));  // tessera::topk(x, k, axis<...>): requires one axis of x: topk(x, 5, axis<0>)
  use(ts::topk(z, 2, ts::axis<0>));  // tessera::topk(x, k): requires elements that have an order; complex numbers have none
  use(ts::argtopk(x, 2));  // tessera::argtopk(x, k, axis<...>): requires one axis of x: argtopk(x, 5, axis<0>)
  use(ts::argtopk(z, 2, ts::axis<0>));  // tessera::argtopk(x, k): requires elements that have an order; complex numbers have none
  use(ts::groupby_reduce(x, x, ts::op::sum{}, 3));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires labels of integers: a lazy array, or a std::tuple of them
  use(ts::groupby_reduce(x, i, ts::op::sum{}, {3, 3}));  // tessera::groupby_reduce(x, labels, fold, {n, ...}, axis<...>): requires one number of groups for each array of labels
  use(ts::groupby_reduce(x, i, ts::op::sum{}, 3, ts::keepdims));  // tessera::groupby_reduce(x, labels, fold, n, options...): requires each option to be axis<k>, of axes of x that differ, or where(valid)
  use(ts::groupby_reduce(x, i(0), ts::op::sum{}, 3));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires labels of the rank of x, or of rank 1 and the one axis that they are along
  use(ts::groupby_reduce(z, i, ts::op::max{}, 3));  // tessera::groupby_reduce(x, labels, fold, n, axis<...>): requires fold to be a tag as op::mean{}, of a reduction that takes elements of x, or a monoid with one result
  use(ts::bincount(x, 3));  // tessera::bincount(x, n): requires elements that are integers
  use(ts::bincount(i, 3, x(0)));  // tessera::bincount(x, n, weights): requires a weight for each element of x
  use(ts::digitize(z, edges));  // tessera::digitize(x, edges): requires elements that are real numbers; astype<T>(x) converts them
  use(ts::histogram(z, edges));  // tessera::histogram(x, edges): requires an array of real numbers; astype<T>(x) converts them
  use(ts::histogram(x, edges, ts::weights(x(0))));  // tessera::histogram(x, edges, weights(w)): requires weights of the rank of x
  use(ts::histogram(z, ts::bins{3, 0, 1}));  // tessera::histogram(x, bins): requires an array of real numbers; astype<T>(x) converts them
  use(ts::histogram(x, ts::bins{3, 0, 1}, ts::weights(x(0))));  // tessera::histogram(x, bins, weights(w)): requires weights of the rank of x
  use(ts::histogramdd(std::tuple{z}, std::tuple{ts::bins{3, 0, 1}}));  // tessera::histogramdd({x, ...}, {bins, ...}): requires lazy arrays of real numbers, and bins or edges for each
  use(ts::histogramdd(std::tuple{x}, std::tuple{ts::bins{3, 0, 1}}, ts::weights(x(0))));  // tessera::histogramdd(xs, bins, weights(w)): requires weights of the rank of the arrays
  use(ts::reduction(monoid_of_sum{}, m));  // tessera::reduction(m, xs..., options...): requires lazy arrays behind m; asarray(x) is one of the ndarray x
  use(ts::reduction([s = 1.0](double v) { return v + s; }, x));  // tessera::reduction(m, xs...): requires an m that holds nothing: its functions are static, and depend on their arguments alone
  use(ts::reduction(monoid_of_nothing{}, x));  // tessera::reduction(m, xs...): requires m to name its state, an element type or a std::tuple of them: using state = double
  use(ts::reduction(monoid_of_state{}, x));  // tessera::reduction(m, xs...): requires m to have the state that has taken nothing: static constexpr state identity = 0
  use(ts::reduction(monoid_of_sum{}, x, x));  // tessera::reduction(m, xs...): requires m.take(state, one element of each of xs) to return its state
  use(ts::reduction(monoid_of_take{}, x));  // tessera::reduction(m, xs...): requires m.merge(state, state) to return its state
  use(ts::reduction(monoid_of_text{}, x));  // tessera::reduction(m, xs...): requires m.finish(state) to return an element, or a std::tuple of them
  use(ts::reduction(monoid_of_sum{}, x, 0));  // tessera::reduction(m, xs..., options...): requires each option to be axis<k>, of axes of xs that differ, keepdims or where(valid): reduction(m, x, axis<0>)
  use(ts::correlate(x, {1.0}, ts::axis<2>));  // tessera::correlate(x, weights, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::convolve(x, {1.0}, ts::axis<2>));  // tessera::convolve(x, weights, axis<k>): requires an axis in [-rank, rank) of x
  use(ts::expand_groups(x, ts::grouping{}, ts::axis<2>));  // tessera::expand_groups(x, groups, axis<k>): requires an axis in [-rank, rank)
  use(ts::fftshift(x, ts::axis<2>));  // tessera::fftshift(x, axis<...>): requires every axis to be in [-rank, rank) of x
  use(ts::ifftshift(x, ts::axis<2>));  // tessera::ifftshift(x, axis<...>): requires every axis to be in [-rank, rank) of x
}
