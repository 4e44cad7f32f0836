// A real data set: the pairs of neighbouring letters in many English words. How often each of them occurs in each word is
// one large matrix, whose Gram matrix tells which pairs occur together. Which letter follows which, in one part of the words
// and the next, is many small products.
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

inline std::size_t index_of(char letter)
{
    return static_cast<std::size_t>(letter - 'a');
}

inline std::string name_of(std::size_t pair)
{
    return {static_cast<char>('a' + pair / letters), static_cast<char>('a' + pair % letters)};
}

// X^T X, X being words x pairs: element (p, q) counts how often pair p meets pair q in one word.
inline Product gram_matrix_of_pairs(const std::vector<std::string>& words)
{
    std::vector<float> counts(words.size() * letter_pairs);
    for (std::size_t w = 0; w < words.size(); w++)
        for (std::size_t i = 0; i + 1 < words[w].size(); i++)
            counts[(index_of(words[w][i]) * letters + index_of(words[w][i + 1])) * words.size() + w] += 1;

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

    std::string result;
    for (std::ptrdiff_t i = 0; i < shown; i++) {
        const auto& [p, q, times] = meetings[static_cast<std::size_t>(i)];
        result +=
            (i == 0 ? "" : ", ") + name_of(q) + " and " + name_of(p) + " (" + std::to_string(static_cast<long>(times)) + ")";
    }
    return result;
}

// F^T S for each of `parts` parts of the words, F and S being pairs x letters: a row of F is 1 at the pair's first letter,
// and one of S at its second. So element (f, s) counts how often f is followed by s. Where a part has fewer pairs than
// another, its last rows are 0.
inline std::vector<Product> followers(const std::vector<std::string>& words, std::size_t parts)
{
    std::vector<std::string> pairs(parts); // each part's, one letter behind the other
    std::size_t most = 1;
    for (std::size_t w = 0; w < words.size(); w++) {
        std::string& its = pairs[w * parts / words.size()];
        for (std::size_t i = 0; i + 1 < words[w].size(); i++)
            its += words[w].substr(i, 2);
        most = std::max(most, its.size() / 2);
    }
    std::vector<Product> result(parts);
    for (std::size_t part = 0; part < parts; part++) {
        Product& product = result[part];
        product.m = product.n = letters;
        product.k = most;
        product.a_is_transposed = true;
        product.a.resize(most * letters);
        product.b.resize(most * letters);
        for (std::size_t pair = 0; 2 * pair < pairs[part].size(); pair++) {
            product.a[index_of(pairs[part][2 * pair]) * most + pair] = 1;
            product.b[index_of(pairs[part][2 * pair + 1]) * most + pair] = 1;
        }
    }
    return result;
}

// Such products in words: which pair is the most frequent one, in the first part, the middle one and the last.
inline std::string most_frequent(const std::vector<float>& products)
{
    std::string result;
    const std::size_t parts = products.size() / letter_pairs;
    for (const std::size_t part : {std::size_t{0}, parts / 2, parts - 1}) {
        const auto begin = products.begin() + static_cast<std::ptrdiff_t>(part * letter_pairs);
        const auto most = std::max_element(begin, begin + letter_pairs); // by columns: the second letter's
        const auto at = static_cast<std::size_t>(most - begin);
        result += (result.empty() ? "" : ", ") + name_of(at % letters * letters + at / letters) + " (" +
                  std::to_string(static_cast<long>(*most)) + ")";
    }
    return result;
}

} // namespace demo
