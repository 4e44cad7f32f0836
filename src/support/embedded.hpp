// The texts that are compiled into the library (cmake/embed_texts.cmake), so that it needs no file at run time.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace clgemm::core {

struct EmbeddedText {
    std::string_view name;                    // the file's, without its extension
    std::span<const std::string_view> pieces; // of the text; compilers limit the length of a literal
    std::string text() const;
};

std::span<const EmbeddedText> kernel_sources(); // kernels/*.cl
std::span<const EmbeddedText> tuning_texts();   // tuning/*.json

// The kernel source of that name; there must be one.
using KernelSource = EmbeddedText;
const KernelSource& kernel_source(std::string_view name);

} // namespace clgemm::core
