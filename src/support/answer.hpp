// An answer to a question of whether something can be done: yes, or no and why.
#pragma once

#include <string>
#include <utility>

namespace clgemm::core {

class Answer {
public:
    static Answer yes() { return Answer(); } // NOLINT(modernize-return-braced-init-list): {} would not say what
    // `reason`: for people, as what follows "it": "needs tensor cores".
    static Answer no(std::string reason)
    {
        Answer result;
        result.reason_ = std::move(reason);
        return result;
    }

    explicit operator bool() const { return reason_.empty(); }
    const std::string& reason() const { return reason_; } // empty: there is none, since it can be done

private:
    Answer() = default;
    std::string reason_;
};

} // namespace clgemm::core
