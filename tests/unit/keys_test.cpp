// By what calls and selections are told apart: what the library remembers of one must never be used for another.
#include "made_up.hpp"

#include "families/registry.hpp"
#include "select/keys.hpp"

#include <gtest/gtest.h>

#include <set>

using namespace clgemm::core;
using namespace clgemm::test;

namespace {

// Matrices of all kinds that a selection may depend on; each of another kind than the others.
std::vector<Matrix> kinds_of(const Matrix& matrix)
{
    std::vector<Matrix> kinds;
    for (const std::size_t offset : {0, 1, 2, 4, 8})
        for (const bool transposed : {false, true})
            for (const std::size_t distance : {0, 4096})
                for (const bool prepared : {false, true}) {
                    Matrix kind = matrix;
                    kind.offset = offset;
                    kind.ld = 4096;
                    kind.transposed = transposed;
                    kind.distance = distance;
                    kind.prepared = prepared;
                    kinds.push_back(kind);
                }
    return kinds;
}

const Problem usual = make_problem(arguments(256, 512, 128));

} // namespace

TEST(SelectionKey, IsAnotherForEachKindOfEachMatrix)
{
    std::set<SelectionKey> keys;
    std::size_t count = 0;
    for (const Matrix& a : kinds_of(usual.a))
        for (const Matrix& b : kinds_of(usual.b))
            for (const Matrix& c : kinds_of(usual.c)) {
                Problem problem = usual;
                problem.a = a;
                problem.b = b;
                problem.c = c;
                keys.insert(selection_key(problem, {}));
                count++;
            }
    EXPECT_EQ(keys.size(), count);
}

// So that one is found for all of them.
TEST(SelectionKey, IsTheSameWhereNothingChosenDependsOnIt)
{
    Problem other = usual;
    other.alpha = 3;
    other.beta = -1;
    other.a.offset = 1024;
    EXPECT_EQ(selection_key(usual, {}), selection_key(other, {}));
    Problem batch = usual, wider = usual;
    batch.a.distance = 4096;
    wider.a.distance = 8192;
    EXPECT_EQ(selection_key(batch, {}), selection_key(wider, {}));
}

TEST(SelectionKey, IsAnotherForOtherQuestions)
{
    std::set<SelectionKey> keys{selection_key(usual, {})};
    std::size_t count = 1;
    const auto add = [&](const Problem& problem, const Options& options) {
        keys.insert(selection_key(problem, options));
        count++;
    };
    for (const auto& [m, n, k] : {std::tuple{257, 512, 128}, {256, 513, 128}, {256, 512, 129}}) {
        Problem problem = usual;
        problem.m = static_cast<std::size_t>(m);
        problem.n = static_cast<std::size_t>(n);
        problem.k = static_cast<std::size_t>(k);
        add(problem, {});
    }
    Problem strict = usual, batch = usual, listed = usual, odd = make_problem(arguments(31, 31, 31)), with_gaps = odd;
    strict.arithmetic.accuracy = CLGEMM_MATH_STRICT;
    batch.batch.count = 2;
    listed.batch.listed = true;
    add(listed, {});
    with_gaps.a.ld += 2;
    add(strict, {});
    add(batch, {});
    add(odd, {});
    add(with_gaps, {});
    for (Matrix Problem::*const matrix : {&Problem::a, &Problem::b, &Problem::c}) {
        Problem longer = usual;
        (longer.*matrix).ld += 1024;
        add(longer, {});
    }
    add(usual, {find_kernel("02_tiled")});
    add(usual, {nullptr, 1});
    add(usual, {nullptr, 0, true});
    EXPECT_EQ(keys.size(), count);
}

// A call is the same only where nothing differs.
TEST(CallKey, IsAnotherForEachDifference)
{
    std::set<CallKey> keys{call_key(usual, {})};
    std::size_t count = 1;
    const auto changed = [&](const auto& change) {
        Problem problem = usual;
        change(problem);
        keys.insert(call_key(problem, {}));
        count++;
    };
    changed([](Problem& x) { x.m++; });
    changed([](Problem& x) { x.n++; });
    changed([](Problem& x) { x.k++; });
    changed([](Problem& x) { x.alpha = 2; });
    changed([](Problem& x) { x.beta = 2; });
    changed([](Problem& x) { x.beta = -0.0f; });
    changed([](Problem& x) { std::swap(x.alpha, x.beta); });
    changed([](Problem& x) { x.batch.count = 3; });
    changed([](Problem& x) { x.b.siblings.count = 3; });
    changed([](Problem& x) { x.batch.listed = true; });
    changed([](Problem& x) { x.batch.first = 1; });
    changed([](Problem& x) { x.arithmetic.accuracy = CLGEMM_MATH_STRICT; });
    for (Matrix Problem::*matrix : {&Problem::a, &Problem::b, &Problem::c}) {
        changed([&](Problem& x) { (x.*matrix).offset++; });
        changed([&](Problem& x) { (x.*matrix).ld++; });
        changed([&](Problem& x) { (x.*matrix).distance++; });
        changed([&](Problem& x) { (x.*matrix).alignment *= 2; });
        changed([&](Problem& x) { (x.*matrix).transposed = !(x.*matrix).transposed; });
        changed([&](Problem& x) { (x.*matrix).prepared = !(x.*matrix).prepared; });
    }
    EXPECT_EQ(keys.size(), count);
}
