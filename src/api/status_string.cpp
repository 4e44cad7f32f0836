// clgemm_status_string(): what a status means.
#include "problem/status_text.hpp"

extern "C" const char* clgemm_status_string(clgemm_status status)
{
    return clgemm::core::status_text(status);
}
