// SPDX-License-Identifier: Apache-2.0
#include "tessera/scheduler/failures.hpp"

#include "tessera/core/error.hpp"
#include "tessera/scheduler/failure_text.hpp"
#include "tessera/scheduler/scheduler.hpp"
#include "tessera/scheduler/workload_registry.hpp"

#include <fmt/format.h>
#include <new>

namespace tessera {

bool may_pass(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const store_error& error) {
    return error.may_pass();
  } catch (const takeover_error& error) {
    return error.may_pass();
  } catch (const worker_error&) {
    return true;
  } catch (const timeout_error&) {
    return true;
  } catch (const std::bad_alloc&) {
    return true;
  } catch (...) {
    return false;
  }
}

std::string describe_cause(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const explained_bad_alloc& error) {
    return error.what();
  } catch (const std::bad_alloc&) {
    return "out of memory (std::bad_alloc)";
  } catch (const std::exception& error) {
    return error.what();
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

std::string describe_failure(const std::string& task, int attempts,
                             const std::exception_ptr& cause) {
  const std::string tries = attempts == 1 ? "" : fmt::format(" after {} attempts", attempts);
  try {
    std::rethrow_exception(cause);
  } catch (const takeover_error& error) {
    return fmt::format("run: a worker could not take over the run{}: {}", tries, error.what());
  } catch (...) {
    return fmt::format("{}: the task failed{}: {}", task, tries, describe_cause(cause));
  }
}

std::unique_ptr<workload> take_over(const workload_recipe& recipe) {
  try {
    return make_workload(recipe);
  } catch (...) {
    const std::exception_ptr cause = std::current_exception();
    throw takeover_error(describe_cause(cause), may_pass(cause));
  }
}

bool is_loss(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const worker_error&) {
    return true;
  } catch (const timeout_error&) {
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace tessera
