// Objects that other code keeps with a thing for as long as the thing lives, one of each type. The thing need not know the
// types.
#pragma once

#include <map>
#include <memory>
#include <mutex>

namespace clgemm::core {

class Attached {
public:
    // The object of this type, which is made without arguments when it is first asked for. Threads may ask at once.
    template <typename T> T& get()
    {
        const std::lock_guard lock(mutex_);
        std::shared_ptr<void>& kept = kept_[&key_of<T>];
        if (!kept)
            kept = std::make_shared<T>();
        return *static_cast<T*>(kept.get());
    }

private:
    template <typename T> static inline const char key_of = 0; // its address tells the types apart

    std::mutex mutex_;
    std::map<const char*, std::shared_ptr<void>> kept_;
};

} // namespace clgemm::core
