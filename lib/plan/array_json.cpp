// SPDX-License-Identifier: Apache-2.0
#include "plan/array_json.hpp"

#include "tessera/core/error.hpp"
#include "tessera/kernel/registry.hpp"

#include "core/api/array_kinds.hpp"
#include "json/byte_text.hpp"
#include "json/fields.hpp"
#include "plan/api/distribution.hpp"
#include "plan/build.hpp"
#include "plan/memory_elements.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string>

namespace tessera {

namespace {

using nlohmann::json;

json generator_json(const generated_source& source) {
  return {{"kind", "generated"},
          {"kernel", source.kernel->name},
          {"parameters", fields::of_bytes(source.parameters.identity())}};
}

/// Returns the recipe of an array, by which another process opens it, as an object with its kind.
json recipe_json(const array_recipe& recipe, const char* kind) {
  json placement = fields::parse(recipe.content);
  placement["kind"] = kind;
  placement["format"] = recipe.kind;
  return placement;
}

json elements_json(const planned_array& array, std::size_t& offset) {
  const auto& source = std::get<memory_source>(array.placement);
  if (source.parts != nullptr) {
    return {{"kind", "parts"}, {"identity", source.parts->identity}};
  }
  const index_vector strides = written_strides(array.shape, source.strides);
  json placement{{"kind", "elements"}, {"offset", offset}, {"strides", fields::of(strides)}};
  offset = aligned_for_elements(offset + written_bytes(array, strides));
  return placement;
}

/// Returns the elements in the file. Throws value_error if a boolean is neither 0 nor 1.
memory_source parse_elements(const json& value, const planned_array& array,
                             const file_elements& elements) {
  memory_source source{elements.owner, nullptr, fields::indices(value.at("strides"))};
  if (source.strides.size() != array.shape.size()) {
    throw value_error("elements in memory: found a number of strides that is not the rank");
  }
  if (!array.type.is_number()) throw value_error("elements in memory: found some but numbers");
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

generated_source parse_generated(const json& value, const element_type& type) {
  const generator_kernel& kernel = find_generator_kernel(fields::text(value.at("kernel")));
  if (kernel.output != type) throw value_error("found a generator of another data type");
  return {&kernel, fields::parameters(value.at("parameters"), kernel.name, kernel.restore)};
}

array_recipe parse_recipe(json placement) {
  std::string format = fields::text(placement.at("format"));
  return {std::move(format), placement.dump()};
}

stored_placement parse_intermediate(json placement) {
  placement["number"] = 0;
  return {make_destination(parse_recipe(std::move(placement))), true};
}

/// Throws value_error unless the stored array has the shape and type of `array`.
template <class Stored>
void check_stored(const planned_array& array, const Stored& stored) {
  if (stored.shape() == array.shape && stored.type() == array.type) return;
  throw value_error(fmt::format("found metadata that are not those of the array '{}'", array.name));
}

}  // namespace

json array_json(const planned_array& array, std::size_t& offset) {
  json placement;
  if (std::holds_alternative<memory_source>(array.placement)) {
    placement = elements_json(array, offset);
  } else if (const auto* generated = std::get_if<generated_source>(&array.placement)) {
    placement = generator_json(*generated);
  } else if (const auto* stored = std::get_if<stored_source>(&array.placement)) {
    placement = recipe_json(stored->array->recipe(array.name), "stored");
  } else if (const auto* to = std::get_if<stored_placement>(&array.placement)) {
    placement = recipe_json(to->to->recipe(array.name),
                            to->is_intermediate ? "intermediate" : "destination");
  } else {
    placement = {{"kind", "memory"}};
  }
  json value{{"type", fields::of(array.type)},
             {"shape", fields::of(array.shape)},
             {"chunks", fields::of(array.chunks)},
             {"name", fields::of_byte_text(array.name)},
             {"place", std::move(placement)}};
  if (!array.label.empty()) value["label"] = fields::of_byte_text(array.label);
  return value;
}

json names_json(const numbered<planned_array>& arrays) {
  json names = json::array();
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    const auto* placement = std::get_if<stored_placement>(&arrays[i].placement);
    if (placement == nullptr) continue;
    const std::string aside = placement->to->recipe(arrays[i].name).aside;
    if (aside.empty()) continue;
    json item = fields::parse(aside);
    item["array"] = i;
    names.push_back(std::move(item));
  }
  return names;
}

void parse_names(const json& value, numbered<planned_array>& arrays) {
  for (const json& item : fields::list(value)) {
    planned_array& array = arrays[fields::number_below(item.at("array"), arrays.size())];
    auto* placement = std::get_if<stored_placement>(&array.placement);
    if (placement == nullptr || placement->is_intermediate) {
      throw value_error("found names of dimensions that the plan does not store");
    }
    array_recipe recipe = placement->to->recipe(array.name);
    recipe.aside = item.dump();
    placement->to = make_destination(recipe);
  }
}

planned_array parse_array(const json& value, const file_elements& elements) {
  planned_array array{fields::any_type(value.at("type")), fields::indices(value.at("shape")),
                      fields::indices(value.at("chunks")), fields::byte_text(value.at("name")),
                      memory_placement{}};
  if (value.contains("label")) array.label = fields::byte_text(value.at("label"));
  const chunk_grid grid(array.shape, array.chunks);
  const auto size = static_cast<index_t>(array.type.size());
  static_cast<void>(checked_multiply(num_elements(grid.shape()), std::max(index_t{1} << 5, size)));
  const json& placement = value.at("place");
  const std::string& kind = fields::text(placement.at("kind"));
  if (kind == "stored") {
    const std::shared_ptr<const array_source> source = open_array(parse_recipe(placement));
    check_stored(array, *source);
    array.placement = stored_source{source};
  } else if (kind == "elements") {
    array.placement = parse_elements(placement, array, elements);
  } else if (kind == "generated") {
    array.placement = parse_generated(placement, array.type);
  } else if (kind == "intermediate" || kind == "destination") {
    stored_placement to = kind == "destination"
                              ? stored_placement{make_destination(parse_recipe(placement)), false}
                              : parse_intermediate(placement);
    check_stored(array, *to.to);
    array.placement = std::move(to);
  } else if (kind != "memory") {
    throw value_error(fmt::format("found an array in the unknown place '{}'", kind));
  }
  return array;
}

}  // namespace tessera
