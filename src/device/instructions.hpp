// Which of the instructions in device/instruction_list.hpp a device has.
#pragma once

#include "device/profile.hpp"

namespace clgemm::core {

// As DeviceProfile::instructions has it. Asked once for each device, when the rest of its profile is known.
InstructionSet find_instructions(const DeviceProfile& device);

// In words, for people: "Hopper's tensor cores".
const char* in_words(Instructions instructions);

} // namespace clgemm::core
