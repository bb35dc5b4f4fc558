// SPDX-License-Identifier: Apache-2.0
#include "executor/failures.hpp"

#include "tessera/core/error.hpp"
#include "tessera/executor/scheduler.hpp"

#include "executor/failure_text.hpp"

#include <new>

namespace tessera {

bool may_pass(const std::exception_ptr& failure) {
  try {
    std::rethrow_exception(failure);
  } catch (const store_error& error) {
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
