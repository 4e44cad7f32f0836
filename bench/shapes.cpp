#include "shapes.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace bench {

using namespace timing;

namespace {

std::vector<Product> squares(const std::vector<std::size_t>& sizes)
{
    std::vector<Product> products;
    const auto square = [](std::size_t size) { return Product{{size, size, size}}; };
    std::transform(sizes.begin(), sizes.end(), std::back_inserter(products), square);
    return products;
}

std::vector<Product> of(const std::vector<Shape>& shapes)
{
    std::vector<Product> products;
    std::transform(shapes.begin(), shapes.end(), std::back_inserter(products), [](const Shape& s) { return Product{s}; });
    return products;
}

Product batch(std::size_t count, const Shape& shape)
{
    Product product{shape};
    product.count = count;
    return product;
}

Product batch_of_squares(std::size_t count, std::size_t size)
{
    return batch(count, {size, size, size});
}

std::vector<Product> squares_and(const std::vector<std::size_t>& sizes, const std::vector<Shape>& others)
{
    std::vector<Product> products = squares(sizes);
    const std::vector<Product> more = of(others);
    products.insert(products.end(), more.begin(), more.end());
    return products;
}

// From those that fit a core's cache to those that travel in many tiles.
std::vector<Product> host_products()
{
    return squares_and({64, 128, 256, 384, 512, 600, 700, 850, 1024, 1536, 2048, 4096, 8192, 16384},
                       {{4096, 16, 4096}, {65536, 64, 64}});
}

// A few of every kind that the library chooses differently for, each of which takes milliseconds at most.
std::vector<Product> regression_on_cpus()
{
    return squares_and(
        {64, 128, 256, 384, 640, 1024},
        {{333, 777, 129}, {1023, 257, 1025}, {2048, 16, 2048}, {16, 2048, 2048}, {64, 64, 16384}, {1, 2048, 2048}});
}

std::vector<Product> regression_on_gpus()
{
    return squares_and(
        {64, 256, 512, 1024, 2048, 4096},
        {{1025, 1025, 1025}, {2049, 2049, 2049}, {4096, 16, 4096}, {16, 4096, 4096}, {128, 128, 16384}, {1, 8192, 8192}});
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
          of({{8192, 64, 8192}, {64, 8192, 8192}, {4096, 16, 4096}, {16, 4096, 4096}, {1, 8192, 8192}, {8192, 1, 8192}})}},
        {"gpu", {"deep", of({{64, 64, 65536}, {128, 128, 16384}, {512, 512, 32768}, {4096, 4096, 16}, {8192, 8192, 64}})}},
        {"gpu", {"small", squares({64, 128, 256, 384})}},
        {"cpu", {"cpu-squares", squares({512, 768, 1024, 1536, 2048, 3000, 4096})}},
        {"cpu", {"cpu-awkward", of({{1000, 1001, 999}, {333, 777, 129}, {1023, 257, 4097}, {2049, 2049, 2049}})}},
        {"cpu", {"cpu-skinny", of({{4096, 16, 4096}, {16, 4096, 4096}, {64, 64, 65536}, {4096, 4096, 16}})}},
        {"cpu", {"cpu-256", squares({256})}},
        {"cpu", {"cpu-small", squares({192, 128})}},
        {"cpu", {"cpu-gemv", of({{1, 4096, 4096}, {4096, 1, 4096}})}},
        {"host", {"host", host_products()}},
        {"regression", {"regression-cpu", regression_on_cpus()}},
        {"regression", {"regression-gpu", regression_on_gpus()}},
        {"batches",
         {"batched",
          {batch_of_squares(100000, 8), batch_of_squares(50000, 16), batch_of_squares(20000, 32), batch_of_squares(5000, 64),
           batch_of_squares(1000, 128), batch_of_squares(256, 256), batch_of_squares(64, 512), batch_of_squares(16, 1024)}}},
        {"batches",
         {"batched-ragged",
          {batch_of_squares(100000, 7), batch_of_squares(50000, 13), batch_of_squares(20000, 31),
           batch_of_squares(20000, 33), batch_of_squares(1000, 100), batch_of_squares(1000, 129), batch(20000, {64, 64, 8}),
           batch(20000, {4, 4, 1000}), batch(20000, {128, 1, 128})}}},
        {"batches", {"winograd", {batch(16, {64, 100, 64}), batch(36, {128, 196, 128})}}},
        {"cpu-batches",
         {"cpu-batched",
          {batch_of_squares(20000, 8), batch_of_squares(5000, 16), batch_of_squares(2000, 32), batch_of_squares(500, 64),
           batch_of_squares(100, 128)}}},
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
        throw std::invalid_argument("no suite is called '" + name +
                                    "'; there are gpu, cpu, batches, cpu-batches, regression (several each)" + names);
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

Product parse_product(const std::string& text)
{
    const std::size_t star = text.find('*');
    if (star == std::string::npos)
        return {parse_shape(text)};
    return batch(parse_size(text.substr(0, star)), parse_shape(text.substr(star + 1)));
}

Transposes parse_transposes(const std::string& text)
{
    return {text.at(0) == 'T', text.at(1) == 'T'};
}

} // namespace bench
