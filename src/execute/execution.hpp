// Enqueues the steps of a plan: programs from the cache, workspace from the pool, one event for all of it.
#pragma once

#include "execute/buffers.hpp"
#include "execute/program_cache.hpp"
#include "execute/submission.hpp"
#include "execute/workspace_pool.hpp"
#include "plan/plan.hpp"

#include <memory>
#include <vector>

namespace clgemm::core {

// A plan with the programs of its steps, of one device in one context. Calls that come again find it ready.
struct ReadyPlan {
    struct Function {
        std::shared_ptr<Program> program;
        const char* name;
    };

    Plan plan;
    std::vector<Function> functions;      // those of the steps, each one once
    std::vector<std::size_t> function_of; // of each step: the place of its function in that list
};

// Builds what is not built yet. Throws what ProgramCache::programs() throws.
ReadyPlan ready(Plan plan, ProgramCache& programs);

// Does this code of OpenCL's mean that the same may work with less memory?
bool is_lack_of_memory(cl_int status);

// Returns the event of the whole operation, null unless it was wanted. Throws Unavailable where the device lacks memory, or
// work-groups of the size, and no step that writes C was enqueued. Throws cl::Error where anything else fails; then steps
// that write C may have been enqueued if the plan has several of them.
cl::Event execute(const ReadyPlan& ready, WorkspacePool& workspaces, const Buffers& buffers, const Submission& submission);

} // namespace clgemm::core
