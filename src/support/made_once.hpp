// Things that take a while to make, by key. Each is made once, by the first thread that asks for it, and threads that ask
// for another one do not wait. The last few are kept.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <iterator>
#include <list>
#include <memory>
#include <mutex>
#include <utility>

namespace clgemm::core {

template <typename Key, typename Value> class MadeOnce {
public:
    // Keeps at most `most` things, and lets go of the one that nobody has asked for the longest. Whoever holds that one can
    // go on using it.
    explicit MadeOnce(std::size_t most) : most_(most) {}

    // `make` returns a std::shared_ptr<Value>. Where it throws, the next one who asks tries again.
    template <typename Make> std::shared_ptr<Value> get(const Key& key, const Make& make)
    {
        const std::shared_ptr<Entry> entry = entry_of(key);
        const std::lock_guard lock(entry->mutex);
        try {
            if (!entry->value)
                entry->value = make();
        } catch (...) {
            give_up(entry);
            throw;
        }
        entry->asking--;
        return entry->value;
    }

    // Lets go of those whose key passes the test.
    template <typename Test> void drop(const Test& test)
    {
        Entries dropped; // freed after the lock, since drivers may take their time
        const std::lock_guard lock(mutex_);
        for (auto it = entries_.begin(); it != entries_.end();) {
            const auto next = std::next(it);
            if (test((*it)->key))
                dropped.splice(dropped.end(), entries_, it);
            it = next;
        }
    }

private:
    struct Entry {
        explicit Entry(Key its_key) : key(std::move(its_key)) {}
        const Key key;
        std::mutex mutex;
        std::shared_ptr<Value> value;
        std::atomic<std::size_t> asking = 0; // how many threads are in get() for it; grows under the mutex of all entries
    };
    using Entries = std::list<std::shared_ptr<Entry>>;

    std::shared_ptr<Entry> entry_of(const Key& key)
    {
        Entries dropped; // freed after the lock
        const std::lock_guard lock(mutex_);
        const auto found =
            std::find_if(entries_.begin(), entries_.end(), [&](const auto& each) { return each->key == key; });
        if (found != entries_.end()) {
            entries_.splice(entries_.begin(), entries_, found);
        } else {
            entries_.push_front(std::make_shared<Entry>(key));
            if (entries_.size() > most_)
                dropped.splice(dropped.end(), entries_, std::prev(entries_.end()));
        }
        entries_.front()->asking++;
        return entries_.front();
    }

    // Lets go of an entry whose value could not be made, since it must not push out one that is of use. Where other threads
    // wait for the entry, it stays: the next of them tries to make the value, and threads that ask meanwhile must find it.
    // The entry's mutex is held, so that all others that are counted do wait.
    void give_up(const std::shared_ptr<Entry>& entry)
    {
        const std::lock_guard lock(mutex_);
        if (--entry->asking == 0)
            entries_.remove(entry);
    }

    const std::size_t most_;
    std::mutex mutex_;
    Entries entries_; // the last asked for first
};

} // namespace clgemm::core
