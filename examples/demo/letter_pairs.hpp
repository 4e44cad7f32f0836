// A real data set: how often each pair of neighbouring letters occurs in each of many English words. Its Gram matrix tells
// which pairs occur together.
#pragma once

#include "product.hpp"

#include <fstream>

namespace demo {

constexpr std::size_t letters = 26;
constexpr std::size_t letter_pairs = letters * letters;
constexpr const char* word_list = "/usr/share/dict/american-english";
constexpr const char* word_list_package = "wamerican";

// `count` words evenly spread over the list, or all if it has no more; none if there is no such file. Names and what
// has other letters than a to z are left out.
inline std::vector<std::string> read_words(std::size_t count)
{
    std::vector<std::string> all;
    std::ifstream file(word_list);
    for (std::string word; std::getline(file, word);)
        if (word.size() > 1 && word.find_first_not_of("abcdefghijklmnopqrstuvwxyz") == std::string::npos)
            all.push_back(word);
    if (all.size() <= count)
        return all;
    std::vector<std::string> chosen;
    for (std::size_t i = 0; i < count; i++)
        chosen.push_back(all[i * all.size() / count]);
    return chosen;
}

// X^T X, X being words x pairs: element (p, q) counts how often pair p meets pair q in one word.
inline Product gram_matrix_of_pairs(const std::vector<std::string>& words)
{
    std::vector<float> counts(words.size() * letter_pairs);
    const auto index = [](char letter) { return static_cast<std::size_t>(letter - 'a'); };
    for (std::size_t w = 0; w < words.size(); w++)
        for (std::size_t i = 0; i + 1 < words[w].size(); i++)
            counts[(index(words[w][i]) * letters + index(words[w][i + 1])) * words.size() + w] += 1;

    Product product;
    product.title = "X^T X, X counting the " + std::to_string(letter_pairs) + " letter pairs in each of " +
                    std::to_string(words.size()) + " English words";
    product.m = product.n = letter_pairs;
    product.k = words.size();
    product.a = counts;
    product.b = std::move(counts);
    product.a_is_transposed = true;
    return product;
}

// The Gram matrix in words: which two different pairs meet most often.
inline std::string meaning(const std::vector<float>& gram)
{
    struct Meeting {
        std::size_t p, q;
        float times;
    };
    std::vector<Meeting> meetings;
    for (std::size_t p = 0; p < letter_pairs; p++)
        for (std::size_t q = 0; q < p; q++)
            meetings.push_back({p, q, gram[p * letter_pairs + q]});
    constexpr std::ptrdiff_t shown = 5;
    std::partial_sort(meetings.begin(), meetings.begin() + shown, meetings.end(),
                      [](const Meeting& x, const Meeting& y) { return x.times > y.times; });

    const auto name = [](std::size_t pair) {
        return std::string{static_cast<char>('a' + pair / letters), static_cast<char>('a' + pair % letters)};
    };
    std::string result;
    for (std::ptrdiff_t i = 0; i < shown; i++) {
        const auto& [p, q, times] = meetings[static_cast<std::size_t>(i)];
        result += (i == 0 ? "" : ", ") + name(q) + " and " + name(p) + " (" + std::to_string(static_cast<long>(times)) + ")";
    }
    return result;
}

} // namespace demo
