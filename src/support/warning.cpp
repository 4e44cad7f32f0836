#include "support/warning.hpp"

#include "support/log.hpp"

#include <mutex>
#include <set>

namespace clgemm::core {

void warn_once(const std::string& message)
{
    static auto* const mutex = new std::mutex;
    static auto* const said = new std::set<std::string>;
    {
        const std::lock_guard lock(*mutex);
        if (!said->insert(message).second)
            return;
    }
    write_warning("warning: " + message); // without the lock: the caller's function may take its time
}

} // namespace clgemm::core
