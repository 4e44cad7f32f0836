#include "support/warning.hpp"

#include "support/log.hpp"

#include <mutex>
#include <set>

namespace clgemm::core {

void warn_once(const std::string& message)
{
    static auto* const mutex = new std::mutex;
    static auto* const said = new std::set<std::string>;
    const std::lock_guard lock(*mutex);
    if (said->insert(message).second)
        write_warning("warning: " + message);
}

} // namespace clgemm::core
