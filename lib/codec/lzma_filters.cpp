// SPDX-License-Identifier: Apache-2.0
#include "codec/lzma_filters.hpp"

#include "tessera/core/error.hpp"

#include "json/values.hpp"

#include <algorithm>
#include <bit>
#include <fmt/format.h>
#include <limits>

namespace tessera::detail {

namespace {

bool is_lzma(lzma_vli id) { return id == LZMA_FILTER_LZMA1 || id == LZMA_FILTER_LZMA2; }
bool is_branch(lzma_vli id) { return id >= LZMA_FILTER_X86 && id <= LZMA_FILTER_SPARC; }

/// The members of one filter's object.
class filter_reader {
 public:
  filter_reader(const nlohmann::json& object, std::size_t position)
      : object_(object), position_(position) {
    if (!object.is_object()) refuse("a JSON object with an \"id\"");
  }

  /// Returns a member that must be in [least, greatest], or `otherwise` if it is absent.
  [[nodiscard]] std::uint64_t number(const char* name, std::uint64_t otherwise, std::uint64_t least,
                                     std::uint64_t greatest) const {
    const auto member = object_.find(name);
    if (member == object_.end() || member->is_null()) return otherwise;
    const auto value = static_cast<std::uint64_t>(fields::integer_if(*member).value_or(-1));
    if (value >= least && value <= greatest) return value;
    refuse(fmt::format("an integer in [{}, {}] as \"{}\"", least, greatest, name));
  }

  void allow_only(std::initializer_list<std::string_view> known) const {
    for (const auto& [name, value] : object_.items()) {
      if (name == "id" || std::find(known.begin(), known.end(), name) != known.end()) continue;
      refuse(fmt::format("a filter with none but the members {}", fmt::join(known, ", ")));
    }
  }

  [[noreturn]] void refuse(std::string_view expected) const {
    throw codec_error(fmt::format(
        "codec lzma: \"filters[{}]\" must be {}, found {}", position_, expected,
        object_.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 80)));
  }

 private:
  const nlohmann::json& object_;
  std::size_t position_;
};

lzma_options_lzma read_lzma(const filter_reader& reader) {
  reader.allow_only({"preset", "dict_size", "lc", "lp", "pb", "mode", "nice_len", "mf", "depth"});
  lzma_options_lzma options{};
  constexpr std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  const auto number = [&](const char* name, std::uint32_t otherwise, std::uint64_t least,
                          std::uint64_t greatest) {
    return static_cast<std::uint32_t>(reader.number(name, otherwise, least, greatest));
  };
  // A preset may carry the flag "extreme", the highest bit.
  if (lzma_lzma_preset(&options, number("preset", LZMA_PRESET_DEFAULT, 0, most)) != 0) {
    reader.refuse("a filter with a preset that there is");
  }
  // The greatest dictionary of an encoder.
  constexpr std::uint64_t greatest_dictionary = (std::uint64_t{1} << 30) + (std::uint64_t{1} << 29);
  options.dict_size =
      number("dict_size", options.dict_size, LZMA_DICT_SIZE_MIN, greatest_dictionary);
  options.lc = number("lc", options.lc, LZMA_LCLP_MIN, LZMA_LCLP_MAX);
  options.lp = number("lp", options.lp, LZMA_LCLP_MIN, LZMA_LCLP_MAX);
  options.pb = number("pb", options.pb, LZMA_PB_MIN, LZMA_PB_MAX);
  options.mode = static_cast<lzma_mode>(number("mode", options.mode, 1, 2));
  options.nice_len = number("nice_len", options.nice_len, 2, 273);
  options.mf = static_cast<lzma_match_finder>(number("mf", options.mf, 3, 20));
  options.depth = number("depth", options.depth, 0, most);
  if (options.lc + options.lp > LZMA_LCLP_MAX) reader.refuse("a filter with lc + lp <= 4");
  if (lzma_mf_is_supported(options.mf) == 0) reader.refuse("a filter with an mf that there is");
  return options;
}

}  // namespace

lzma_filter_chain::lzma_filter_chain(int preset, bool is_old) {
  options_of_filter options;
  if (lzma_lzma_preset(&options.lzma, static_cast<std::uint32_t>(preset)) != 0) {
    throw codec_error(fmt::format("codec lzma: \"preset\" {} is not supported", preset));
  }
  add(is_old ? LZMA_FILTER_LZMA1 : LZMA_FILTER_LZMA2, options);
}

lzma_filter_chain::lzma_filter_chain(const option_reader& options) {
  const nlohmann::json& list = options.raw("filters");
  if (!list.is_array() || list.empty() || list.size() > LZMA_FILTERS_MAX) {
    options.refuse("filters", "a list of 1 to 4 filters");
  }
  for (std::size_t position = 0; position < list.size(); ++position) {
    const filter_reader reader(list[position], position);
    constexpr auto most = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const lzma_vli id = reader.number("id", 0, 1, most);
    options_of_filter read;
    if (is_lzma(id)) {
      read.lzma = read_lzma(reader);
    } else if (id == LZMA_FILTER_DELTA) {
      reader.allow_only({"dist"});
      read.delta.type = LZMA_DELTA_TYPE_BYTE;
      read.delta.dist = static_cast<std::uint32_t>(
          reader.number("dist", 1, LZMA_DELTA_DIST_MIN, LZMA_DELTA_DIST_MAX));
    } else if (is_branch(id)) {
      reader.allow_only({"start_offset"});
      read.bcj.start_offset = static_cast<std::uint32_t>(
          reader.number("start_offset", 0, 0, std::numeric_limits<std::uint32_t>::max()));
    } else {
      reader.refuse("a filter whose \"id\" is that of delta, of a branch converter or of LZMA");
    }
    // A chain ends with LZMA and has it nowhere else.
    if (is_lzma(id) != (position + 1 == list.size()))
      reader.refuse("LZMA if and only if it is last");
    add(id, read);
  }
}

lzma_filter_chain& lzma_filter_chain::operator=(const lzma_filter_chain& chain) {
  options_ = chain.options_;
  filters_ = chain.filters_;
  size_ = chain.size_;
  point_to_own_options();
  return *this;
}

void lzma_filter_chain::shrink(std::size_t decoded_size) {
  const std::size_t enough = std::bit_ceil(std::max<std::size_t>(decoded_size, LZMA_DICT_SIZE_MIN));
  for (std::size_t i = 0; i < size_; ++i) {
    std::uint32_t& size = options_[i].lzma.dict_size;
    if (is_lzma(filters_[i].id) && size > enough) size = static_cast<std::uint32_t>(enough);
  }
}

void lzma_filter_chain::add(lzma_vli id, const options_of_filter& options) {
  options_[size_] = options;
  filters_[size_].id = id;
  ++size_;
  filters_[size_].id = LZMA_VLI_UNKNOWN;
  point_to_own_options();
}

void lzma_filter_chain::point_to_own_options() {
  for (std::size_t i = 0; i < size_; ++i) {
    options_of_filter& options = options_[i];
    void* const lzma_or_branch = is_lzma(filters_[i].id) ? static_cast<void*>(&options.lzma)
                                                         : static_cast<void*>(&options.bcj);
    filters_[i].options = filters_[i].id == LZMA_FILTER_DELTA ? &options.delta : lzma_or_branch;
  }
}

}  // namespace tessera::detail
