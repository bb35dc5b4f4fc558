// SPDX-License-Identifier: Apache-2.0
#include "tessera/storage/chunk_buffers.hpp"
#include "tessera/tessera.hpp"

#include "unit/array/support.hpp"

#include <cmath>
#include <cstdint>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<std::int64_t> labels(const grouping& groups) {
  return {groups.labels.span().begin(), groups.labels.span().end()};
}

std::vector<std::string> texts(const time_axis& axis) {
  std::vector<std::string> result;
  for (const auto& when : axis) result.push_back(when ? to_string(*when) : "missing");
  return result;
}

std::vector<std::string> texts(const std::vector<date_time>& dates) {
  std::vector<std::string> result;
  for (const date_time& when : dates) result.push_back(to_string(when));
  return result;
}

time_axis days(std::vector<double> values, const std::string& calendar = "standard") {
  return decode_times(
      ndarray<double, 1>({static_cast<index_t>(values.size())}, std::span<const double>(values)),
      "days since 2000-01-01", calendar);
}

// Random times of all calendars are compared with cftime elsewhere.

TEST(Times, AreCountedInTheirCalendar) {
  EXPECT_THAT(texts(days({58, 59, 60, 366})),
              ElementsAre("2000-02-28 00:00:00", "2000-02-29 00:00:00", "2000-03-01 00:00:00",
                          "2001-01-01 00:00:00"));
  EXPECT_THAT(texts(days({58, 59, 365}, "noleap")),
              ElementsAre("2000-02-28 00:00:00", "2000-03-01 00:00:00", "2001-01-01 00:00:00"));
  EXPECT_THAT(texts(days({59, 360.25}, "360_day")),
              ElementsAre("2000-02-30 00:00:00", "2001-01-01 06:00:00"));
}

TEST(Times, OfIntegersAreExact) {
  const ndarray<std::int64_t, 1> ns({3}, {-1, 1, 1'700'000'000'123'456'789});
  EXPECT_THAT(texts(decode_times(ns, "nanoseconds since 1970-01-01")),
              ElementsAre("1969-12-31 23:59:59.999999", "1970-01-01 00:00:00",
                          "2023-11-14 22:13:20.123456"));
}

TEST(Times, AreEncodedAsTheyAreDecoded) {
  const std::vector<date_time> dates{{.year = 2000, .month = 2, .day = 30}, {.year = 1999}};
  const ndarray<double, 1> days = encode_times(dates, "days since 2000-01-01", "360_day");
  EXPECT_EQ(days(0), 59);
  EXPECT_EQ(days(1), -360);
  const std::vector<date_time> noon{{.year = 2000, .hour = 12, .microsecond = 500'000}};
  EXPECT_EQ(encode_times(noon, "s since 2000-01-01 12:00 +01:00")(0), 3600.5);
  EXPECT_THAT([&] { static_cast<void>(encode_times(dates, "days since 2000-01-01")); },
              ThrowsMessage<value_error>(HasSubstr("standard has no 2000-02-30")));
}

TEST(Times, ThatAreNotANumberAreMissing) {
  const time_axis axis = days({0, std::nan(""), 40});
  EXPECT_THAT(texts(axis), ElementsAre("2000-01-01 00:00:00", "missing", "2000-02-10 00:00:00"));
  EXPECT_THAT(labels(months(axis)), ElementsAre(0, -1, 1));
  EXPECT_THAT(labels(years(axis)), ElementsAre(0, -1, 0));
  EXPECT_THAT(labels(resample(axis, period::month)), ElementsAre(0, -1, 1));
}

TEST(Times, OfUnknownUnitsAreRefusedWithTheRemedy) {
  const ndarray<double, 1> none({1}, {0});
  const auto decode = [&none](const char* units, const char* calendar = "standard") {
    return [&none, units, calendar] { static_cast<void>(decode_times(none, units, calendar)); };
  };
  EXPECT_THAT(decode("fortnights since 2000-01-01"),
              ThrowsMessage<value_error>(HasSubstr("begin with days, hours")));
  EXPECT_THAT(decode("days after 2000-01-01"),
              ThrowsMessage<value_error>(HasSubstr("like \"hours since 1970-01-01 00:00:00\"")));
  EXPECT_THAT(decode("months since 2000-01-01"),
              ThrowsMessage<value_error>(HasSubstr("the calendar 360_day alone")));
  EXPECT_THAT(decode("days since 2000-02-30"),
              ThrowsMessage<value_error>(HasSubstr("standard has no 2000-02-30 00:00:00")));
  EXPECT_THAT(decode("days since 1582-10-10"),
              ThrowsMessage<value_error>(HasSubstr("standard has no 1582-10-10")));
  EXPECT_THAT(decode("days since 2000-01-01", "mayan"),
              ThrowsMessage<value_error>(HasSubstr("\"mayan\" is no calendar")));
  const ndarray<double, 1> far({2}, {1e300, std::numeric_limits<double>::infinity()});
  EXPECT_THAT([&] { static_cast<void>(decode_times(far, "days since 2000-01-01")); },
              ThrowsMessage<value_error>(HasSubstr("more than 290,000 years")));
  const ndarray<std::uint64_t, 1> large({1}, {std::numeric_limits<std::uint64_t>::max()});
  EXPECT_THAT([&] { static_cast<void>(decode_times(large, "ns since 2000-01-01")); },
              ThrowsMessage<value_error>(HasSubstr("18446744073709551615")));
}

TEST(Times, ArePartsOfDatesAsGroups) {
  const time_axis axis = days({0, 31, 59, 60, 335, 365, 366});
  EXPECT_THAT(labels(months(axis)), ElementsAre(0, 1, 1, 2, 11, 11, 0));
  EXPECT_EQ(months(axis).size(), 12);
  EXPECT_EQ(months(axis).keys.front(), 1);
  EXPECT_THAT(labels(seasons(axis)), ElementsAre(0, 0, 0, 1, 0, 0, 0));
  EXPECT_THAT(labels(days_of_year(axis)), ElementsAre(0, 31, 59, 60, 335, 365, 0));
  EXPECT_EQ(days_of_year(axis).size(), 366);
  EXPECT_EQ(days_of_year(days({}, "360_day")).size(), 360);
  EXPECT_THAT(labels(years(axis)), ElementsAre(0, 0, 0, 0, 0, 0, 1));
  EXPECT_THAT(years(axis).keys, ElementsAre(2000, 2001));
  EXPECT_EQ(years(days({})).size(), 0);
}

TEST(Times, AreResampledAsPandasDoes) {
  const time_axis axis = days({20.5, 31, 120.25, 121});
  const resampling monthly = resample(axis, period::month);
  EXPECT_THAT(labels(monthly), ElementsAre(0, 1, 3, 4));
  EXPECT_THAT(texts(monthly.starts),
              ElementsAre("2000-01-01 00:00:00", "2000-02-01 00:00:00", "2000-03-01 00:00:00",
                          "2000-04-01 00:00:00", "2000-05-01 00:00:00"));
  EXPECT_THAT(labels(resample(axis, period::month, 2)), ElementsAre(0, 0, 1, 2));
  const resampling seasonal = resample(axis, period::season);
  EXPECT_THAT(labels(seasonal), ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(texts(seasonal.starts), ElementsAre("1999-12-01 00:00:00", "2000-03-01 00:00:00"));
  EXPECT_THAT(labels(resample(axis, period::year)), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(labels(resample(axis, period::day, 10)), ElementsAre(0, 1, 10, 10));
  const resampling by_hour = resample(days({0.5, 0.75, 1}), period::hour, 6);
  EXPECT_THAT(labels(by_hour), ElementsAre(0, 1, 2));
  EXPECT_EQ(to_string(by_hour.starts.front()), "2000-01-01 12:00:00");
  EXPECT_EQ(resample(days({}), period::day).size(), 0);
}

TEST(Groups, AreReducedAndExpandedAgain) {
  const grouping groups = months(days({0, 31, 60, 61, 366, 367, 398}));
  const auto x =
      asarray(ndarray<double, 2>::of({{1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 0}, {5, 1}, {2, 2}}));
  const auto sums = groupby_reduce(x, groups, op::sum{}, axis<0>);
  EXPECT_THAT(sums.shape(), ElementsAre(12, 2));
  const ndarray<double, 2> anomaly = x - expand_groups(sums, groups, axis<0>);
  // January is 1 + 9 + 5, February 3 + 2, March 5 + 7.
  EXPECT_THAT(anomaly.span(), ElementsAre(1 - 15, 2 - 3, 3 - 5, 4 - 6, 5 - 12, 6 - 14, 7 - 12,
                                          8 - 14, 9 - 15, 0 - 3, 5 - 15, 1 - 3, 2 - 5, 2 - 6));
}

TEST(Groups, ThatAreNoneOrTooFewAreNotExpanded) {
  const auto x = zeros<double>({2, 12});
  EXPECT_THAT([&] { static_cast<void>(expand_groups(x, months(days({0})), axis<0>)); },
              ThrowsMessage<shape_error>(HasSubstr("there are 12 groups")));
  EXPECT_THAT(
      [&] {
        static_cast<void>(expand_groups(x, months(days({0, std::nan("")})), axis<1>));
      },
      ThrowsMessage<value_error>(HasSubstr("position 1 has no group")));
}

TEST(Times, ThatGoBackAreNotResampled) {
  EXPECT_THAT(
      [] {
        static_cast<void>(resample(days({3, 2}), period::day));
      },
      ThrowsMessage<value_error>(HasSubstr("2000-01-03 00:00:00 at 1 is before 2000-01-04")));
  EXPECT_THAT([] { static_cast<void>(resample(days({3}), period::day, 0)); },
              ThrowsMessage<value_error>(HasSubstr("at least 1")));
}

class StoredTimes : public testing::Test {
 protected:
  /// Creates an array of `type` that holds `elements`.
  template <class T>
  zarr_array make(const data_type& type, const std::vector<T>& elements,
                  const attributes& attributes, std::optional<element_bytes> fill = {}) {
    const auto size = static_cast<index_t>(elements.size());
    const zarr_array stored = zarr_array::create(
        store_, "time" + std::to_string(count_++),
        {.shape = {size}, .chunks = {size}, .dtype = type, .fill_value = std::move(fill)},
        attributes);
    chunk_buffers buffers(stored);
    stored.write_region(region::whole(stored.shape()), std::as_bytes(std::span(elements)),
                        buffers.decoded(), buffers.encoded());
    return stored;
  }

  std::shared_ptr<memory_store> store_ = std::make_shared<memory_store>();
  int count_ = 0;
};

TEST_F(StoredTimes, AreReadByTheirAttributes) {
  const zarr_array axis = make<std::int32_t>(dtype::int32, {0, 31, -999, -1},
                                             {{"units", std::string("days since 1850-01-01")},
                                              {"calendar", std::string("noleap")},
                                              {"_FillValue", std::int64_t{-999}}});
  EXPECT_THAT(texts(read_times(axis)), ElementsAre("1850-01-01 00:00:00", "1850-02-01 00:00:00",
                                                   "missing", "1849-12-31 00:00:00"));
}

// xarray puts the `_FillValue` of an encoding into `.zarray`, and writes NaT as the least int64 if
// there is none. The values come from xarray 2023.1.
TEST_F(StoredTimes, AreMissingWhereXarrayFindsNoTime) {
  const attributes hours{{"units", std::string("hours since 2000-01-01")}};
  const auto first_missing = [&](const zarr_array& axis) {
    EXPECT_THAT(texts(read_times(axis)), ElementsAre("missing", "2000-01-03 00:00:00"))
        << axis.metadata().to_json();
  };
  first_missing(make<std::int64_t>(dtype::int64, {-9999, 48}, hours, std::int64_t{-9999}));
  first_missing(make<double>(dtype::float64, {1e20, 48}, hours, 1e20));
  first_missing(make<float>(dtype::float32, {1e20F, 48}, hours, 1e20F));
  first_missing(make<std::int64_t>(dtype::int64, {not_a_time, 48}, hours));
  first_missing(make<std::uint64_t>(dtype::uint64, {std::uint64_t{1} << 63, 48}, hours,
                                    std::uint64_t{1} << 63));
  // 2^53 + 1 is no double, and differs from 2^53 all the same.
  attributes nanoseconds{{"units", std::string("nanoseconds since 2000-01-01")}};
  nanoseconds.set("missing_value", std::int64_t{9007199254740993});
  const zarr_array near =
      make<std::int64_t>(dtype::int64, {9007199254740993, 9007199254740992}, nanoseconds);
  EXPECT_THAT(texts(read_times(near)), ElementsAre("missing", "2000-04-14 05:59:59.254740"));
}

// CF conventions 1.10, section 2.6.
TEST(Times, HaveCalendarsInLettersOfAnyCase) {
  const ndarray<double, 1> one_time({1}, {59});
  for (const char* name : {"Gregorian", "STANDARD", "Proleptic_Gregorian", "NoLeap", "365_DAY"}) {
    const bool has_leap_day =
        std::string_view(name) != "NoLeap" && std::string_view(name) != "365_DAY";
    EXPECT_THAT(texts(decode_times(one_time, "days since 2000-01-01", name)),
                ElementsAre(has_leap_day ? "2000-02-29 00:00:00" : "2000-03-01 00:00:00"));
  }
}

TEST(Times, OfAChunkThatIsNotStoredAreThoseOfTheOptions) {
  const test::scratch_directory folder;
  const std::string path = folder / "time";
  static_cast<void>(zarr_array::create(
      path, {.shape = {1}, .chunks = {1}, .dtype = dtype::int64, .fill_value = std::nullopt},
      {{"units", std::string("days since 2000-01-01")}}));
  EXPECT_THROW(static_cast<void>(open_times(path)), zarr_error);
  EXPECT_THAT(texts(open_times(path, {.missing = missing_chunks::fill})),
              ElementsAre("2000-01-01 00:00:00"));
}

TEST_F(StoredTimes, OfNumpyAreReadInTheirUnits) {
  const auto nat = std::numeric_limits<std::int64_t>::min();
  EXPECT_THAT(texts(read_times(make<std::int64_t>(data_type::datetime64("ns"),
                                                  {0, nat, 951'782'400'000'000'000}, {}))),
              ElementsAre("1970-01-01 00:00:00", "missing", "2000-02-29 00:00:00"));
  EXPECT_THAT(texts(read_times(make<std::int64_t>(data_type::datetime64("D", 7), {1}, {}))),
              ElementsAre("1970-01-08 00:00:00"));
  EXPECT_THAT(texts(read_times(make<std::int64_t>(data_type::datetime64("M"), {-1, 362}, {}))),
              ElementsAre("1969-12-01 00:00:00", "2000-03-01 00:00:00"));
  EXPECT_THAT(texts(read_times(make<std::int64_t>(data_type::datetime64("Y"), {30}, {}))),
              ElementsAre("2000-01-01 00:00:00"));
  EXPECT_THAT(texts(read_times(make<std::int64_t>(data_type::datetime64("m"), {90}, {}))),
              ElementsAre("1970-01-01 01:30:00"));
}

TEST_F(StoredTimes, KeepTheirAxisBesideExpandedGroups) {
  const auto name = [](const std::string& axis) {
    return store_options{.dimension_names = {axis}};
  };
  store(ones<double>({36}), store_, "t", name("time"));
  store(ones<double>({12}), store_, "climatology", name("month"));
  const auto groups = months(days(std::vector<double>(36, 40)));
  const auto expanded = expand_groups(open<double, 1>(store_, "climatology"), groups, axis<0>);
  EXPECT_THAT(expanded.dimension_names(), ElementsAre(""));
  EXPECT_THAT((open<double, 1>(store_, "t") - expanded).dimension_names(), ElementsAre("time"));
}

TEST_F(StoredTimes, WithoutUnitsAreRefused) {
  const zarr_array axis = make<double>(dtype::float64, {0}, {});
  EXPECT_THAT([&] { static_cast<void>(read_times(axis)); },
              ThrowsMessage<value_error>(HasSubstr("no attribute \"units\"")));
  const zarr_array flags =
      make<std::uint8_t>(dtype::boolean, {0}, {{"units", std::string("days since 2000-01-01")}});
  EXPECT_THAT([&] { static_cast<void>(read_times(flags)); },
              ThrowsMessage<dtype_error>(HasSubstr("holds bool elements")));
}

}  // namespace
}  // namespace tessera
