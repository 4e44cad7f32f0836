// clgemm_status_string(): every status is called by the name that the headers give it, ours with what it means.
#include "clgemm/clgemm.h"

#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <set>
#include <sstream>
#include <string>

TEST(StatusString, NamesEveryStatusOfTheHeaderAndSaysWhatItMeans)
{
    std::ostringstream header;
    header << std::ifstream(CLGEMM_SOURCE_DIR "/include/clgemm/clgemm.h").rdbuf();
    const std::string text = header.str();
    const std::regex own(R"((CLGEMM_[A-Z_]+) =\s+(-\d+))");
    std::set<std::string> meanings;
    std::size_t count = 0;
    for (std::sregex_iterator found(text.begin(), text.end(), own), end; found != end; ++found, ++count) {
        const std::string name = (*found)[1], said = clgemm_status_string(std::stoi((*found)[2]));
        EXPECT_EQ(said.find(name + ": "), 0u) << said;
        meanings.insert(said.substr(std::min(said.size(), name.size() + 2)));
    }
    EXPECT_GT(count, 40u);
    EXPECT_EQ(meanings.size(), count) << "two mean the same";
    EXPECT_STREQ(clgemm_status_string(CLGEMM_SUCCESS), "CLGEMM_SUCCESS");
    EXPECT_STREQ(clgemm_status_string(-4711), "unknown status");
    EXPECT_STREQ(clgemm_status_string(1), "unknown status");
}

TEST(StatusString, NamesOpenClsErrors)
{
#define NAMED(status) EXPECT_STREQ(clgemm_status_string(status), #status)
    NAMED(CL_DEVICE_NOT_FOUND);
    NAMED(CL_DEVICE_NOT_AVAILABLE);
    NAMED(CL_COMPILER_NOT_AVAILABLE);
    NAMED(CL_MEM_OBJECT_ALLOCATION_FAILURE);
    NAMED(CL_OUT_OF_RESOURCES);
    NAMED(CL_OUT_OF_HOST_MEMORY);
    NAMED(CL_PROFILING_INFO_NOT_AVAILABLE);
    NAMED(CL_MEM_COPY_OVERLAP);
    NAMED(CL_IMAGE_FORMAT_MISMATCH);
    NAMED(CL_IMAGE_FORMAT_NOT_SUPPORTED);
    NAMED(CL_BUILD_PROGRAM_FAILURE);
    NAMED(CL_MAP_FAILURE);
    NAMED(CL_MISALIGNED_SUB_BUFFER_OFFSET);
    NAMED(CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST);
    NAMED(CL_COMPILE_PROGRAM_FAILURE);
    NAMED(CL_LINKER_NOT_AVAILABLE);
    NAMED(CL_LINK_PROGRAM_FAILURE);
    NAMED(CL_DEVICE_PARTITION_FAILED);
    NAMED(CL_KERNEL_ARG_INFO_NOT_AVAILABLE);
    NAMED(CL_INVALID_VALUE);
    NAMED(CL_INVALID_DEVICE_TYPE);
    NAMED(CL_INVALID_PLATFORM);
    NAMED(CL_INVALID_DEVICE);
    NAMED(CL_INVALID_CONTEXT);
    NAMED(CL_INVALID_QUEUE_PROPERTIES);
    NAMED(CL_INVALID_COMMAND_QUEUE);
    NAMED(CL_INVALID_HOST_PTR);
    NAMED(CL_INVALID_MEM_OBJECT);
    NAMED(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR);
    NAMED(CL_INVALID_IMAGE_SIZE);
    NAMED(CL_INVALID_SAMPLER);
    NAMED(CL_INVALID_BINARY);
    NAMED(CL_INVALID_BUILD_OPTIONS);
    NAMED(CL_INVALID_PROGRAM);
    NAMED(CL_INVALID_PROGRAM_EXECUTABLE);
    NAMED(CL_INVALID_KERNEL_NAME);
    NAMED(CL_INVALID_KERNEL_DEFINITION);
    NAMED(CL_INVALID_KERNEL);
    NAMED(CL_INVALID_ARG_INDEX);
    NAMED(CL_INVALID_ARG_VALUE);
    NAMED(CL_INVALID_ARG_SIZE);
    NAMED(CL_INVALID_KERNEL_ARGS);
    NAMED(CL_INVALID_WORK_DIMENSION);
    NAMED(CL_INVALID_WORK_GROUP_SIZE);
    NAMED(CL_INVALID_WORK_ITEM_SIZE);
    NAMED(CL_INVALID_GLOBAL_OFFSET);
    NAMED(CL_INVALID_EVENT_WAIT_LIST);
    NAMED(CL_INVALID_EVENT);
    NAMED(CL_INVALID_OPERATION);
    NAMED(CL_INVALID_GL_OBJECT);
    NAMED(CL_INVALID_BUFFER_SIZE);
    NAMED(CL_INVALID_MIP_LEVEL);
    NAMED(CL_INVALID_GLOBAL_WORK_SIZE);
    NAMED(CL_INVALID_PROPERTY);
    NAMED(CL_INVALID_IMAGE_DESCRIPTOR);
    NAMED(CL_INVALID_COMPILER_OPTIONS);
    NAMED(CL_INVALID_LINKER_OPTIONS);
    NAMED(CL_INVALID_DEVICE_PARTITION_COUNT);
#undef NAMED
    // Of later versions of OpenCL, whose names its headers have only for programs that ask for those.
    EXPECT_STREQ(clgemm_status_string(-69), "CL_INVALID_PIPE_SIZE");
    EXPECT_STREQ(clgemm_status_string(-70), "CL_INVALID_DEVICE_QUEUE");
    EXPECT_STREQ(clgemm_status_string(-71), "CL_INVALID_SPEC_ID");
    EXPECT_STREQ(clgemm_status_string(-72), "CL_MAX_SIZE_RESTRICTION_EXCEEDED");
    EXPECT_STREQ(clgemm_status_string(-1001), "CL_PLATFORM_NOT_FOUND_KHR");
}
