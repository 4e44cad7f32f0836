// The structures of kernels/arguments.h are laid out alike by the C++ compiler and by the device's OpenCL compiler.
#include "support/device.hpp"

#include "kernels/arguments.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

using namespace clgemm::test;
namespace kernel_arguments = clgemm::core::kernel_arguments;

namespace {

struct Member {
    std::string name;
    std::size_t offset, size;
};

struct Structure {
    std::string name;
    std::size_t size;
    std::vector<Member> members;
};

#define MEMBER(structure, name)                                                                                             \
    {                                                                                                                       \
#name, offsetof(kernel_arguments::structure, name), sizeof(kernel_arguments::structure::name)                       \
    }

// As the C++ compiler lays them out, in the header's order.
std::vector<Structure> structures()
{
    return {
        {"Strided",
         sizeof(kernel_arguments::Strided),
         {MEMBER(Strided, offset), MEMBER(Strided, row), MEMBER(Strided, column)}},
        {"Multiplication",
         sizeof(kernel_arguments::Multiplication),
         {MEMBER(Multiplication, M), MEMBER(Multiplication, N), MEMBER(Multiplication, K), MEMBER(Multiplication, alpha),
          MEMBER(Multiplication, beta), MEMBER(Multiplication, A), MEMBER(Multiplication, B), MEMBER(Multiplication, C),
          MEMBER(Multiplication, partK), MEMBER(Multiplication, nextK), MEMBER(Multiplication, partA),
          MEMBER(Multiplication, partB), MEMBER(Multiplication, partC), MEMBER(Multiplication, first)}},
        {"Product",
         sizeof(kernel_arguments::Product),
         {MEMBER(Product, offA), MEMBER(Product, offB), MEMBER(Product, offC), MEMBER(Product, alpha),
          MEMBER(Product, beta)}},
        {"MappedMultiplication",
         sizeof(kernel_arguments::MappedMultiplication),
         {MEMBER(MappedMultiplication, whole), MEMBER(MappedMultiplication, maps)}},
        {"BlockMultiplication",
         sizeof(kernel_arguments::BlockMultiplication),
         {MEMBER(BlockMultiplication, whole), MEMBER(BlockMultiplication, blockM), MEMBER(BlockMultiplication, blockN)}},
        {"SeveralBlocksMultiplication",
         sizeof(kernel_arguments::SeveralBlocksMultiplication),
         {MEMBER(SeveralBlocksMultiplication, whole), MEMBER(SeveralBlocksMultiplication, blockM),
          MEMBER(SeveralBlocksMultiplication, blockN), MEMBER(SeveralBlocksMultiplication, parts),
          MEMBER(SeveralBlocksMultiplication, together)}},
        {"SmallProducts",
         sizeof(kernel_arguments::SmallProducts),
         {MEMBER(SmallProducts, whole), MEMBER(SmallProducts, products), MEMBER(SmallProducts, distanceA),
          MEMBER(SmallProducts, distanceB), MEMBER(SmallProducts, distanceC), MEMBER(SmallProducts, together),
          MEMBER(SmallProducts, blockM), MEMBER(SmallProducts, blockN), MEMBER(SmallProducts, deep)}},
        {"Packing",
         sizeof(kernel_arguments::Packing),
         {MEMBER(Packing, M), MEMBER(Packing, N), MEMBER(Packing, K), MEMBER(Packing, A), MEMBER(Packing, B),
          MEMBER(Packing, packedA), MEMBER(Packing, packedB), MEMBER(Packing, next), MEMBER(Packing, nextPacked)}},
        {"PanelMultiplication",
         sizeof(kernel_arguments::PanelMultiplication),
         {MEMBER(PanelMultiplication, M), MEMBER(PanelMultiplication, N), MEMBER(PanelMultiplication, K),
          MEMBER(PanelMultiplication, alpha), MEMBER(PanelMultiplication, beta), MEMBER(PanelMultiplication, packedA),
          MEMBER(PanelMultiplication, packedB), MEMBER(PanelMultiplication, C), MEMBER(PanelMultiplication, panelsM),
          MEMBER(PanelMultiplication, panelsN)}},
        {"Image",
         sizeof(kernel_arguments::Image),
         {MEMBER(Image, offset), MEMBER(Image, rows), MEMBER(Image, ranges), MEMBER(Image, roots)}},
        {"Splitting",
         sizeof(kernel_arguments::Splitting),
         {MEMBER(Splitting, M), MEMBER(Splitting, N), MEMBER(Splitting, K), MEMBER(Splitting, A), MEMBER(Splitting, B),
          MEMBER(Splitting, imageA), MEMBER(Splitting, imageB), MEMBER(Splitting, groupsA), MEMBER(Splitting, groups),
          MEMBER(Splitting, stretch), MEMBER(Splitting, next), MEMBER(Splitting, nextImage), MEMBER(Splitting, nextRanges)}},
        {"ImageMultiplication",
         sizeof(kernel_arguments::ImageMultiplication),
         {MEMBER(ImageMultiplication, whole), MEMBER(ImageMultiplication, imageA), MEMBER(ImageMultiplication, imageB)}},
        {"ImageBlockMultiplication",
         sizeof(kernel_arguments::ImageBlockMultiplication),
         {MEMBER(ImageBlockMultiplication, whole), MEMBER(ImageBlockMultiplication, imageA),
          MEMBER(ImageBlockMultiplication, imageB), MEMBER(ImageBlockMultiplication, blockM),
          MEMBER(ImageBlockMultiplication, blockN)}},
        {"Copying",
         sizeof(kernel_arguments::Copying),
         {MEMBER(Copying, rows), MEMBER(Copying, columns), MEMBER(Copying, offsetIn), MEMBER(Copying, ldIn),
          MEMBER(Copying, paddedRows), MEMBER(Copying, paddedColumns), MEMBER(Copying, offsetOut), MEMBER(Copying, ldOut),
          MEMBER(Copying, nextIn), MEMBER(Copying, nextOut)}},
        {"Unpadding",
         sizeof(kernel_arguments::Unpadding),
         {MEMBER(Unpadding, rows), MEMBER(Unpadding, columns), MEMBER(Unpadding, offsetIn), MEMBER(Unpadding, ldIn),
          MEMBER(Unpadding, offsetC), MEMBER(Unpadding, ldc), MEMBER(Unpadding, beta)}},
        {"Scaling",
         sizeof(kernel_arguments::Scaling),
         {MEMBER(Scaling, rows), MEMBER(Scaling, columns), MEMBER(Scaling, offsetC), MEMBER(Scaling, ldc),
          MEMBER(Scaling, beta), MEMBER(Scaling, unused), MEMBER(Scaling, nextC), MEMBER(Scaling, first)}},
        {"Reducing",
         sizeof(kernel_arguments::Reducing),
         {MEMBER(Reducing, rows), MEMBER(Reducing, columns), MEMBER(Reducing, parts), MEMBER(Reducing, alpha),
          MEMBER(Reducing, beta), MEMBER(Reducing, offsetSums), MEMBER(Reducing, ldSums), MEMBER(Reducing, partC),
          MEMBER(Reducing, offsetC), MEMBER(Reducing, ldc)}},
        {"BlockReducing",
         sizeof(kernel_arguments::BlockReducing),
         {MEMBER(BlockReducing, whole), MEMBER(BlockReducing, blockRows), MEMBER(BlockReducing, blockColumns)}},
    };
}

std::string text_of_header()
{
    const std::ifstream file(CLGEMM_ARGUMENTS_HEADER);
    std::ostringstream text;
    text << file.rdbuf();
    return text.str();
}

// One after the other: the size of each structure, then where each of its members begins.
std::vector<cl_ulong> laid_out_by_cpp()
{
    std::vector<cl_ulong> result;
    for (const auto& [name, size, members] : structures()) {
        result.push_back(size);
        for (const auto& member : members)
            result.push_back(member.offset);
    }
    return result;
}

// The same numbers, written by a kernel.
std::string source_of_kernel()
{
    std::string result = text_of_header() + "\nkernel void lay_out(global ulong* result)\n{\n";
    std::size_t next = 0;
    const auto write = [&](const std::string& value) {
        result += "    result[" + std::to_string(next++) + "] = " + value + ";\n";
    };
    for (const auto& [name, size, members] : structures()) {
        const std::string object = "one" + name;
        result += "    " + name + " " + object + ";\n";
        write("sizeof(" + name + ")");
        for (const auto& member : members)
            write("(private char*)&" + object + "." + member.name + " - (private char*)&" + object);
    }
    return result + "}\n";
}

} // namespace

TEST(ArgumentsLayout, IsTheSameInCppAndOnTheDevice)
{
    const auto& test = test_device();
    const cl::Program program(test.context, source_of_kernel());
    try {
        program.build("-cl-std=CL1.2");
    } catch (const cl::BuildError& error) {
        FAIL() << error.getBuildLog().front().second;
    }
    const std::vector<cl_ulong> expected = laid_out_by_cpp();
    std::vector<cl_ulong> result(expected.size());
    const cl::Buffer buffer(test.context, CL_MEM_WRITE_ONLY, result.size() * sizeof(cl_ulong));
    cl::Kernel kernel(program, "lay_out");
    kernel.setArg(0, buffer);
    test.in_order.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(1));
    test.in_order.enqueueReadBuffer(buffer, CL_TRUE, 0, result.size() * sizeof(cl_ulong), result.data());
    std::size_t next = 0;
    for (const auto& [name, size, members] : structures()) {
        EXPECT_EQ(result[next], expected[next]) << "the size of " << name;
        next++;
        for (const auto& member : members) {
            EXPECT_EQ(result[next], expected[next]) << name << "::" << member.name;
            next++;
        }
    }
}

// That the comparison leaves nothing out: members follow one another without gaps, up to the structure's alignment.
TEST(ArgumentsLayout, IsComparedForEveryMemberOfEveryStructure)
{
    std::size_t in_header = 0;
    const std::string header = text_of_header(), beginning = "typedef struct {";
    for (std::size_t i = header.find(beginning); i != std::string::npos; i = header.find(beginning, i + 1))
        in_header++;
    EXPECT_EQ(structures().size(), in_header);
    for (const auto& [name, size, members] : structures()) {
        EXPECT_NE(header.find("\n} " + name + ";\n"), std::string::npos) << name;
        std::size_t end = 0;
        for (const auto& member : members) {
            EXPECT_EQ(member.offset, end) << name << "::" << member.name;
            end = member.offset + member.size;
        }
        EXPECT_LE(end, size) << name;
        EXPECT_LT(size, end + sizeof(cl_ulong)) << name;
    }
}
