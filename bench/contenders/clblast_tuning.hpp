// What CLBlast's own tuners found: the files that clblast_tuner_xgemm and its like write.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace bench {

using ClBlastParameters = std::map<std::string, std::size_t>;

// By kernel, as CLBlastOverrideParameters() calls it: the fastest parameters of all files on it, but for those with which
// CLBlast multiplies wrongly. Throws Absent where the folder has none that SGEMM uses.
std::map<std::string, ClBlastParameters> read_clblast_tuning(const std::string& folder);

} // namespace bench
