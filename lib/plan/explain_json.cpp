// SPDX-License-Identifier: Apache-2.0
/// \file
/// Explanations of plans as JSON.

#include "tessera/plan/plan_explanation.hpp"

#include "plan/cost_json.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera {

nlohmann::json cost_json(const plan_cost& cost) {
  return {{"operations", cost.num_operations},
          {"tasks", cost.num_tasks},
          {"bytes_read", cost.bytes_read.count()},
          {"bytes_written", cost.bytes_written.count()},
          {"requests", cost.num_requests},
          {"memory_moved", cost.memory_moved.count()},
          {"element_steps", cost.element_steps},
          {"task_memory", cost.task.count()},
          {"work", cost.work.count()},
          {"wall", cost.wall.count()},
          {"workers", cost.num_workers}};
}

namespace {

using nlohmann::json;
using explained = plan_explanation;

json extents_json(const index_vector& extents) {
  return std::vector<index_t>(extents.begin(), extents.end());
}

json access_json(const explained::access& entry) {
  return {{"array", entry.array},           {"place", entry.place},
          {"count", entry.count},           {"bytes", entry.moved.count()},
          {"requests", entry.num_requests}, {"amplification", entry.amplification}};
}

json note_json(const explained::note& entry) {
  return {{"pass", entry.pass},
          {"operation", entry.operation},
          {"text", entry.text},
          {"is_done", entry.is_done},
          {"count", entry.count}};
}

json stage_json(const explained::stage& entry) {
  return {{"label", entry.label}, {"scope", entry.scope}, {"buffers", entry.buffers.count()}};
}

json operation_json(const explained::operation& entry) {
  json value{{"label", entry.label},
             {"numbers", entry.numbers},
             {"count", entry.count},
             {"cost", cost_json(entry.cost)},
             {"rounds", entry.num_rounds},
             {"share", entry.share},
             {"domain", extents_json(entry.domain)},
             {"block", extents_json(entry.block)},
             {"step", extents_json(entry.step)},
             {"blocks_per_task", entry.blocks_per_task},
             {"stages", json::array()},
             {"reads", json::array()},
             {"writes", json::array()},
             {"notes", json::array()}};
  for (const explained::stage& item : entry.stages) value["stages"].push_back(stage_json(item));
  for (const explained::access& item : entry.reads) value["reads"].push_back(access_json(item));
  for (const explained::access& item : entry.writes) value["writes"].push_back(access_json(item));
  for (const explained::note& item : entry.notes) value["notes"].push_back(note_json(item));
  return value;
}

json source_json(const explained::source& entry) {
  return {{"name", entry.name},
          {"place", entry.place},
          {"count", entry.count},
          {"bytes", entry.size.count()},
          {"bytes_read", entry.bytes_read.count()},
          {"times_read", entry.times_read},
          {"readers", entry.num_readers}};
}

json computed_json(const explained::computed_array& entry) {
  return {{"name", entry.name},
          {"place", entry.place},
          {"count", entry.count},
          {"bytes", entry.size.count()},
          {"is_result", entry.is_result},
          {"first_operation", entry.first_operation},
          {"last_operation", entry.last_operation},
          {"reason", entry.reason}};
}

json pass_json(const explained::pass& entry) {
  json value{{"name", entry.name},
             {"is_on", entry.is_on},
             {"before", cost_json(entry.before)},
             {"after", cost_json(entry.after)},
             {"notes", json::array()}};
  for (const explained::note& item : entry.notes) value["notes"].push_back(note_json(item));
  return value;
}

json attempt_json(const explained::attempt& entry) {
  return {{"passes", entry.passes},
          {"is_chosen", entry.is_chosen},
          {"why_lost", entry.why_lost},
          {"count", entry.count}};
}

}  // namespace

std::string plan_explanation::to_json() const {
  json value{{"cost", cost_json(cost)},
             {"task_memory", task_memory.count()},
             {"allowed_memory", allowed_memory.count()},
             {"host_memory", bound.total().count()},
             {"operations", json::array()},
             {"sources", json::array()},
             {"arrays", json::array()},
             {"attempts", json::array()},
             {"passes", nullptr}};
  for (const operation& entry : operations) value["operations"].push_back(operation_json(entry));
  for (const source& entry : sources) value["sources"].push_back(source_json(entry));
  for (const computed_array& entry : arrays) value["arrays"].push_back(computed_json(entry));
  for (const attempt& entry : attempts) value["attempts"].push_back(attempt_json(entry));
  if (passes) {
    value["passes"] = json::array();
    for (const pass& entry : *passes) value["passes"].push_back(pass_json(entry));
  }
  return value.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace tessera
