// What CLBlast's own tuners found: the files that clblast_tuner_xgemm and its like write.
#pragma once

#include <cstddef>
#include <map>
#include <string>

namespace bench {

// By kernel, as CLBlastOverrideParameters() calls it: each parameter's name and value. Of several files on one kernel, the
// one with the highest speed. Throws Absent where the folder has none that SGEMM uses.
std::map<std::string, std::map<std::string, std::size_t>> read_clblast_tuning(const std::string& folder);

} // namespace bench
