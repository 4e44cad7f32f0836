// Ctrl-C: the first one asks the program to end well, the second one ends it.
#pragma once

namespace clgemm::program {

// To be called before the program's other threads begin, a driver's among them.
void catch_interrupts();
bool is_interrupted();

} // namespace clgemm::program
