#include "support/warning.hpp"

#include <cstdio>
#include <mutex>
#include <set>

namespace clgemm::core {

void warn_once(const std::string& message)
{
    static auto* const mutex = new std::mutex;
    static auto* const said = new std::set<std::string>;
    const std::lock_guard lock(*mutex);
    if (said->insert(message).second)
        std::fprintf(stderr, "clgemm: warning: %s\n", message.c_str());
}

} // namespace clgemm::core
