// SPDX-License-Identifier: Apache-2.0
#include "plan/api/operation_totals.hpp"

#include "tessera/core/error.hpp"

#include "json/byte_text.hpp"
#include "json/values.hpp"
#include "plan/api/planned.hpp"
#include "plan/api/rings.hpp"
#include "plan/totals_json.hpp"

#include <cmath>
#include <limits>

namespace tessera {

namespace {

using nlohmann::json;

/// Returns the requests in flight under `name`: 1 if the object does not have them.
double parse_in_flight(const json& object, const char* name) {
  if (!object.contains(name)) return 1;
  const double count = fields::real(object.at(name));
  if (!std::isfinite(count) || count < 1) {
    throw value_error("the requests in flight of an operation are no count");
  }
  return count;
}

/// Parses the work of operation `number`.
operation_totals parse_total(const json& value, std::size_t number) {
  constexpr index_t most = std::numeric_limits<index_t>::max();
  operation_totals totals;
  totals.name = fields::byte_text(value.at("name"));
  totals.num_tasks = fields::integer_in(value.at("num_tasks"), 0, most);
  totals.element_steps = fields::real(value.at("element_steps"));
  totals.bytes_read = bytes{fields::count(value.at("bytes_read"))};
  totals.bytes_written = bytes{fields::count(value.at("bytes_written"))};
  totals.chunk_reads = fields::integer_in(value.at("chunk_reads"), 0, most);
  totals.chunk_writes = fields::integer_in(value.at("chunk_writes"), 0, most);
  totals.reads_in_flight = parse_in_flight(value, "reads_in_flight");
  totals.writes_in_flight = parse_in_flight(value, "writes_in_flight");
  totals.memory_moved = bytes{fields::count(value.at("memory_moved"))};
  for (const json& source : fields::list(value.at("after"))) {
    totals.after.push_back(fields::number_below(source, number));
  }
  if (!std::isfinite(totals.element_steps) || totals.element_steps < 0) {
    throw value_error("the steps of an operation are no count");
  }
  return totals;
}

}  // namespace

operation_totals totals_of(const planned_operation& planned) {
  return {.name = planned.label.empty() ? planned.op.name : planned.label,
          .num_tasks = planned.num_tasks,
          .element_steps = planned.op.primitive->element_steps(planned.op.schedule),
          .bytes_read = planned.bytes_read,
          .bytes_written = planned.bytes_written,
          .chunk_reads = planned.chunk_reads,
          .chunk_writes = planned.chunk_writes,
          .reads_in_flight = reads_in_flight(planned),
          .writes_in_flight = writes_in_flight(planned),
          .memory_moved = planned.memory_moved,
          .after = planned.after};
}

json totals_json(const operation_totals& totals) {
  json object = {{"name", fields::of_byte_text(totals.name)},
                 {"num_tasks", totals.num_tasks},
                 {"element_steps", totals.element_steps},
                 {"bytes_read", totals.bytes_read.count()},
                 {"bytes_written", totals.bytes_written.count()},
                 {"chunk_reads", totals.chunk_reads},
                 {"chunk_writes", totals.chunk_writes},
                 {"memory_moved", totals.memory_moved.count()},
                 {"after", totals.after}};
  if (totals.reads_in_flight > 1) object["reads_in_flight"] = totals.reads_in_flight;
  if (totals.writes_in_flight > 1) object["writes_in_flight"] = totals.writes_in_flight;
  return object;
}

std::vector<operation_totals> parse_totals(const json& list) {
  std::vector<operation_totals> operations;
  for (const json& value : fields::list(list)) {
    operations.push_back(parse_total(value, operations.size()));
  }
  return operations;
}

}  // namespace tessera
