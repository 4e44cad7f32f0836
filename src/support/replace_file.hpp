// Replaces a file so that its readers see it as it was or as it is to be, never half of it, however many write it at once.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace clgemm::core {

enum class Readers { owner, everybody }; // everybody whom the process's umask lets read

// The regular file that `path` names or would name if it were made: symbolic links are followed. Throws std::runtime_error,
// with the reason, where something else lies there: a folder, a device, a FIFO.
std::filesystem::path regular_file(const std::filesystem::path& path);

// Writes a new file beside `path`, under a name that no other process has, and puts it in the place of `path`, which must be
// in a folder that is there. A file for everybody keeps the mode and the owner of the one that it replaces, as far as the
// process may give them. Throws std::runtime_error with the reason; then nothing has changed.
void replace_file(const std::filesystem::path& path, std::string_view contents, Readers readers);

// The name of the file that a new file of replace_file()'s was to replace, by the new file's name: a writer that was killed
// leaves such a file behind. Nothing for any other name.
std::optional<std::string_view> replaced_by(std::string_view name);

// Throws what replace_file() would throw if it could not even begin.
void check_replaceable(const std::filesystem::path& path);

} // namespace clgemm::core
