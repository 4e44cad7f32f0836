// A library that is looked for at run time, so that nothing here needs it to build or to start.
#pragma once

#include <string>
#include <vector>

namespace bench {

// Stays loaded until the process ends: libraries with threads of their own do not survive being unloaded.
class SharedLibrary {
public:
    // The first of the names that the loader finds. Throws Absent.
    explicit SharedLibrary(const std::vector<std::string>& names);

    // Throws Absent where the library has no such function. The caller answers for the signature.
    template <typename Signature> Signature* function(const char* name) const
    {
        return reinterpret_cast<Signature*>(symbol(name));
    }

    // The file it was loaded from, links resolved: "libclblast.so.1.5.3".
    std::string file() const;

private:
    void* symbol(const char* name) const;

    void* handle_ = nullptr;
};

// What libraries read when they are loaded; null: unset.
void set_environment(const char* name, const char* value);

} // namespace bench
