// SPDX-License-Identifier: Apache-2.0
#include "unit/function/print_values.hpp"

int main() { tessera::testing::print_elementwise<2>(); }
