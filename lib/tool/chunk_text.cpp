// SPDX-License-Identifier: Apache-2.0
#include "tool/chunk_text.hpp"

#include "tessera/core/error.hpp"

#include "core/api/nearest_name.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <utility>

namespace tessera::tool {

namespace {

constexpr index_t whole_axis = 0;

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t comma = std::min(text.find(','), text.size());
    parts.push_back(text.substr(0, comma));
    if (comma == text.size()) return parts;
    text.remove_prefix(comma + 1);
  }
}

index_t length_of(const std::string& option, std::string_view text) {
  if (text == "all") return whole_axis;
  index_t length = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), length);
  if (failure == std::errc{} && end == text.data() + text.size() && length > 0) return length;
  throw value_error(
      fmt::format("{}: '{}' is no length of a chunk: write a number of elements from 1 on, or all",
                  option, text));
}

/// Returns the distinct dimensions of `arrays`: "time (350640), latitude (721)".
std::string dimensions_of(const std::vector<const array_description*>& arrays) {
  std::vector<std::string> dimensions;
  for (const array_description* x : arrays) {
    const std::vector<std::string>& names = x->dimension_names;
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      std::string text = fmt::format("{} ({})", names[axis], x->grid.shape()[axis]);
      if (!names[axis].empty() && std::ranges::find(dimensions, text) == dimensions.end()) {
        dimensions.push_back(std::move(text));
      }
    }
  }
  return fmt::format("{}", fmt::join(dimensions, ", "));
}

}  // namespace

wanted_chunks::wanted_chunks(std::string option, std::string_view text)
    : option_(std::move(option)) {
  for (const std::string_view part : split(text)) {
    const std::size_t equals = part.rfind('=');
    if (equals == std::string_view::npos) {
      lengths_.push_back(length_of(option_, part));
      continue;
    }
    names_.emplace_back(part.substr(0, equals));
    lengths_.push_back(length_of(option_, part.substr(equals + 1)));
    if (std::count(names_.begin(), names_.end(), names_.back()) > 1) {
      throw value_error(
          fmt::format("{}: '{}' is there twice; say it once", option_, names_.back()));
    }
  }
  if (names_.empty() || names_.size() == lengths_.size()) return;
  throw value_error(
      fmt::format("{}: '{}' names some dimensions and not others; write time=8760,latitude=72 or, "
                  "for all by position, 8760,72,144",
                  option_, text));
}

void wanted_chunks::set_lengths(const array_description& x, index_vector& lengths) const {
  if (!are_named()) {
    if (lengths_.size() != x.grid.rank()) {
      throw shape_error(
          fmt::format("{}: {} length{} given for {} of shape {}; give one for each of its {} axes",
                      option_, lengths_.size(), lengths_.size() == 1 ? " is" : "s are", x.name,
                      format_shape(x.grid.shape()), x.grid.rank()));
    }
    std::ranges::copy(lengths_, lengths.begin());
    return;
  }
  const std::vector<std::string>& names = x.dimension_names;
  for (std::size_t i = 0; i < names_.size(); ++i) {
    for (std::size_t axis = 0; axis < names.size(); ++axis) {
      if (names[axis] == names_[i]) lengths[axis] = lengths_[i];
    }
  }
}

index_vector wanted_chunks::of(const array_description& x) const {
  index_vector chunks = x.chunks;
  set_lengths(x, chunks);
  for (std::size_t axis = 0; axis < chunks.size(); ++axis) {
    if (chunks[axis] == whole_axis) chunks[axis] = std::max<index_t>(1, x.grid.shape()[axis]);
  }
  return chunks;
}

index_vector wanted_chunks::shards_of(const array_description& x, const index_vector& chunks,
                                      const index_vector& shards) const {
  index_vector lengths = shards.empty() ? chunks : shards;
  set_lengths(x, lengths);
  for (std::size_t axis = 0; axis < lengths.size(); ++axis) {
    if (lengths[axis] != whole_axis) continue;
    const index_t extent = std::max<index_t>(1, x.grid.shape()[axis]);
    lengths[axis] = (extent + chunks[axis] - 1) / chunks[axis] * chunks[axis];
  }
  return lengths;
}

void wanted_chunks::require_names(const std::vector<const array_description*>& arrays) const {
  std::vector<std::string> known;
  for (const array_description* x : arrays) {
    for (const std::string& name : x->dimension_names) known.push_back(name);
  }
  std::erase(known, "");
  const std::vector<std::string_view> views(known.begin(), known.end());
  for (const std::string& name : names_) {
    if (std::ranges::find(known, name) != known.end()) continue;
    if (known.empty()) {
      throw value_error(
          fmt::format("{}: '{}' is no dimension: those of {} have no names; write lengths by "
                      "position, as 8760,72,144",
                      option_, name, arrays.empty() ? "nothing" : arrays.front()->name));
    }
    throw value_error(fmt::format("{}: '{}' is no dimension{}; there are {}", option_, name,
                                  did_you_mean(name, views), dimensions_of(arrays)));
  }
}

}  // namespace tessera::tool
