// SPDX-License-Identifier: Apache-2.0
/// \file
/// Zarr arrays as sources and sinks of elements.

#include "tessera/core/error.hpp"

#include "core/api/array_in_shards.hpp"
#include "core/api/call_at_once.hpp"
#include "core/api/hash.hpp"
#include "core/api/hashed.hpp"
#include "core/api/overwriting.hpp"
#include "core/api/streamed_shards.hpp"
#include "json/byte_text.hpp"
#include "json/values.hpp"
#include "zarr/api/hierarchy.hpp"
#include "zarr/api/node_format.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/api/unfinished_array.hpp"
#include "zarr/array_ports.hpp"
#include "zarr/consolidated_store.hpp"
#include "zarr/create_array.hpp"
#include "zarr/kept_index.hpp"
#include "zarr/listed_chunks.hpp"
#include "zarr/native_bytes.hpp"
#include "zarr/overwriting_note.hpp"
#include "zarr/remote_requests.hpp"
#include "zarr/state_on_demand.hpp"
#include "zarr/store_json.hpp"
#include "zarr/stored_region.hpp"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>
#include <vector>

namespace tessera {

namespace detail {

namespace {

using nlohmann::json;

/// A Zarr array, or a field of records, and its location, which is resolved on first use.
class located : public hashed,
                public overwritable_source,
                public stored_array_part,
                public array_in_shards {
 public:
  explicit located(zarr_array array, bool is_border = false)
      : array_(std::move(array)), is_border_(is_border) {}

  [[nodiscard]] std::size_t hash() const override {
    return row_hash().add(node().store).add(node().path).add(options()).value();
  }

  // The elements of a border are written back unchanged.
  [[nodiscard]] std::optional<std::string> location() const override {
    return is_border_ ? std::nullopt : std::optional(location_text(node()));
  }
  [[nodiscard]] std::optional<std::string> unfinished_run() const override {
    const auto note = read_note(*underlying(array_.store()), array_.path());
    return note ? std::optional(note->run) : std::nullopt;
  }

  [[nodiscard]] std::shared_ptr<const stored_array> whole() const override;

  [[nodiscard]] indexed_shards shards_with_indexes() const override {
    return indexed_shards_of(array_.metadata(), array_.encoded_bound() > 0
                                                    ? array_.encoded_bound()
                                                    : array_.decoded_bytes());
  }

  [[nodiscard]] const zarr_array& array() const { return array_; }
  /// Tells whether this reads the border of a region: elements that the plan writes back unchanged.
  [[nodiscard]] bool is_border() const { return is_border_; }
  /// Tells whether this and `port` read the same elements of one array by the same policy.
  [[nodiscard]] bool shows_same(const located& port) const {
    return is_border_ == port.is_border_ && array_.field_path() == port.array_.field_path() &&
           array_.policy() == port.array_.policy() && array_.metadata() == port.array_.metadata() &&
           node() == port.node() && options() == port.options();
  }

 protected:
  ~located() = default;

  zarr_array array_;
  bool is_border_ = false;

 private:
  [[nodiscard]] const node_location& node() const {
    std::call_once(is_found_, [this] {
      node_ = location_of_node(array_.store(), array_.path());
      options_ = options_of_values(*array_.store());
    });
    return node_;
  }
  /// Stores of one place with other options may give other values.
  [[nodiscard]] const std::string& options() const {
    static_cast<void>(node());
    return options_;
  }

  mutable std::once_flag is_found_;
  mutable node_location node_;
  mutable std::string options_;
};

/// Returns the memory that the client of a store keeps for one request at a time.
std::size_t client_memory(const key_value_store& store) {
  const store_traits traits = store.traits();
  return static_cast<std::size_t>((traits.kept + traits.kept_per_request).count());
}

/// The common part of sources and sinks.
template <class Port>
class zarr_port : public Port, public located, public remote_port {
 public:
  explicit zarr_port(zarr_array array, bool is_border = false)
      : located(std::move(array), is_border),
        type_(element_type_of(array_.metadata().dtype)),
        cost_{.decoded = array_.decoded_bytes(),
              .encoded = array_.encoded_bound(),
              .scratch = array_.write_scratch_bytes(),
              .workspace = array_.codec_workspace(),
              // The index of a shard is read first.
              .requests = array_.metadata().shards.empty() ? 1 : 2,
              .has_ranges = array_.has_ranges(),
              .client = client_memory(*array_.store())} {}

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
  [[nodiscard]] bool is_same(const array_source& source) const override {
    const auto* const port = dynamic_cast<const located*>(&source);
    return port != nullptr && port->shows_same(*this);
  }
  // A continued run has changed the border itself, and reads it again.
  [[nodiscard]] std::string state() const override {
    if (is_border_) return "";
    const auto truth = underlying(array_.store());
    std::optional<overwriting_note> note;
    const auto read = [&] { note = read_note(*truth, array_.path()); };
    if (!is_far(*truth)) {
      read();
      return note ? note->state : state_of_array(array_);
    }
    std::string now;
    call_at_once(read, [&] { now = state_of_array(array_); });
    return note ? note->state : now;
  }
  [[nodiscard]] array_recipe recipe(const std::string& array) const override {
    return source_recipe(array_, array, is_border_);
  }

  // The next chunk may lie in another shard than the chunk that is read.
  [[nodiscard]] std::optional<request_cost> requests() const override {
    if (!array_.field_path().empty()) return std::nullopt;
    std::optional<request_cost> cost = requests_.of(*array_.store(), cost_);
    if (!cost || array_.metadata().shards.empty()) return cost;
    if (!keeps_two_indexes(array_.metadata())) return std::nullopt;
    cost->has_writes = cost->has_boxes = false;
    return cost;
  }
  [[nodiscard]] std::unique_ptr<chunk_reader> reader(const ring_memory& memory) const override {
    return make_chunk_reader(without_attributes(), memory);
  }
  [[nodiscard]] std::unique_ptr<chunk_writer> writer(const ring_memory& memory) const override {
    return make_chunk_writer(without_attributes(), memory);
  }

 protected:
  /// Returns the array for readers and writers, which copy it.
  [[nodiscard]] const std::shared_ptr<const zarr_array_state>& without_attributes() const {
    return state_.of(array_);
  }

 private:
  element_type type_;
  chunk_cost cost_;
  request_costs requests_;
  state_on_demand state_;
};

class zarr_source final : public zarr_port<stored_array> {
 public:
  using zarr_port::zarr_port;

  [[nodiscard]] const data_type& stored_type() const override { return array_.metadata().dtype; }
  [[nodiscard]] const index_vector& shards() const override { return array_.shards(); }
  [[nodiscard]] const std::optional<element_bytes>& fill_value() const override {
    return array_.metadata().fill_value;
  }
  [[nodiscard]] const tessera::attributes& attributes() const override {
    return array_.attributes();
  }
  [[nodiscard]] const std::vector<std::string>& dimension_names() const override {
    return array_.dimension_names();
  }
  [[nodiscard]] tessera::dtype dtype() const override { return array_.dtype(); }
  [[nodiscard]] std::shared_ptr<const stored_array> field(std::string_view name) const override {
    return as_source(array_.field(name));
  }
  [[nodiscard]] std::shared_ptr<const stored_array> with(
      const chunk_policy& policy) const override {
    return as_source(array_.with(policy));
  }
  [[nodiscard]] std::shared_ptr<const stored_array> before_overwriting() const override {
    return as_source(as_before_overwriting(array_));
  }
};

std::shared_ptr<const stored_array> located::whole() const {
  return is_border_ ? nullptr : as_source(array_);
}

/// An array or a part of it; chunks and shards are numbered from the first ones of the part.
class zarr_sink final : public zarr_port<array_sink>, public streaming_sink {
 public:
  zarr_sink(zarr_array array, const std::optional<zarr_region>& within)
      : zarr_port(std::move(array)),
        within_(within),
        start_(within ? within->box.start : index_vector(array_.rank())),
        first_(start_),
        first_written_(start_),
        grid_(within ? within->box.shape() : array_.shape(), array_.chunks()),
        write_grid_(grid_.shape(), array_.shards()),
        earlier_(array_) {
    for (std::size_t axis = 0; axis < first_.size(); ++axis) {
      first_[axis] /= array_.chunks()[axis];
      first_written_[axis] /= array_.shards()[axis];
    }
  }

  // Chunks of a part have other numbers than chunks of the array.
  [[nodiscard]] std::optional<request_cost> requests() const override {
    return within_ ? std::nullopt : zarr_port::requests();
  }
  [[nodiscard]] std::string state() const override { return state_of_array(array_); }
  [[nodiscard]] const index_vector& shape() const override { return grid_.shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return grid_; }
  [[nodiscard]] const chunk_grid& write_grid() const override { return write_grid_; }
  [[nodiscard]] bool read_chunk(std::span<const index_t> chunk, std::span<std::byte> decoded,
                                std::span<std::byte> encoded) const override {
    return array_.read_chunk(moved(chunk, first_), decoded, encoded);
  }
  bool read_region(const region& box, std::span<std::byte> into, std::span<std::byte> decoded,
                   std::span<std::byte> encoded, std::span<const index_t> steps,
                   std::span<const index_t> strides) const override {
    return array_.read_region(moved(box), into, decoded, encoded, steps, strides);
  }
  // A chunk that the run changes in part existed before: its presence tells nothing of the run.
  [[nodiscard]] bool has_chunk(std::span<const index_t> chunk) const override {
    if (within_ && !within_->changed().contains(moved(write_grid_.chunk_region(chunk))))
      return false;
    return earlier_.contains(moved(chunk, first_written_));
  }
  void write_chunk(std::span<const index_t> chunk, const std::byte* data,
                   std::span<std::byte> encoded, std::span<std::byte> scratch) const override {
    array_.write_chunk(moved(chunk, first_written_), data, encoded, scratch);
  }
  void write_region(const region& box, std::span<const std::byte> from,
                    std::span<std::byte> decoded, std::span<std::byte> encoded) const override {
    array_.write_region(moved(box), from, decoded, encoded);
  }
  [[nodiscard]] std::unique_ptr<shard_stream> begin_shard(
      std::span<const index_t> shard, std::span<std::byte> index) const override {
    return without_attributes()->stream(moved(shard, first_written_), index);
  }
  void commit() const override {
    if (within_ && within_->old_shape != array_.shape()) commit_append(array_, within_->old_shape);
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
  /// The first chunk, and the first shard.
  index_vector first_;
  index_vector first_written_;
  chunk_grid grid_;
  chunk_grid write_grid_;
  earlier_chunks earlier_;
};

/// The names of `missing_chunks`, in its order.
constexpr std::array<std::string_view, 3> missing_names{"automatic", "fill", "error"};

missing_chunks missing_of(const std::string& name) {
  const auto match = std::find(missing_names.begin(), missing_names.end(), name);
  if (match == missing_names.end()) {
    throw value_error(fmt::format(
        "missing chunks are \"automatic\", \"fill\" or \"error\" in a plan, found \"{:.40}\"",
        name));
  }
  return static_cast<missing_chunks>(match - missing_names.begin());
}

}  // namespace

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
  const json value = fields::parse(recipe.content);
  chunk_policy policy;
  policy.missing = missing_of(fields::text(value.at("missing_chunks")));
  if (const json& separator = value.at("separator"); !separator.is_null()) {
    const std::string& text = fields::text(separator);
    policy.separator = text.size() == 1 ? text.front() : '\0';
  }
  zarr_array array = as_before_overwriting(
      zarr_array::open(parse_store(value.at("store")), fields::byte_text(value.at("path"))));
  array = array.with(policy);
  for (const json& name : fields::list(value.at("fields"))) {
    array = array.field(fields::text(name));
  }
  const bool is_border = fields::flag(value.at("is_border"));
  const std::string& planned = fields::text(value.at("metadata"));
  // Another writer may append to the array after planning, which leaves the border valid.
  if (is_border) array = array.with_shape(zarr_metadata::parse(planned).shape);
  if (array.metadata().to_json() != planned) {
    throw value_error(fmt::format(
        "the array {} has changed since the plan was made: its metadata are others now; make the "
        "plan anew",
        array.name()));
  }
  return std::make_shared<const zarr_source>(std::move(array), is_border);
}

std::optional<array_destination::border> zarr_destination_port::find_border() const {
  if (!to_.within || !to_.within->elements) return std::nullopt;
  const zarr_array array = zarr_array::open(underlying(to_.store), to_.path);
  auto source =
      std::make_shared<const zarr_source>(array.with({.missing = missing_chunks::fill}), true);
  return border{std::move(source), to_.within->box, *to_.within->elements};
}

}  // namespace detail

std::shared_ptr<const stored_array> as_source(zarr_array array) {
  return std::make_shared<const detail::zarr_source>(std::move(array));
}

const zarr_array* zarr_array_of(const array_source& source) {
  const auto* const located = dynamic_cast<const detail::located*>(&source);
  return located != nullptr && !located->is_border() ? &located->array() : nullptr;
}

}  // namespace tessera
