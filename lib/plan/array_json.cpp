// SPDX-License-Identifier: Apache-2.0
#include "plan/array_json.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"
#include "tessera/plan/distribution.hpp"

#include "plan/build.hpp"
#include "plan/json_fields.hpp"
#include "plan/memory_elements.hpp"
#include "plan/stored_json.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace tessera {

namespace {

using nlohmann::json;

json place_json(const generated_source& source) {
  return {{"kind", "generated"},
          {"kernel", source.kernel->name},
          {"parameters", fields::of_bytes(source.parameters.identity())}};
}

json place_json(const memory_place&) { return {{"kind", "memory"}}; }

json place_json(const stored_source& source) {
  json place = stored_json(source.array);
  place["kind"] = "stored";
  return place;
}

json place_json(const zarr_place& place) {
  if (place.is_intermediate) {
    return {{"kind", "intermediate"}, {"metadata", place.destination.metadata.to_json()}};
  }
  json destination = destination_json(place.destination);
  destination["kind"] = "destination";
  return destination;
}

json elements_json(const planned_array& array, std::size_t& offset) {
  const auto& source = std::get<memory_source>(array.place);
  if (source.parts != nullptr) {
    return {{"kind", "parts"}, {"identity", source.parts->identity}};
  }
  const index_vector strides = written_strides(array.shape, source.strides);
  json place{{"kind", "elements"}, {"offset", offset}, {"strides", fields::of(strides)}};
  offset = aligned_for_elements(offset + written_bytes(array, strides));
  return place;
}

/// Returns elements in the file, after a look at those that not every byte can be.
memory_source parse_elements(const json& value, const planned_array& array,
                             const file_elements& elements) {
  memory_source source{elements.owner, nullptr, fields::indices(value.at("strides"))};
  if (source.strides.size() != array.shape.size()) {
    throw value_error("elements in memory: found a number of strides that is not the rank");
  }
  const std::size_t offset = fields::count(value.at("offset"));
  const std::size_t size = written_bytes(array, source.strides);
  if (offset % element_alignment != 0 || offset > elements.bytes.size() ||
      size > elements.bytes.size() - offset) {
    throw value_error("elements in memory: the file does not hold them");
  }
  const std::span<const std::byte> bytes = elements.bytes.subspan(offset, size);
  if (array.type == dtype::boolean &&
      std::any_of(bytes.begin(), bytes.end(), [](std::byte b) { return b > std::byte{1}; })) {
    throw value_error("elements in memory: found bytes that are neither true nor false");
  }
  source.data = bytes.data();
  return source;
}

generated_source parse_generated(const json& value, dtype type) {
  const generator_kernel& kernel = find_generator_kernel(fields::text(value.at("kernel")));
  if (kernel.output != type) throw value_error("found a generator of another data type");
  return {&kernel, fields::parameters(value.at("parameters"), kernel.name, kernel.restore)};
}

zarr_place parse_intermediate(const json& value, std::size_t number) {
  return {{nullptr,
           intermediate_path(number),
           zarr_metadata::parse(fields::text(value.at("metadata"))),
           {}},
          true};
}

/// Throws value_error unless `metadata` are those of `array`.
void check_metadata(const planned_array& array, const zarr_metadata& metadata) {
  metadata.validate();
  if (metadata.shape == array.shape && metadata.dtype.element() == array.type) return;
  throw value_error(fmt::format("found metadata that are not those of the array '{}'", array.name));
}

}  // namespace

json array_json(const planned_array& array, std::size_t& offset) {
  json place;
  if (std::holds_alternative<memory_source>(array.place)) {
    place = elements_json(array, offset);
  } else {
    std::visit(
        [&]<class Place>(const Place& p) {
          if constexpr (!std::is_same_v<Place, memory_source>) place = place_json(p);
        },
        array.place);
  }
  return {{"type", fields::of(array.type)},
          {"shape", fields::of(array.shape)},
          {"chunks", fields::of(array.chunks)},
          {"name", array.name},
          {"place", std::move(place)}};
}

json names_json(const std::vector<planned_array>& arrays) {
  json names = json::array();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto* place = std::get_if<zarr_place>(&arrays[i].place);
    if (place == nullptr || !place->destination.dimension_names) continue;
    names.push_back({{"array", i},
                     {"names", *place->destination.dimension_names},
                     {"are_given", place->destination.are_names_given}});
  }
  return names;
}

void parse_names(const json& value, std::vector<planned_array>& arrays) {
  for (const json& item : value.get_ref<const json::array_t&>()) {
    planned_array& array = arrays[fields::number_below(item.at("array"), arrays.size())];
    auto* place = std::get_if<zarr_place>(&array.place);
    std::vector<std::string> names;
    for (const json& name : item.at("names").get_ref<const json::array_t&>()) {
      names.push_back(fields::text(name));
    }
    if (place == nullptr || place->is_intermediate || names.size() != array.shape.size()) {
      throw value_error("found names of dimensions that the plan does not store");
    }
    place->destination.dimension_names = std::move(names);
    place->destination.are_names_given = fields::flag(item.at("are_given"));
  }
}

planned_array parse_array(const json& value, const file_elements& elements,
                          std::size_t& num_intermediates) {
  planned_array array{fields::type(value.at("type")), fields::indices(value.at("shape")),
                      fields::indices(value.at("chunks")), fields::text(value.at("name")),
                      memory_place{}};
  const chunk_grid grid(array.shape, array.chunks);
  static_cast<void>(checked_multiply(num_elements(grid.shape()), index_t{1} << 5));
  const json& place = value.at("place");
  const std::string& kind = fields::text(place.at("kind"));
  if (kind == "stored") {
    array.place = stored_source{parse_stored(place)};
    check_metadata(array, std::get<stored_source>(array.place).array.metadata());
  } else if (kind == "elements") {
    array.place = parse_elements(place, array, elements);
  } else if (kind == "generated") {
    array.place = parse_generated(place, array.type);
  } else if (kind == "intermediate" || kind == "destination") {
    zarr_place to = kind == "destination" ? zarr_place{parse_destination(place), false}
                                          : parse_intermediate(place, num_intermediates++);
    check_metadata(array, to.destination.metadata);
    array.place = std::move(to);
  } else if (kind != "memory") {
    throw value_error(fmt::format("found an array in the unknown place '{}'", kind));
  }
  return array;
}

}  // namespace tessera
