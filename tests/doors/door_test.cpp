#include "door_test.hpp"

#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <thread>

namespace clgemm::test {

std::vector<SgemmCase> door_cases()
{
    std::vector<SgemmCase> cases;
    for (const auto layout : {CLGEMM_ROW_MAJOR, CLGEMM_COLUMN_MAJOR})
        for (const auto trans_a : {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS})
            for (const auto trans_b : {CLGEMM_NO_TRANS, CLGEMM_TRANS, CLGEMM_CONJ_TRANS}) {
                cases.push_back({layout, trans_a, trans_b, 33, 17, 29, 1, 0, {}, {}});
                cases.push_back({layout, trans_a, trans_b, 67, 35, 21, 0.5f, -2, {1, 2, 3}, {3, 1, 5}});
                cases.push_back({layout, trans_a, trans_b, 1, 130, 64, -1, 1, {4, 0, 0}, {0, 8, 0}});
            }
    return cases;
}

bool is_from_door(const char* symbol)
{
    Dl_info found, door;
    return dladdr(dlsym(RTLD_DEFAULT, symbol), &found) && dladdr(dlsym(RTLD_DEFAULT, "clgemm_door"), &door) &&
           found.dli_fbase == door.dli_fbase;
}

bool has_real_library()
{
    return std::getenv("DOOR_TEST_REAL") != nullptr;
}

int status_of(const cl::Event& event)
{
    return event.getInfo<CL_EVENT_COMMAND_EXECUTION_STATUS>();
}

void let_others_run()
{
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
}

} // namespace clgemm::test
