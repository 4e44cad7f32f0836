#include "next_library.hpp"

#include "keep_loaded.hpp"

#include <dlfcn.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <new>
#include <vector>

// Only doors have this symbol. By it any door is known for one, also an installed copy of this one.
extern "C" {
extern const char clgemm_door[];
const char clgemm_door[] = "a door of clgemm";
}

namespace clgemm::doors {
namespace {

// The folders in which the loader looks for the program's libraries. (Those of /etc/ld.so.conf are not among them.)
std::vector<std::string> library_folders()
{
    void* const program = dlopen(nullptr, RTLD_LAZY);
    Dl_serinfo size;
    if (!program || dlinfo(program, RTLD_DI_SERINFOSIZE, &size) != 0)
        return {};
    // A structure whose array goes on past its end.
    std::vector<std::max_align_t> memory(size.dls_size / sizeof(std::max_align_t) + 1);
    auto* const folders = new (memory.data()) Dl_serinfo;
    std::vector<std::string> names;
    if (dlinfo(program, RTLD_DI_SERINFOSIZE, folders) == 0 && dlinfo(program, RTLD_DI_SERINFO, folders) == 0)
        for (unsigned i = 0; i < folders->dls_cnt; i++)
            names.emplace_back(folders->dls_serpath[i].dls_name);
    return names;
}

// Loads this file, and never closes it; null if it cannot be loaded or is a door.
void* load_real(const std::string& file)
{
    // RTLD_LOCAL: only calls that are forwarded go there.
    void* const handle = dlopen(file.c_str(), RTLD_LAZY | RTLD_LOCAL);
    return handle && !dlsym(handle, "clgemm_door") ? handle : nullptr;
}

} // namespace

bool NextLibrary::is_named()
{
    std::call_once(asked_, [this] {
        // An empty variable counts as unset, as shells have it. In a set-uid program every variable does: its caller must
        // not say which libraries it loads.
        const char* const file = secure_getenv(variable_); // NOLINT(concurrency-mt-unsafe): once
        is_named_ = file && *file;
        if (is_named_)
            load_named(file);
    });
    return is_named_;
}

void NextLibrary::load_named(const char* file)
{
    handle_ = load_real(file);
    const char* const error = dlerror(); // NOLINT(concurrency-mt-unsafe): it tells each thread of that thread's own calls
    const std::string reason = handle_ ? "has none either"
                               : error ? std::string("cannot be loaded: ") + error
                                       : "is a part of clgemm";
    why_missing_ = new std::string(std::string(variable_) + " is '" + file + "', which " + reason);
}

void NextLibrary::load_file()
{
    handle_ = load_real(file_);
    for (const auto& folder : library_folders()) {
        if (handle_)
            return;
        handle_ = load_real(folder + "/" + file_);
    }
    if (!handle_)
        why_missing_ =
            new std::string("no " + std::string(file_) + " was found to take it from: " + variable_ + " can name its file");
}

void* NextLibrary::find(const char* symbol)
{
    if (!is_named()) {
        if (void* const next = dlsym(RTLD_NEXT, symbol)) {
            keep_loaded(next);
            return next;
        }
        std::call_once(loaded_, [this] { load_file(); });
    }
    return handle_ ? dlsym(handle_, symbol) : nullptr;
}

std::string NextLibrary::why_missing() const
{
    return why_missing_ ? *why_missing_ : "the " + std::string(file_) + " behind clgemm has none either";
}

} // namespace clgemm::doors
