// The library that a door stands in front of: the real clBLAS or CLBlast, which has the routines that we do not have.
#pragma once

#include <mutex>
#include <string>

namespace clgemm::doors {

// Looked for when first needed, and kept until the process ends. It is, in this order:
//   1. the file that `variable` of the environment names; then nothing else is tried
//   2. what comes after the door among the program's own libraries, where the door was preloaded before the real one
//   3. `file`, wherever the loader finds it, unless that is a door itself: a link with that name may lead to one, so all
//      folders that the loader looks through are tried
class NextLibrary {
public:
    constexpr NextLibrary(const char* variable, const char* file) : variable_(variable), file_(file) {}

    // Where `symbol` is; null where there is no such library, or none with that symbol. Thread-safe.
    void* find(const char* symbol);

    // The same as a function: auto* dgemm = library.function<Dgemm>("clblasDgemm").
    template <typename Function> Function* function(const char* symbol) { return reinterpret_cast<Function*>(find(symbol)); }

    // Why find() gave null, in words for people.
    std::string why_missing() const;

private:
    bool is_named();
    void load_named(const char* file);
    void load_file();

    const char* variable_;
    const char* file_;
    std::once_flag asked_, loaded_;
    bool is_named_ = false; // by the environment
    void* handle_ = nullptr;
    const std::string* why_missing_ = nullptr; // never deleted: calls may come from other destructors at exit
};

} // namespace clgemm::doors
