// What Mesa's drivers for GPUs of Arm and Qualcomm need for programs. Debian has these drivers for arm64 alone: an emulator
// runs them, over kernel drivers that only pretend to be there (tests/compile/fetch).
#pragma once

#include "other_gpus.hpp"

#include <vector>

namespace clgemm::test {

bool has_mesa();

// driver: as Mesa calls it, "panfrost" or "freedreno". Files go to `folder`.
std::string mesa_version(const std::string& driver, const std::filesystem::path& folder); // and which GPU it takes for there
std::vector<CompiledFor> compile_by_mesa(const std::string& driver, const std::vector<Program>& programs,
                                         const std::filesystem::path& folder);

} // namespace clgemm::test
