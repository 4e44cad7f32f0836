// Which of the instructions in device/instruction_list.hpp a device has.
#pragma once

#include "device/profile.hpp"

namespace clgemm::core {

// The value of DeviceProfile::instructions. To be called when the rest of the profile is known.
InstructionSet find_instructions(const DeviceProfile& device);

// In words, for people: "Hopper's tensor cores".
const char* in_words(Instructions instructions);

} // namespace clgemm::core
