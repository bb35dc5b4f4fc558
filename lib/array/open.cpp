// SPDX-License-Identifier: Apache-2.0
/// \file
/// Opens stored arrays, and fields of them, as arrays of numbers.
#include "tessera/array/open.hpp"

#include "tessera/array/stored_type.hpp"
#include "tessera/core/error.hpp"

#include "array/stored_array_of.hpp"
#include "array/type_text.hpp"

#include <fmt/format.h>

namespace tessera::detail {
namespace {

/// Returns the last part of a path, which is the array's name in plans.
std::string last_part(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

/// Appends the names of the values in a record; nested names have their outer name as prefix.
void list_fields(const data_type& type, const std::string& outer, std::vector<std::string>& names) {
  for (const data_field& field : type.fields()) {
    if (field.is_padding()) continue;
    const std::string name = outer.empty() ? field.name : outer + "." + field.name;
    if (field.type.kind() == data_kind::structured) {
      list_fields(field.type, name, names);
    } else {
      names.push_back(fmt::format("\"{:.80}\" ({})", name, text_of(field.type)));
    }
  }
}

/// Returns the fields of records for a message: `"a" (int16), "b.c" (float32)`.
std::string fields_of(const data_type& type) {
  std::vector<std::string> names;
  list_fields(type, "", names);
  constexpr std::size_t most = 20;
  const bool has_more = names.size() > most;
  if (has_more) names.resize(most);
  return fmt::format("{}{}", fmt::join(names, ", "), has_more ? " and others" : "");
}

[[noreturn]] void throw_wrong_type(const std::string& name, const data_type& type, dtype wanted) {
  std::string remedy;
  switch (type.kind()) {
    case data_kind::numeric:
      remedy = fmt::format("open it as {} and convert it with astype", text_of(type));
      break;
    case data_kind::datetime:
    case data_kind::timedelta:
      remedy = "open it as int64: the number of its units";
      break;
    case data_kind::structured:
      remedy = "open one of the fields " + fields_of(type) + " by tessera::field";
      break;
    default:
      remedy = "open it with open_any, which copies it, or as a zarr_array, which reads its bytes";
  }
  throw dtype_error(fmt::format("open: {} holds {} elements, and {} is asked for; {}", name,
                                text_of(type), name_of(wanted), remedy));
}

/// Returns the field with the longest name that is `path` or its prefix before a dot, or nullptr if
/// there is no such field.
const data_field* field_at_front(const data_type& type, std::string_view path) {
  const data_field* best = nullptr;
  for (const data_field& field : type.fields()) {
    const std::string_view name = field.name;
    if (field.is_padding() || !path.starts_with(name)) continue;
    if (path.size() > name.size() && path[name.size()] != '.') continue;
    if (best == nullptr || best->name.size() < name.size()) best = &field;
  }
  return best;
}

[[noreturn]] void throw_no_field(const stored_array& records, const field& wanted) {
  const data_type& type = records.stored_type();
  if (type.kind() == data_kind::structured) {
    throw zarr_error(fmt::format("open: {} has no field \"{}\"; its fields are {}", records.name(),
                                 wanted.name(), fields_of(type)));
  }
  throw zarr_error(
      fmt::format("open: {} holds {} elements, which have no field \"{}\"; open it without a field",
                  records.name(), text_of(type), wanted.name()));
}

/// Throws: memory_error <- the index of a shard takes more than a quarter of the allowed memory.
void require_room_for_index(const stored_array& array, const std::string& name,
                            const spec& limits) {
  if (array.shards() == array.chunks()) return;
  constexpr std::uint64_t entry = 16;
  const index_t count = num_elements(array.shards()) / num_elements(array.chunks());
  const bytes index{entry * static_cast<std::uint64_t>(count)};
  const bytes most{limits.allowed_memory.count() / 4};
  if (index <= most) return;
  throw memory_error(
      fmt::format("open: {} has shards of {} chunks, whose index takes {}, more than {}, a quarter "
                  "of the allowed memory of {}; allow {}, or have it stored in smaller shards",
                  name, count, format_short(index), format_short(most),
                  format_short(limits.allowed_memory), format(bytes{4 * index.count()})));
}

std::pair<array_view, array_layout> view_of_opened(std::shared_ptr<const stored_array> opened,
                                                   const std::string& name,
                                                   std::shared_ptr<const spec> limits) {
  require_room_for_index(*opened, name, limits ? *limits : default_spec());
  array_layout layout{opened->shape(), clip_chunks(opened->chunks(), opened->shape()),
                      std::move(limits), false, axis_names(opened->dimension_names())};
  auto node = std::make_shared<const array_node>(array_node{opened->type(), layout.shape,
                                                            layout.chunks, last_part(name),
                                                            stored_source{std::move(opened)}});
  return {whole_of(std::move(node)), std::move(layout)};
}

}  // namespace

shared_state<shown_array> open_shown(std::shared_ptr<const stored_array> opened,
                                     const std::string& name, dtype type, std::size_t rank,
                                     std::shared_ptr<const spec> spec) {
  opened = opened->before_overwriting();
  if (opened->stored_type().element() != type) {
    throw_wrong_type(name, opened->stored_type(), type);
  }
  if (opened->rank() != rank) {
    throw shape_error(
        fmt::format("open: {} has shape {} of rank {}, and rank {} is asked for; open "
                    "it with rank {}",
                    name, format_shape(opened->shape()), opened->rank(), rank, opened->rank()));
  }
  auto [view, layout] = view_of_opened(std::move(opened), name, std::move(spec));
  return show(std::move(view), layout);
}

shared_state<shown_array> open_shown(std::shared_ptr<const stored_array> opened, dtype type,
                                     std::size_t rank, std::shared_ptr<const spec> spec) {
  const std::string name = opened->name();
  return open_shown(std::move(opened), name, type, rank, std::move(spec));
}

std::pair<array_view, array_layout> view_of(const stored_array& opened, const std::string& name,
                                            std::shared_ptr<const spec> limits) {
  return view_of_opened(opened.before_overwriting(), name, std::move(limits));
}

std::shared_ptr<const stored_array> open_field(const std::shared_ptr<const stored_array>& records,
                                               const field& wanted) {
  std::shared_ptr<const stored_array> best = records;
  std::string_view rest = wanted.name();
  while (true) {
    const data_field* const next = field_at_front(best->stored_type(), rest);
    if (next == nullptr) throw_no_field(*records, wanted);
    const std::string name = next->name;
    best = best->field(name);
    if (rest.size() == name.size()) return best;
    rest.remove_prefix(name.size() + 1);
  }
}

data_type stored_type_of(const array_view& view) {
  const std::shared_ptr<const stored_array> array = stored_array_of(view);
  if (array == nullptr) {
    throw value_error(fmt::format(
        "stored_type: {} is not a stored array; give one that tessera::open or store returned",
        view.array->name));
  }
  return array->stored_type();
}

std::shared_ptr<const spec> spec_of(const open_options& options) {
  return options.spec ? std::make_shared<const spec>(*options.spec) : nullptr;
}

}  // namespace tessera::detail
