# Writes a C++ file that holds the texts of the kernels. Run as a script:
#   cmake -DOUTPUT=file.cpp "-DKERNELS=a.cl;b.cl" -P embed_kernels.cmake
set(entries "")
foreach(kernel IN LISTS KERNELS)
  get_filename_component(name "${kernel}" NAME_WE)
  file(READ "${kernel}" text)
  # Raw string literals may be limited in length (16 KB in some compilers); no kernel comes near.
  string(APPEND entries "    {\"${name}\", R\"kernel(${text})kernel\"},\n")
endforeach()
file(WRITE "${OUTPUT}" "// Generated from kernels/*.cl by cmake/embed_kernels.cmake.
#include \"kernels/sources.hpp\"

#include <stdexcept>
#include <string>

namespace clgemm::core {
namespace {

constexpr KernelSource sources[] = {
${entries}};

} // namespace

std::span<const KernelSource> kernel_sources()
{
    return sources;
}

const KernelSource& kernel_source(std::string_view name)
{
    for (const auto& source : sources)
        if (source.name == name)
            return source;
    throw std::logic_error(\"no kernel source \" + std::string(name));
}

} // namespace clgemm::core
")
