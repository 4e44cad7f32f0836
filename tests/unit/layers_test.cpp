// What the sources may know of each other, read from the sources themselves: kernels are known to their families alone, and
// each layer knows the ones below it.
#include "families/registry.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <sstream>

using namespace clgemm::core;
namespace fs = std::filesystem;

namespace {

const fs::path root = CLGEMM_SOURCE_DIR;

struct Source {
    std::string path; // from the root
    std::string text;
    std::string code; // without comments

    std::size_t lines() const { return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')); }
};

// Comments become spaces; what looks like one within a text stays.
std::string without_comments(const std::string& text)
{
    static const std::regex comment_or_text(R"re("(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)+'|//[^\n]*|/\*[^]*?\*/)re");
    std::string result;
    auto from = text.cbegin();
    for (std::sregex_iterator it(text.begin(), text.end(), comment_or_text), end; it != end; ++it) {
        const auto& found = (*it)[0];
        result.append(from, found.first);
        if (*found.first == '/')
            result += ' ';
        else
            result.append(found.first, found.second);
        from = found.second;
    }
    return result.append(from, text.cend());
}

Source source_at(const fs::path& path)
{
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return {fs::relative(path, root).generic_string(), text.str(), without_comments(text.str())};
}

// All C++ sources below a folder of the repository.
std::vector<Source> sources_in(const std::string& folder)
{
    std::vector<Source> result;
    for (const auto& entry : fs::recursive_directory_iterator(root / folder))
        if (entry.path().extension() == ".cpp" || entry.path().extension() == ".hpp")
            result.push_back(source_at(entry.path()));
    std::sort(result.begin(), result.end(), [](const Source& x, const Source& y) { return x.path < y.path; });
    return result;
}

// What is included, with its quotes or brackets.
std::vector<std::string> includes_of(const Source& source)
{
    static const std::regex include("(?:^|\n)[ \t]*#[ \t]*include[ \t]*([\"<][^\">\n]*[\">])");
    std::vector<std::string> result;
    for (std::sregex_iterator it(source.code.begin(), source.code.end(), include), end; it != end; ++it)
        result.push_back((*it)[1]);
    return result;
}

bool is_quoted(const std::string& include)
{
    return include.front() == '"';
}
std::string name_in(const std::string& include)
{
    return include.substr(1, include.size() - 2);
}

// The first occurrence of an expression in a text, or "".
std::string found_in(const std::string& text, const std::string& expression)
{
    std::smatch match;
    return std::regex_search(text, match, std::regex(expression)) ? match.str() : "";
}

std::set<std::string> all_matches(const std::string& text, const std::string& expression)
{
    const std::regex regex(expression);
    std::set<std::string> result;
    for (std::sregex_iterator it(text.begin(), text.end(), regex), end; it != end; ++it)
        result.insert((*it)[1]);
    return result;
}

// The files, without extension, that bring kernels, and the classes in which families are written.
struct Families {
    std::set<std::string> files, classes;
};

Families families()
{
    Families result;
    for (const auto& source : sources_in("src/families")) {
        for (const auto& name : all_matches(source.code, R"(\b(\w+)_kernels\(\))"))
            if (fs::path(source.path).stem() == name)
                result.files.insert(name);
        // Those that are a Family, or are one of those already known.
        for (const auto& name : all_matches(source.code, R"(\bclass (\w+)(?: final)? : public)"))
            result.classes.insert(name);
    }
    return result;
}

// What names a kernel or a kind of kernel, as expressions.
std::vector<std::string> names_of_kernels()
{
    const Families known = families();
    std::set<std::string> words = known.files;
    words.insert(known.classes.begin(), known.classes.end());
    std::vector<std::string> result;
    const auto add = [&](const char* begin, std::string_view name, const char* end) {
        result.push_back(std::string(begin).append(name).append(end));
    };
    for (const auto& name : words)
        add(R"(\b)", name, R"(\b)");
    for (const auto& kernel : kernels()) {
        add("", kernel.name, "");
        if (const auto line = kernel.name.find('_'); line != std::string_view::npos)
            add("\"", kernel.name.substr(line), "\""); // with which a name may end
    }
    for (const auto* way_around :
         {R"(\bfind_kernel\s*\(\s*")", R"(\bnumber_of\b)", R"(\bScheme\b)", R"(\bdynamic_cast\b)", R"(\btypeid\b)"})
        result.emplace_back(way_around);
    // A condition on a name. (To print it is nobody's harm.)
    result.emplace_back(R"(\bkernel\w*(?:\(\))?\s*(?:->|\.)\s*name\s*(?:[=!]=|\[|\.(?:\w*with|find|substr|front|compare)))");
    return result;
}

std::vector<Source> sources_that_know_no_kernel()
{
    std::vector<Source> result = sources_in("src");
    std::erase_if(result, [](const Source& source) { return source.path.starts_with("src/families/"); });
    for (const auto* folder : {"doors", "tools", "timing"})
        for (auto& source : sources_in(folder))
            result.push_back(std::move(source));
    return result;
}

std::string kernel_named_in(const std::string& code)
{
    static const std::vector<std::string> names = names_of_kernels();
    for (const auto& name : names)
        if (const auto found = found_in(code, name); !found.empty())
            return found;
    return "";
}

} // namespace

TEST(Layers, ThereIsSomethingToRead)
{
    EXPECT_GT(sources_in("src").size(), 60u);
    EXPECT_GT(sources_in("doors").size(), 20u);
    EXPECT_GT(sources_in("tools").size(), 5u);
    EXPECT_GT(sources_in("bench").size(), 10u);
    EXPECT_GT(sources_that_know_no_kernel().size(), 50u);
    const auto listed = all_matches(source_at(root / "src/families/families.hpp").code, R"(\brow\((\w+)\) )");
    EXPECT_GE(listed.size(), 8u);
    EXPECT_EQ(families().files, listed);
    for (const auto* name : {"WholeTiles", "WarpTiled", "Skinny", "ImageFamily", "WgmmaFamily", "TensorMma", "TensorDirect",
                             "CpuPacked", "CpuFused", "CpuVector", "TileFamily", "CpuFamily"})
        EXPECT_TRUE(families().classes.contains(name)) << name;
    EXPECT_FALSE(families().classes.contains("Family")) << "the contract is everybody's";
}

TEST(Layers, CommentsAreNotCode)
{
    EXPECT_EQ(without_comments("a // b \"c\"\nd /* e\n* f */ g \"// no /* no\" '\"' h // i"),
              "a  \nd   g \"// no /* no\" '\"' h  ");
    EXPECT_EQ(without_comments(R"("\"" // x)"), R"("\""  )");
}

// The search must find what it is for.
TEST(Layers, AKernelsNameIsFound)
{
    for (const auto* code :
         {"if (kernel.name == wanted)", "if (variant.kernel->name != x)", "kernel->name.starts_with(\"13\")",
          "find_kernel(\"1\")", "find_kernel( \"13\")", "x = \"13_warp_tiled\";", "number_of(kernel)", "Scheme::tensor",
          "WarpTiled family;", "#include \"families/warp_tiled.hpp\"", "dynamic_cast<const X*>(family)",
          "ends_with(\"_naive\")", "kernel.name[0]"})
        EXPECT_NE(kernel_named_in(code), "") << code;
    for (const auto* code : {"find_kernel(name)", "<< kernel.name <<", "source.name == name", "std::string(kernel->name)",
                             "kernel->name.data()", "family.outline(problem)", "Multiplication", "a.name = b"})
        EXPECT_EQ(kernel_named_in(code), "") << code;
}

TEST(Layers, NoConditionOnAKernelOutsideItsFamily)
{
    for (const auto& source : sources_that_know_no_kernel())
        EXPECT_EQ(kernel_named_in(source.code), "") << source.path;
}

// What is shared among families is theirs as well.
TEST(Layers, OutsideFamiliesOnlyTheirContractIsIncluded)
{
    const std::set<std::string> contract{"families/family.hpp", "families/registry.hpp", "families/parameters.hpp",
                                         "families/operands.hpp"};
    for (const auto& source : sources_that_know_no_kernel())
        for (const auto& include : includes_of(source))
            if (name_in(include).starts_with("families/")) {
                EXPECT_TRUE(contract.contains(name_in(include))) << source.path << " includes " << include;
            }
}

// A family's file is its own: only the registry lists them, by the functions of families.hpp.
TEST(Layers, FamiliesDoNotKnowEachOther)
{
    const auto files = families().files;
    for (const auto& source : sources_in("src/families"))
        for (const auto& include : includes_of(source)) {
            EXPECT_FALSE(files.contains(fs::path(name_in(include)).stem().string()))
                << source.path << " includes " << include;
            EXPECT_FALSE(name_in(include).ends_with(".cpp")) << source.path;
        }
}

TEST(Layers, SupportIncludesNothingElse)
{
    for (const auto& source : sources_in("src/support"))
        for (const auto& include : includes_of(source)) {
            const std::string name = name_in(include);
            if (is_quoted(include)) {
                EXPECT_TRUE(name.starts_with("support/")) << source.path << " includes " << include;
            } else if (name == "CL/opencl.hpp") {
                EXPECT_EQ(source.path, "src/support/opencl.hpp");
            } else { // the standard library's have neither folder nor extension; files and forks are the affair of POSIX
                const bool of_posix =
                    name == "fcntl.h" || name == "unistd.h" || name == "pthread.h" || name.starts_with("sys/");
                EXPECT_TRUE(of_posix || name.find_first_of("/.") == std::string::npos)
                    << source.path << " includes " << include;
            }
        }
}

namespace {

// Everything that a source of the library includes, directly or not.
void add_all_includes(const std::string& path, std::set<std::string>& result)
{
    for (const auto& include : includes_of(source_at(path)))
        if (result.insert(name_in(include)).second)
            for (const auto& folder : {root / "src", root / "include", root})
                if (fs::exists(folder / name_in(include)))
                    add_all_includes((folder / name_in(include)).string(), result);
}

std::set<std::string> all_includes(const std::string& path)
{
    std::set<std::string> result;
    add_all_includes((root / path).string(), result);
    return result;
}

bool is_of_opencl(const std::string& include)
{
    return include.starts_with("CL/") || include.starts_with("OpenCL/") || include == "support/opencl.hpp";
}

} // namespace

TEST(Layers, ADevicesProfileIsPlainData)
{
    const auto included = all_includes("src/device/profile.hpp");
    EXPECT_TRUE(std::none_of(included.begin(), included.end(), is_of_opencl));
    EXPECT_FALSE(included.empty());
    const auto by_query = all_includes("src/device/query_profile.hpp");
    EXPECT_TRUE(std::any_of(by_query.begin(), by_query.end(), is_of_opencl)) << "else this test finds nothing";
}

// From below to above; a layer may include itself and what is before it. (A family makes plans; plans know no family.)
TEST(Layers, EachKnowsTheOnesBelow)
{
    const std::vector<std::string> layers{"support", "problem", "device", "plan", "families", "tuning",
                                          "select",  "execute", "engine", "host", "api"};
    const auto height = [&](const std::string& name) {
        return std::find(layers.begin(), layers.end(), name) - layers.begin();
    };
    for (const auto& source : sources_in("src")) {
        const std::string own = std::next(fs::path(source.path).begin())->string();
        ASSERT_NE(std::find(layers.begin(), layers.end(), own), layers.end()) << source.path << " is in no layer";
        for (const auto& include : includes_of(source)) {
            const std::string folder = fs::path(name_in(include)).begin()->string();
            if (is_quoted(include) && std::find(layers.begin(), layers.end(), folder) != layers.end()) {
                EXPECT_LE(height(folder), height(own)) << source.path << " includes " << include;
            }
        }
    }
}

// What the library gives to callers is made of its layers, which do not call it.
TEST(Layers, DoNotCallTheApiAboveThem)
{
    const Source header = source_at(root / "include/clgemm/clgemm.h");
    const std::set<std::string> functions = all_matches(header.code, R"(CLGEMM_API [^;(]*\b(clgemm_\w+)\()");
    EXPECT_GT(functions.size(), 20u);
    for (const Source& source : sources_in("src"))
        if (!source.path.starts_with("src/api/"))
            for (const auto& called : all_matches(source.code, R"(\b(clgemm_\w+)\s*\()")) {
                EXPECT_FALSE(functions.contains(called)) << source.path << " calls " << called << "()";
            }
}

// A door to another BLAS library's programs calls the library as everybody does.
TEST(Layers, DoorsKnowOnlyThePublicInterface)
{
    for (const auto& source : sources_in("doors"))
        for (const auto& include : includes_of(source))
            if (is_quoted(include)) {
                const std::string name = name_in(include);
                const fs::path own_folder = fs::path(root / source.path).parent_path();
                EXPECT_TRUE(fs::exists(own_folder / name) || fs::exists(root / "doors" / name) ||
                            fs::exists(root / "include" / name))
                    << source.path << " includes " << include;
                EXPECT_EQ(name.find(".."), std::string::npos) << source.path << " includes " << include;
            }
}

// Installed tools and benchmarks can be built without the tests.
TEST(Layers, ToolsAndBenchmarksIncludeNothingOfTheTests)
{
    for (const std::string folder : {"tools", "bench", "timing"}) {
        for (const auto& source : sources_in(folder))
            for (const auto& include : includes_of(source)) {
                const std::string name = name_in(include);
                EXPECT_EQ(name.find("tests/"), std::string::npos) << source.path << " includes " << include;
                if (!is_quoted(include))
                    continue;
                const fs::path own = (root / source.path).parent_path();
                const fs::path places[] = {own, root / folder, root / "src", root / "include", root};
                EXPECT_TRUE(std::any_of(std::begin(places), std::end(places),
                                        [&](const fs::path& place) { return fs::exists(place / name); }))
                    << source.path << " includes " << include;
            }
        std::ostringstream text;
        text << std::ifstream(root / folder / "CMakeLists.txt").rdbuf();
        EXPECT_FALSE(text.str().empty());
        EXPECT_EQ(found_in(text.str(), "tests/|clgemm_test"), "") << folder;
    }
}

// What tools and benchmarks share lies beside both, and neither needs the other: but for what all programs have in common.
TEST(Layers, ToolsAndBenchmarksDoNotKnowEachOther)
{
    EXPECT_GT(sources_in("timing").size(), 10u);
    const auto expect_none = [](const std::string& folder, const std::string& foreign, const std::string& allowed) {
        for (const auto& source : sources_in(folder))
            for (const auto& include : includes_of(source)) {
                const std::string name = name_in(include);
                EXPECT_TRUE(!name.starts_with(foreign) || (!allowed.empty() && name.starts_with(allowed)))
                    << source.path << " includes " << include;
            }
    };
    expect_none("tools", "bench/", "");
    expect_none("bench", "tools/", "tools/program/");
    expect_none("timing", "tools/", "");
    expect_none("timing", "bench/", "");
}

// Nobody but these knows when a variable must not count because the process has rights that its caller has not.
TEST(Layers, OnlyOnePlaceReadsTheEnvironment)
{
    std::set<std::string> readers;
    for (const auto* folder : {"src", "doors"})
        for (const auto& source : sources_in(folder)) {
            if (!found_in(source.code, R"(\b(?:secure_)?getenv\b)").empty())
                readers.insert(source.path);
            if (folder == std::string("doors")) {
                EXPECT_EQ(found_in(source.code, R"(\bgetenv\b)"), "") << source.path;
            }
        }
    EXPECT_EQ(readers,
              (std::set<std::string>{"src/support/environment.cpp", "doors/blas/settings.cpp", "doors/next_library.cpp"}));
}

// A comment that sends its reader to a file that has been renamed is worse than none.
TEST(Layers, CommentsNameFilesThatAreThere)
{
    static const std::regex path(R"(\b(?:[a-z]\w*/)+\w+\.(?:cpp|hpp|clh?)\b)");
    std::size_t found = 0;
    for (const auto* folder : {"src", "doors", "tools", "timing", "bench", "reference", "tests"})
        for (const auto& source : sources_in(folder)) {
            const std::string& text = source.text;
            for (std::sregex_iterator it(text.begin(), text.end(), path), end; it != end; ++it) {
                const std::string name = it->str();
                if (source.code.find(name) != std::string::npos)
                    continue; // what is included or read is there, or nothing would work
                found++;
                const fs::path places[] = {root, root / "src", root / "tools", root / "tests",
                                           fs::path(root / source.path).parent_path()};
                EXPECT_TRUE(std::any_of(std::begin(places), std::end(places),
                                        [&](const fs::path& place) { return fs::exists(place / name); }))
                    << source.path << " names " << name;
            }
        }
    EXPECT_GT(found, 30u);
}

TEST(Layers, NoFileIsLong)
{
    for (const auto* folder : {"src", "doors"})
        for (const auto& source : sources_in(folder))
            EXPECT_LE(source.lines(), 400u) << source.path;
}
