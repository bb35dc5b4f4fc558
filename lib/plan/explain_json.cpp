// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a plan explains, for programs.

#include "tessera/plan/plan_explanation.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace tessera {

namespace {

using nlohmann::json;
using explained = plan_explanation;

json extents_json(const index_vector& extents) {
  return std::vector<index_t>(extents.begin(), extents.end());
}

json cost_json(const plan_cost& cost) {
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

json access_json(const explained::access& one) {
  return {{"array", one.array},           {"place", one.place},
          {"count", one.count},           {"bytes", one.moved.count()},
          {"requests", one.num_requests}, {"amplification", one.amplification}};
}

json note_json(const explained::note& one) {
  return {{"pass", one.pass},
          {"operation", one.operation},
          {"text", one.text},
          {"is_done", one.is_done},
          {"count", one.count}};
}

json operation_json(const explained::operation& one) {
  json value{{"label", one.label},
             {"count", one.count},
             {"cost", cost_json(one.cost)},
             {"rounds", one.num_rounds},
             {"share", one.share},
             {"domain", extents_json(one.domain)},
             {"block", extents_json(one.block)},
             {"step", extents_json(one.step)},
             {"reads", json::array()},
             {"writes", json::array()},
             {"notes", json::array()}};
  for (const explained::access& each : one.reads) value["reads"].push_back(access_json(each));
  for (const explained::access& each : one.writes) value["writes"].push_back(access_json(each));
  for (const explained::note& each : one.notes) value["notes"].push_back(note_json(each));
  return value;
}

json source_json(const explained::source& one) {
  return {{"name", one.name},
          {"place", one.place},
          {"count", one.count},
          {"bytes", one.size.count()},
          {"bytes_read", one.bytes_read.count()},
          {"times_read", one.times_read},
          {"readers", one.num_readers}};
}

json made_json(const explained::made& one) {
  return {{"name", one.name},
          {"place", one.place},
          {"count", one.count},
          {"bytes", one.size.count()},
          {"is_result", one.is_result},
          {"first_operation", one.first_operation},
          {"last_operation", one.last_operation},
          {"why", one.why}};
}

json pass_json(const explained::pass& one) {
  json value{{"name", one.name},
             {"is_on", one.is_on},
             {"before", cost_json(one.before)},
             {"after", cost_json(one.after)},
             {"notes", json::array()}};
  for (const explained::note& each : one.notes) value["notes"].push_back(note_json(each));
  return value;
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
             {"passes", nullptr}};
  for (const operation& one : operations) value["operations"].push_back(operation_json(one));
  for (const source& one : sources) value["sources"].push_back(source_json(one));
  for (const made& one : arrays) value["arrays"].push_back(made_json(one));
  if (passes) {
    value["passes"] = json::array();
    for (const pass& one : *passes) value["passes"].push_back(pass_json(one));
  }
  return value.dump(2, ' ', false, json::error_handler_t::replace);
}

}  // namespace tessera
