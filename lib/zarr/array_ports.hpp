// SPDX-License-Identifier: Apache-2.0
#pragma once

/// \file
/// Zarr arrays behind the ports of plans.

#include "tessera/core/array_sink.hpp"
#include "tessera/core/array_source.hpp"
#include "tessera/core/spec.hpp"
#include "tessera/zarr/place.hpp"
#include "tessera/zarr/zarr_array.hpp"
#include "tessera/zarr/zarr_destination.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace tessera::detail {

/// The name of this kind of arrays.
inline constexpr auto zarr_kind = "zarr";

/// Returns the key of what notes which run makes the array at the path `array`, or a part of it.
[[nodiscard]] std::string mark_of(const std::string& array,
                                  const std::optional<zarr_region>& within = std::nullopt);
/// Returns the part of the array at `path` whose mark is the file `name` there; nothing if that is
/// no such mark.
[[nodiscard]] std::optional<zarr_region> marked_region(std::string_view name, std::size_t rank);

/// Returns what elements of `type` are in memory.
[[nodiscard]] element_type element_type_of(const data_type& type);

/// Returns `array`, or a part of it, as something to write to and to read from.
[[nodiscard]] std::shared_ptr<const array_sink> as_sink(
    zarr_array array, const std::optional<zarr_region>& within = std::nullopt);

/// The recipe of an array: `parse_source` is its inverse.
[[nodiscard]] array_recipe source_recipe(const zarr_array& array, const std::string& name,
                                         bool is_border = false);
[[nodiscard]] std::shared_ptr<const array_source> parse_source(const array_recipe& recipe);

/// The place of a Zarr array that a run makes.
class zarr_place final : public array_destination {
 public:
  explicit zarr_place(zarr_destination to, std::optional<std::size_t> intermediate = std::nullopt);

  [[nodiscard]] const zarr_destination& what() const { return to_; }
  /// Returns the box of the array that the run writes.
  [[nodiscard]] region box() const;
  [[nodiscard]] node_place place() const { return place_of(to_.store, to_.path); }
  /// Returns the number of an intermediate; nothing for a result.
  [[nodiscard]] const std::optional<std::size_t>& intermediate() const { return intermediate_; }

  [[nodiscard]] std::string_view kind() const override { return zarr_kind; }
  [[nodiscard]] std::string name() const override;
  [[nodiscard]] const element_type& type() const override { return type_; }
  [[nodiscard]] const index_vector& shape() const override { return grid_.shape(); }
  [[nodiscard]] const chunk_grid& read_grid() const override { return grid_; }
  [[nodiscard]] const chunk_grid& write_grid() const override { return grid_; }
  [[nodiscard]] chunk_cost read_cost() const override { return cost_; }
  [[nodiscard]] chunk_cost write_cost() const override { return cost_; }
  [[nodiscard]] bool is_row_major() const override { return to_.metadata.order == 'C'; }
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
  void check_together(std::span<const named> all) const override;
  void check_room(std::span<const array_destination* const> all,
                  const std::string& work_dir) const override;
  void refuse_overwriting(std::span<const array_destination* const> all,
                          std::span<const array_source* const> sources) const override;

 private:
  [[nodiscard]] zarr_array opened() const;
  [[nodiscard]] std::shared_ptr<const array_sink> begin_array() const;
  [[nodiscard]] std::shared_ptr<const array_sink> begin_region(const std::string& identity) const;
  [[nodiscard]] zarr_array array_of_region() const;

  zarr_destination to_;
  std::optional<std::size_t> intermediate_;
  element_type type_;
  chunk_grid grid_;
  chunk_cost cost_;
};

/// Returns the destination of a recipe.
[[nodiscard]] std::shared_ptr<const array_destination> parse_destination(
    const array_recipe& recipe);

/// Returns the place of what is between operations.
[[nodiscard]] std::shared_ptr<const array_destination> make_intermediate_place(
    std::size_t number, const element_type& type, const index_vector& shape,
    const index_vector& chunks, const spec& limits);

}  // namespace tessera::detail
