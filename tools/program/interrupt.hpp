// Ctrl-C: the first one asks the program to end well, the second one ends it.
#pragma once

namespace clgemm::program {

void catch_interrupts();
bool is_interrupted();

} // namespace clgemm::program
