// SPDX-License-Identifier: Apache-2.0
/// \file
/// Zarr arrays as sources and sinks of elements.

#include "tessera/core/error.hpp"
#include "tessera/core/hash.hpp"
#include "tessera/core/hashed.hpp"
#include "tessera/zarr/hierarchy.hpp"
#include "tessera/zarr/place.hpp"

#include "json/byte_text.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/store_json.hpp"
#include "zarr/stored_region.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace tessera {

namespace detail {

namespace {

using nlohmann::json;

/// A Zarr array, or a field of one, and its place, which is looked for when it is first asked for.
class located : public hashed {
 public:
  explicit located(zarr_array array, bool is_border = false)
      : array_(std::move(array)), is_border_(is_border) {}

  [[nodiscard]] std::size_t hash() const override {
    return row_hash().add(place().store).add(place().path).value();
  }

  [[nodiscard]] const zarr_array& array() const { return array_; }
  /// Tells whether only the elements are read that a run of this plan writes again as they are.
  [[nodiscard]] bool is_border() const { return is_border_; }
  /// Tells whether both show the same elements of one array in the same way.
  [[nodiscard]] bool shows_same(const located& other) const {
    return is_border_ == other.is_border_ && array_.field_path() == other.array_.field_path() &&
           array_.policy() == other.array_.policy() &&
           array_.metadata() == other.array_.metadata() && place() == other.place();
  }

 protected:
  ~located() = default;

  zarr_array array_;
  bool is_border_ = false;

 private:
  [[nodiscard]] const node_place& place() const {
    std::call_once(is_found_, [this] { place_ = place_of(array_.store(), array_.path()); });
    return place_;
  }

  mutable std::once_flag is_found_;
  mutable node_place place_;
};

/// What sources and sinks have in common.
template <class Port>
class zarr_port : public Port, public located {
 public:
  explicit zarr_port(zarr_array array, bool is_border = false)
      : located(std::move(array), is_border),
        type_(element_type_of(array_.metadata().dtype)),
        cost_{.decoded = array_.decoded_bytes(),
              .encoded = array_.encoded_bound(),
              .scratch = array_.write_scratch_bytes(),
              .workspace = array_.codec_workspace(),
              .has_ranges = array_.has_ranges()} {}

  [[nodiscard]] std::string name() const override { return array_.name(); }
  [[nodiscard]] const element_type& type() const override { return type_; }
  [[nodiscard]] const index_vector& shape() const override { return array_.shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return array_.grid(); }
  [[nodiscard]] chunk_cost read_cost() const override { return cost_; }
  [[nodiscard]] const index_vector& chunk_strides() const override {
    return array_.chunk_strides();
  }
  [[nodiscard]] std::span<const std::byte> fill() const override {
    return {array_.fill().data(), array_.itemsize()};
  }
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                std::span<std::byte> encoded) const override {
    return array_.read_chunk(chunk, decoded, encoded);
  }
  bool read_region(const region& box, std::span<std::byte> into, std::span<std::byte> decoded,
                   std::span<std::byte> encoded, std::span<const index_t> steps,
                   std::span<const index_t> strides) const override {
    return array_.read_region(box, into, decoded, encoded, steps, strides);
  }
  [[nodiscard]] bool is_same(const array_source& other) const override {
    const auto* const port = dynamic_cast<const located*>(&other);
    return port != nullptr && port->shows_same(*this);
  }
  // A run that goes on has changed a border itself, and reads it anew.
  [[nodiscard]] std::string state() const override {
    return is_border_ ? "" : array_.store()->state(array_.path());
  }
  [[nodiscard]] array_recipe recipe(const std::string& array) const override {
    return source_recipe(array_, array, is_border_);
  }

 private:
  element_type type_;
  chunk_cost cost_;
};

using zarr_source = zarr_port<array_source>;

/// An array or a part of one, whose chunks are counted from where the part begins.
class zarr_sink final : public zarr_port<array_sink> {
 public:
  zarr_sink(zarr_array array, const std::optional<zarr_region>& within)
      : zarr_port(std::move(array)),
        within_(within),
        start_(within ? within->box.start : index_vector(array_.rank())),
        first_(start_),
        grid_(within ? within->box.shape() : array_.shape(), array_.chunks()) {
    for (std::size_t axis = 0; axis < first_.size(); ++axis) first_[axis] /= array_.chunks()[axis];
  }

  [[nodiscard]] const index_vector& shape() const override { return grid_.shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return grid_; }
  [[nodiscard]] const chunk_grid& write_grid() const override { return grid_; }
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                std::span<std::byte> encoded) const override {
    return array_.read_chunk(moved(chunk, first_), decoded, encoded);
  }
  bool read_region(const region& box, std::span<std::byte> into, std::span<std::byte> decoded,
                   std::span<std::byte> encoded, std::span<const index_t> steps,
                   std::span<const index_t> strides) const override {
    return array_.read_region(moved(box), into, decoded, encoded, steps, strides);
  }
  // A chunk of which the run changes a part was there before.
  [[nodiscard]] bool has_chunk(std::span<const index_t> chunk) const override {
    if (within_ && !within_->changed().contains(moved(grid_.chunk_region(chunk)))) return false;
    return array_.has_chunk(moved(chunk, first_));
  }
  void write_chunk(std::span<const index_t> chunk, const std::byte* data,
                   std::span<std::byte> encoded, std::span<std::byte> scratch) const override {
    array_.write_chunk(moved(chunk, first_), data, encoded, scratch);
  }
  void write_region(const region& box, std::span<const std::byte> from,
                    std::span<std::byte> decoded, std::span<std::byte> encoded) const override {
    array_.write_region(moved(box), from, decoded, encoded);
  }
  void commit() const override {
    if (within_ && within_->found != array_.shape()) commit_append(array_, within_->found);
  }
  void mark(const std::string& identity) const override {
    array_.store()->write(mark_of(array_.path(), within_), std::as_bytes(std::span(identity)));
  }
  void unmark() const override { array_.store()->erase(mark_of(array_.path(), within_)); }

 private:
  [[nodiscard]] static index_vector moved(std::span<const index_t> position,
                                          const index_vector& by) {
    index_vector there(position);
    for (std::size_t axis = 0; axis < there.size(); ++axis) there[axis] += by[axis];
    return there;
  }
  [[nodiscard]] region moved(const region& box) const {
    return {moved(box.start, start_), moved(box.stop, start_)};
  }

  std::optional<zarr_region> within_;
  index_vector start_;
  index_vector first_;
  chunk_grid grid_;
};

/// The names of `missing_chunks`, in its order.
constexpr std::array<std::string_view, 3> missing_names{"automatic", "fill", "error"};

missing_chunks missing_of(const std::string& name) {
  const auto found = std::find(missing_names.begin(), missing_names.end(), name);
  if (found == missing_names.end()) {
    throw value_error(fmt::format(
        "missing chunks are \"automatic\", \"fill\" or \"error\" in a plan, found \"{:.40}\"",
        name));
  }
  return static_cast<missing_chunks>(found - missing_names.begin());
}

}  // namespace

element_type element_type_of(const data_type& type) {
  if (const std::optional<dtype> number = type.element()) return *number;
  return element_type::opaque(with_native_order(type).to_json(), type.itemsize());
}

std::shared_ptr<const array_sink> as_sink(zarr_array array,
                                          const std::optional<zarr_region>& within) {
  return std::make_shared<const zarr_sink>(std::move(array), within);
}

array_recipe source_recipe(const zarr_array& array, const std::string& name, bool is_border) {
  const chunk_policy& policy = array.policy();
  const json content{
      {"is_border", is_border},
      {"store", store_json(name, *array.store())},
      {"path", fields::of_byte_text(array.path())},
      {"fields", array.field_path()},
      {"metadata", array.metadata().to_json()},
      {"missing_chunks", missing_names.at(static_cast<std::size_t>(policy.missing))},
      {"separator", policy.separator ? json(std::string(1, *policy.separator)) : json()}};
  return {zarr_kind, content.dump()};
}

std::shared_ptr<const array_source> parse_source(const array_recipe& recipe) {
  const json value = json::parse(recipe.content);
  chunk_policy policy;
  policy.missing = missing_of(text_of(value.at("missing_chunks")));
  if (const json& separator = value.at("separator"); !separator.is_null()) {
    const std::string& text = text_of(separator);
    policy.separator = text.size() == 1 ? text.front() : '\0';
  }
  zarr_array array =
      zarr_array::open(parse_store(value.at("store")), fields::byte_text(value.at("path")))
          .with(policy);
  for (const json& name : value.at("fields").get_ref<const json::array_t&>()) {
    array = array.field(text_of(name));
  }
  const bool is_border = flag_of(value.at("is_border"));
  const std::string& planned = text_of(value.at("metadata"));
  // Others may append to the array meanwhile.
  if (is_border) array = array.with_shape(zarr_metadata::parse(planned).shape);
  if (array.metadata().to_json() != planned) {
    throw value_error(fmt::format(
        "the array {} has changed since the plan was made: its metadata are others now; make the "
        "plan anew",
        array.name()));
  }
  return std::make_shared<const zarr_source>(std::move(array), is_border);
}

}  // namespace detail

std::shared_ptr<const array_source> border_source(const zarr_destination& to) {
  const zarr_array found = zarr_array::open(detail::underlying(to.store), to.path);
  return std::make_shared<const detail::zarr_source>(found.with({.missing = missing_chunks::fill}),
                                                     true);
}

std::shared_ptr<const array_source> as_source(zarr_array array) {
  return std::make_shared<const detail::zarr_source>(std::move(array));
}

const zarr_array* zarr_array_of(const array_source& source) {
  const auto* const located = dynamic_cast<const detail::located*>(&source);
  return located != nullptr && !located->is_border() ? &located->array() : nullptr;
}

}  // namespace tessera
