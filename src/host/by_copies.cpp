#include "host/by_copies.hpp"

#include "execute/execution.hpp"
#include "host/in_groups.hpp"
#include "host/lanes.hpp"
#include "host/small_product.hpp"
#include "support/error.hpp"
#include "support/log.hpp"

#include <algorithm>
#include <cmath>
#include <thread>

namespace clgemm::core {
namespace {

// More threads than these copy no faster: they wait for the memory, and take the cores on which the driver's own threads
// run.
constexpr std::size_t most_threads_for_a_device = 12;
// More threads than these copy no faster for four devices: 32 took up to a fifth longer. Each thread has two pieces of
// pinned memory, which should be there from the call before: pinning them all takes 150 ms.
constexpr std::size_t most_threads = 24;
static_assert(2 * most_threads <= Lanes::most_pieces);

// A product that fails with so little room has another reason to fail.
constexpr std::size_t least_room = std::size_t{16} << 20;

// Starting one more thread, which then calls the driver while others wait for it, takes about as long as one thread takes to
// copy so many bytes. A copy is worth as many threads as make the time to start them all equal to the time that each takes
// for its share.
constexpr double bytes_while_one_starts = 512 * 1024;

std::size_t threads_for(double bytes, std::size_t most)
{
    const auto enough = static_cast<std::size_t>(std::sqrt(bytes / bytes_while_one_starts));
    return std::clamp<std::size_t>(enough, 1, std::max<std::size_t>(1, most));
}

cl_int status_of(const std::exception_ptr& failure)
{
    try {
        std::rethrow_exception(failure);
    } catch (const Error& error) {
        return error.status();
    } catch (const cl::Error& error) {
        return error.err();
    } catch (...) {
        return CL_SUCCESS; // none of OpenCL's
    }
}

// The bytes that travel.
double bytes_of(const Problem& problem)
{
    return bytes_of(problem.a) + bytes_of(problem.b) + bytes_of(problem.c) * (problem.beta == 0.0f ? 1 : 2);
}

// The devices' speeds, by their estimates for the first tile. Where there is no estimate for one device, all count as
// equally fast.
std::vector<double> speeds(const Devices& devices, const Problem& problem, const Partition& partition,
                           const Options& options)
{
    if (devices.size() == 1)
        return {1.0};
    const Problem tile = product_of_tiles(problem, partition, 0, 0, 0);
    std::vector<double> result;
    for (const auto& device : devices) {
        const double nanoseconds = device->planner->selection(tile, options)->estimate_ns;
        if (nanoseconds <= 0) {
            result.assign(devices.size(), 1.0);
            return result;
        }
        result.push_back(1 / nanoseconds);
    }
    return result;
}

// A workspace of the caller's is as large as the query said for the product in one piece. So where there is one, the product
// stays in one piece, if that fits.
Partition partition_for(const Problem& problem, const RoomForTiles& room, const Request& request)
{
    const double largest = std::max({bytes_of(problem.a), bytes_of(problem.b), bytes_of(problem.c)});
    const bool fits = bytes_of(problem) <= static_cast<double>(room.all) && largest <= static_cast<double>(room.one);
    return request.workspace && fits ? one_tile(problem) : choose_partition(problem, room);
}

} // namespace

HostLimits limits_of(const Devices& devices)
{
    HostLimits limits{{SIZE_MAX, SIZE_MAX}, 0};
    for (const auto& device : devices) {
        // The other half is for temporaries, and for other programs.
        limits.room.all = std::min(limits.room.all, device->profile().global_memory / 2);
        limits.room.one = std::min(limits.room.one, device->profile().max_allocation);
    }
    const std::size_t cores = std::max(1U, std::thread::hardware_concurrency());
    limits.threads = std::min({cores, most_threads_for_a_device * devices.size(), most_threads});
    return limits;
}

void multiply_by_copies(const Problem& problem, const HostOperands& host, const Devices& devices, const Request& request,
                        const HostLimits& limits)
{
    if (limits.small_products && fits_small_product(problem)) {
        multiply_in_pieces(problem, host, *devices[0], request, {});
        return;
    }
    if (problem.batch.count > 1) {
        in_groups(problem, 1, request, [&](const Problem& product, const Request& for_one) {
            multiply_by_copies(product, host, devices, for_one, limits);
        });
        return;
    }
    const std::size_t threads = threads_for(bytes_of(problem), limits.threads);
    for (RoomForTiles room = limits.room;; room = {room.all / 2, room.one}) {
        const Partition partition = partition_for(problem, room, request);
        Request for_tiles = request;
        if (partition.m.count() * partition.n.count() * partition.k.count() > 1)
            for_tiles.workspace = nullptr; // it is for the product in one piece
        try {
            Devices working;
            std::vector<Share> shares;
            const auto all = share_out(partition, speeds(devices, problem, partition, request.options));
            for (std::size_t i = 0; i < devices.size(); i++)
                if (!all[i].is_empty()) {
                    working.push_back(devices[i]);
                    shares.push_back(all[i]);
                }
            const TiledWork work{with_places_for(shares, partition), shares, threads};
            multiply_in_tiles(problem, host, working, for_tiles, work);
            return;
        } catch (const std::exception&) {
            if (room.all / 2 < least_room || !is_lack_of_memory(status_of(std::current_exception())))
                throw;
            log_line([&] {
                return "not enough memory on the device; once more with " + std::to_string(room.all / 2) + " bytes";
            });
        }
    }
}

std::vector<Problem> different_products(const Problem& problem, const Devices& devices, const Request& request,
                                        const HostLimits& limits)
{
    std::vector<Problem> result;
    const auto add = [&](const Problem& product) {
        result.push_back(product);
        for (Matrix* matrix : {&result.back().a, &result.back().b, &result.back().c})
            matrix->alignment = buffer_alignment; // as on the device
    };
    if (limits.small_products && fits_small_product(problem)) {
        const std::size_t count = problem.batch.count, group = products_in_a_block(problem);
        add(as_small_product(products_of(problem, 0, group)));
        if (count % group != 0)
            add(as_small_product(products_of(problem, 0, count % group)));
        return result;
    }
    if (problem.batch.count > 1)
        return different_products(product_of(problem, 0), devices, request, limits);
    const Partition partition = partition_for(problem, limits.room, request);
    const auto first_and_last = [](const Parts& parts) {
        return parts.count() == 1 ? std::vector<std::size_t>{0} : std::vector<std::size_t>{0, parts.count() - 1};
    };
    // The last tile may be smaller. Along K, those after the first one add to C.
    std::vector<std::size_t> depths = first_and_last(partition.k);
    if (partition.k.count() > 2)
        depths.push_back(1);
    for (const std::size_t row : first_and_last(partition.m))
        for (const std::size_t col : first_and_last(partition.n))
            for (const std::size_t depth : depths)
                add(product_of_tiles(problem, partition, row, col, depth));
    return result;
}

} // namespace clgemm::core
