// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Zarr arrays behind the ports of plans.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include "core/api/array_in_shards.hpp"
#include "core/api/overwriting.hpp"
#include "core/api/streamed_shards.hpp"
#include "zarr/api/node_location.hpp"
#include "zarr/document_reader.hpp"
#include "zarr/remote_requests.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::detail {

/// The name of this kind of arrays.
inline constexpr auto zarr_kind = "zarr";

/// Returns the key of the mark of a run at the path `array`: the run's identity, for the whole
/// array or for a part of it.
[[nodiscard]] std::string mark_of(const std::string& array,
                                  const std::optional<zarr_region>& within = std::nullopt);
/// Returns the identity in the mark `key`, or "" if there is none.
[[nodiscard]] std::string marked_identity(const key_value_store& store, const std::string& key);
/// Returns the part of an array that the file `name` marks, or nullopt if it marks no part.
[[nodiscard]] std::optional<zarr_region> marked_region(std::string_view name, std::size_t rank);

/// Returns the state of an array: of its documents and chunks, or of its documents alone if the
/// store has no lists. Chunks that change in place go unnoticed then.
///
/// Chunks behind the end do not count: an append of the array to itself writes them, and finds the
/// array in the same state when it is continued. In stores that do not know partial states
/// (store/api/partial_state.hpp) they count, and such an append begins anew.
[[nodiscard]] std::string state_of_array(const zarr_array& array);

/// Returns the location of an array as text, as `overwritable_source::location` does.
[[nodiscard]] std::string location_text(const node_location& location);

/// Returns the type that elements of `type` have in memory.
[[nodiscard]] element_type element_type_of(const data_type& type);

/// Returns `array`, or a part of it, as a sink.
[[nodiscard]] std::shared_ptr<const array_sink> as_sink(
    zarr_array array, const std::optional<zarr_region>& within = std::nullopt);

/// Returns the recipe of an array: `parse_source` is the inverse.
[[nodiscard]] array_recipe source_recipe(const zarr_array& array, const std::string& name,
                                         bool is_border = false);
[[nodiscard]] std::shared_ptr<const array_source> parse_source(const array_recipe& recipe);

/// The location of a Zarr array that a run creates, or of a part that it writes.
class zarr_destination_port final : public array_destination,
                                    public overwriting_destination,
                                    public array_in_shards,
                                    public streaming_destination,
                                    public remote_array {
 public:
  /// `work_store` is the store of the work directory of an intermediate if that is in one.
  explicit zarr_destination_port(zarr_destination to,
                                 std::optional<std::size_t> intermediate = std::nullopt,
                                 std::shared_ptr<key_value_store> work_store = nullptr);

  /// Returns `array` as it would be opened with `metadata` and the attributes `values`.
  [[nodiscard]] static zarr_array with_metadata(const zarr_array& array,
                                                const zarr_metadata& metadata,
                                                const attributes& values);

  [[nodiscard]] const zarr_destination& destination() const { return to_; }
  /// Returns the box of the array that the run writes.
  [[nodiscard]] region box() const;
  [[nodiscard]] node_location node() const { return location_of_node(to_.store, to_.path); }
  /// Returns the number of an intermediate, or nullopt for a result.
  [[nodiscard]] const std::optional<std::size_t>& intermediate() const { return intermediate_; }

  [[nodiscard]] std::string_view kind() const override { return zarr_kind; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] const element_type& type() const override { return type_; }
  [[nodiscard]] const index_vector& shape() const override { return grid_.shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return grid_; }
  [[nodiscard]] const chunk_grid& write_grid() const override { return write_grid_; }
  [[nodiscard]] indexed_shards shards_with_indexes() const override { return shards_; }
  [[nodiscard]] streamed_shards streams() const override { return streams_; }
  [[nodiscard]] chunk_cost read_cost() const override { return cost_; }
  [[nodiscard]] chunk_cost write_cost() const override { return write_cost_; }
  [[nodiscard]] std::optional<request_cost> requests() const override;
  [[nodiscard]] bool is_row_major() const override { return to_.metadata.order == 'C'; }
  void prepare_claim() const override;
  [[nodiscard]] std::unique_ptr<array_claim> claim(const std::string& identity) const override;
  [[nodiscard]] std::shared_ptr<const array_sink> create(
      const std::string& identity) const override;
  [[nodiscard]] std::shared_ptr<const array_sink> open() const override;
  [[nodiscard]] std::shared_ptr<const array_sink> take_over() const override;
  [[nodiscard]] bool exists() const override;
  [[nodiscard]] bool is_marked(const std::string& identity) const override;
  void require_replaceable() const override;
  [[nodiscard]] std::shared_ptr<const array_destination> in(const std::string& run) const override;
  [[nodiscard]] array_recipe recipe(const std::string& array) const override;
  void check_together(std::span<const named> results) const override;
  void check_room(std::span<const array_destination* const> destinations,
                  const std::string& work_dir) const override;
  void refuse_overwriting(std::span<const array_destination* const> destinations,
                          std::span<const array_source* const> sources) const override;
  [[nodiscard]] std::optional<border> find_border() const override;
  [[nodiscard]] std::optional<std::string> overwritten_location() const override;
  [[nodiscard]] bool replaces_array() const override { return !to_.within; }
  [[nodiscard]] bool outlives_process() const override;
  void leave_note(const std::string& run, const std::string& work_dir) const override;
  void remove_note() const override;
  [[nodiscard]] std::optional<std::string> state_of_kept_elements(
      const array_source& source) const override;
  [[nodiscard]] std::vector<std::string> stopped_appends() const override;
  void refuse_unfinished(const std::string& run) const override;

 private:
  [[nodiscard]] zarr_array opened() const;
  [[nodiscard]] std::shared_ptr<const array_sink> begin_array() const;
  [[nodiscard]] std::shared_ptr<const array_sink> begin_region(const std::string& identity) const;
  [[nodiscard]] zarr_array array_of_region() const;
  /// Returns the documents of a run that has claimed the array, and forgets them if `is_last`.
  [[nodiscard]] std::shared_ptr<document_reader> checked_documents(bool is_last = false) const;

  zarr_destination to_;
  std::optional<std::size_t> intermediate_;
  std::shared_ptr<key_value_store> work_store_;
  element_type type_;
  chunk_grid grid_;
  /// The grid of shards, if there are any.
  chunk_grid write_grid_;
  indexed_shards shards_;
  streamed_shards streams_;
  chunk_cost cost_;
  chunk_cost write_cost_;
  request_costs requests_;
  mutable std::once_flag is_located_;
  mutable std::string location_;
  /// The documents and names at the array, in a store that is far away, as the check under the
  /// claim of a run read them. Runs respect the claim, other writers and the groups above do not:
  /// so they are used for some seconds only.
  mutable std::shared_ptr<document_reader> checked_documents_;
  mutable std::chrono::steady_clock::time_point checked_at_;
  mutable std::mutex checked_mutex_;
};

/// Returns the destination of a recipe.
[[nodiscard]] std::shared_ptr<const array_destination> parse_destination(
    const array_recipe& recipe);

/// Returns the destination of an intermediate array, which one operation writes and others read.
[[nodiscard]] std::shared_ptr<const array_destination> make_intermediate_destination(
    std::size_t number, const element_type& type, const index_vector& shape,
    const index_vector& chunks, const spec& limits);

}  // namespace tessera::detail
