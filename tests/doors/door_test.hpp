// What the tests of all doors share: the products they compute, and who computed them.
#pragma once

#include "reference/reference.hpp"
#include "support/case_on_device.hpp"
#include "support/one_pocl_worker.hpp"

#include <vector>

namespace clgemm::test {

// All layouts and transposes, sizes that are no multiples of anything, padded and offset matrices, several alpha and beta.
std::vector<SgemmCase> door_cases();

// Does the program's symbol of that name come from a door of clgemm's?
bool is_from_door(const char* symbol);

// Is there a real library behind the door in this run? The environment's DOOR_TEST_REAL says so.
bool has_real_library();

int status_of(const cl::Event& event);
void let_others_run();

} // namespace clgemm::test
