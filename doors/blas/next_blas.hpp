// The BLAS that comes after this library: it computes what OpenCL does not.
#pragma once

#include <atomic>
#include <initializer_list>

namespace clgemm::doors {

// A routine of that BLAS, under any of the names that BLAS libraries have for the same interface. It is looked for at the
// first use, since a program's BLAS may be loaded long after this library, and without a lock, since a fork()ed child
// must not wait for a thread that it does not have. Searched are, in this order:
//   1. the file that CLGEMM_CPU_BLAS names
//   2. what the dynamic linker itself would have found without this library
//   3. all libraries that are loaded: what Python and others load as their modules' own is hidden from 2
class NextRoutine {
public:
    template <class... Names> explicit constexpr NextRoutine(Names... names) : names_{names...}
    {
        static_assert(sizeof...(names) <= max_names);
    }

    // Null where there is none.
    template <class Function> Function as() { return reinterpret_cast<Function>(address()); }

private:
    static constexpr int max_names = 4;

    void* address();

    const char* names_[max_names];
    std::atomic<void*> address_{nullptr};
    std::atomic<bool> was_looked_for_{false};
};

} // namespace clgemm::doors
