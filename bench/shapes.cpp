#include "shapes.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace bench {
namespace {

std::vector<Shape> squares(const std::vector<std::size_t>& sizes)
{
    std::vector<Shape> shapes;
    const auto square = [](std::size_t size) { return Shape{size, size, size}; };
    std::transform(sizes.begin(), sizes.end(), std::back_inserter(shapes), square);
    return shapes;
}

// From those that fit a core's cache to those that travel in many tiles.
std::vector<Shape> host_shapes()
{
    std::vector<Shape> shapes = squares({64, 128, 256, 384, 512, 600, 700, 850, 1024, 1536, 2048, 4096, 8192, 16384});
    shapes.insert(shapes.end(), {{4096, 16, 4096}, {65536, 64, 64}});
    return shapes;
}

// A few of every kind that the library chooses differently for, each of which takes milliseconds at most.
std::vector<Shape> regression_shapes_for_cpus()
{
    std::vector<Shape> shapes = squares({64, 128, 256, 384, 640, 1024});
    shapes.insert(
        shapes.end(),
        {{333, 777, 129}, {1023, 257, 1025}, {2048, 16, 2048}, {16, 2048, 2048}, {64, 64, 16384}, {1, 2048, 2048}});
    return shapes;
}

std::vector<Shape> regression_shapes_for_gpus()
{
    std::vector<Shape> shapes = squares({64, 256, 512, 1024, 2048, 4096});
    shapes.insert(
        shapes.end(),
        {{1025, 1025, 1025}, {2049, 2049, 2049}, {4096, 16, 4096}, {16, 4096, 4096}, {128, 128, 16384}, {1, 8192, 8192}});
    return shapes;
}

// Each has a goal of its own, so a mean of its own. A group's name stands for all its suites.
struct Named {
    const char* group;
    Suite suite;
};

std::vector<Named> all_suites()
{
    return {
        {"gpu", {"squares", squares({512, 768, 1024, 1536, 2048, 3000, 4096, 6000, 8192, 12288})}},
        {"gpu", {"awkward", squares({1023, 1025, 2049, 4095, 4097, 5003})}},
        {"gpu",
         {"skinny",
          {{8192, 64, 8192}, {64, 8192, 8192}, {4096, 16, 4096}, {16, 4096, 4096}, {1, 8192, 8192}, {8192, 1, 8192}}}},
        {"gpu", {"deep", {{64, 64, 65536}, {128, 128, 16384}, {512, 512, 32768}, {4096, 4096, 16}, {8192, 8192, 64}}}},
        {"gpu", {"small", squares({64, 128, 256, 384})}},
        {"cpu", {"cpu-squares", squares({512, 768, 1024, 1536, 2048, 3000, 4096})}},
        {"cpu", {"cpu-awkward", {{1000, 1001, 999}, {333, 777, 129}, {1023, 257, 4097}, {2049, 2049, 2049}}}},
        {"cpu", {"cpu-skinny", {{4096, 16, 4096}, {16, 4096, 4096}, {64, 64, 65536}, {4096, 4096, 16}}}},
        {"cpu", {"cpu-256", squares({256})}},
        {"cpu", {"cpu-small", squares({192, 128})}},
        {"cpu", {"cpu-gemv", {{1, 4096, 4096}, {4096, 1, 4096}}}},
        {"host", {"host", host_shapes()}},
        {"regression", {"regression-cpu", regression_shapes_for_cpus()}},
        {"regression", {"regression-gpu", regression_shapes_for_gpus()}},
    };
}

// Every BLAS here but OpenCL's takes sizes as int.
std::size_t parse_size(const std::string& text)
{
    int size = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), size);
    if (error != std::errc() || end != text.data() + text.size() || size < 1)
        throw std::invalid_argument("'" + text + "' is not a size from 1 to " +
                                    std::to_string(std::numeric_limits<int>::max()));
    return static_cast<std::size_t>(size);
}

} // namespace

double Product::flops() const
{
    return 2.0 * static_cast<double>(shape.m) * static_cast<double>(shape.n) * static_cast<double>(shape.k);
}

std::size_t Product::leading_dimension(std::size_t rows) const
{
    constexpr std::size_t aligned = 16;
    switch (columns) {
    case Columns::without_gaps: break;
    case Columns::aligned: return (rows + aligned - 1) / aligned * aligned;
    case Columns::unaligned: return rows | 1U;
    }
    return rows;
}

std::vector<Suite> suites_named(const std::string& name)
{
    std::vector<Suite> found;
    std::string names;
    for (const auto& [group, suite] : all_suites()) {
        if (name == group || name == suite.name)
            found.push_back(suite);
        names += ", " + suite.name;
    }
    if (found.empty())
        throw std::invalid_argument("no suite is called '" + name + "'; there are gpu, cpu, regression (several each)" +
                                    names);
    return found;
}

Shape parse_shape(const std::string& text)
{
    const std::size_t first = text.find('x');
    if (first == std::string::npos) {
        const std::size_t size = parse_size(text);
        return {size, size, size};
    }
    const std::size_t second = text.find('x', first + 1);
    if (second == std::string::npos)
        throw std::invalid_argument("'" + text + "' is not a shape like 4096x16x4096 (M x N x K)");
    return {parse_size(text.substr(0, first)), parse_size(text.substr(first + 1, second - first - 1)),
            parse_size(text.substr(second + 1))};
}

Transposes parse_transposes(const std::string& text)
{
    return {text.at(0) == 'T', text.at(1) == 'T'};
}

std::string to_string(const Shape& shape)
{
    return std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
}

std::string to_string(const Transposes& transposes)
{
    return {transposes.a ? 'T' : 'N', transposes.b ? 'T' : 'N'};
}

} // namespace bench
