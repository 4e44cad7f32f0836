// The texts that are compiled into the library (cmake/embed_texts.cmake), so that it needs no file at run time.
#pragma once

#include <span>
#include <string_view>

namespace clgemm::core {

struct EmbeddedText {
    std::string_view name; // the file's, without its extension
    const char* text;
};

std::span<const EmbeddedText> kernel_sources(); // kernels/*.cl
std::span<const EmbeddedText> tuning_texts();   // tuning/*.json

// The kernel source of that name; there must be one.
using KernelSource = EmbeddedText;
const KernelSource& kernel_source(std::string_view name);

} // namespace clgemm::core
