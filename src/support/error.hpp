// How failures travel inside the library: one exception with the status that the API returns and the sentence that
// clgemm_last_error() gives. It never leaves src/api.
#pragma once

#include <stdexcept>
#include <string>

namespace clgemm::core {

class Error : public std::runtime_error {
public:
    Error(int status, const std::string& message) : std::runtime_error(message), status_(status) {}
    int status() const { return status_; }

private:
    int status_;
};

// This way of computing cannot be had here and now, though the device is of the right kind; nothing of the call has been
// enqueued that writes C, so another way may be taken.
class Unavailable : public Error {
public:
    using Error::Error;
};

} // namespace clgemm::core
