#include "host/tiled_product.hpp"

#include "engine/multiply.hpp"
#include "host/incomplete.hpp"
#include "host/lanes.hpp"
#include "host/packing.hpp"
#include "host/pieces.hpp"

#include <algorithm>
#include <array>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>

namespace clgemm::core {
namespace {

// What the call has on one device: places for tiles, queues, and the events of the rounds.
class DeviceSide {
public:
    DeviceSide(std::shared_ptr<DeviceState> its_state, const Problem& problem, const Partition& partition)
        : state(std::move(its_state)),
          queues_(state->attached.get<Lanes>().queues.take([&] { return TransferQueues(state->context, state->device); })),
          overlaps_(partition.m.count() * partition.n.count() * partition.k.count() > 1)
    {
        const auto add = [&](Memory matrix, std::size_t count, std::size_t elements, std::size_t element_bytes) {
            for (std::size_t i = 0; i < count; i++) {
                auto& place =
                    places_of(matrix).emplace_back(state->workspaces.acquire(elements * element_bytes, compute(), false));
                if (place.ready())
                    clWaitForEvents(1, &place.ready()); // another call's failure is not ours
            }
        };
        add(Memory::a, partition.places_a, partition.m.size * partition.k.size, problem.a.element_bytes());
        add(Memory::b, partition.places_b, partition.k.size * partition.n.size, problem.b.element_bytes());
        add(Memory::c, partition.places_c, partition.m.size * partition.n.size, problem.c.element_bytes());
    }

    // A single product overlaps with nothing, so one queue does all: queues take time to wait for each other.
    const cl::CommandQueue& up() const { return overlaps_ ? queues_.up : queues_.compute; }
    const cl::CommandQueue& compute() const { return queues_.compute; }
    const cl::CommandQueue& down() const { return overlaps_ ? queues_.down : queues_.compute; }

    const cl::Buffer& place(Memory matrix, std::size_t i) { return places_of(matrix)[i].buffer; }

    // Only after a call that succeeded, when everything that was enqueued is over. A failure in here does not make the call
    // fail: the next call makes anew what was not given back.
    void give_back() noexcept
    try {
        for (auto* places : {&a_, &b_, &c_})
            for (auto& place : *places)
                state->workspaces.give_back(std::move(place), compute(), computed.back());
        state->attached.get<Lanes>().queues.keep(std::move(queues_));
    } catch (const std::exception&) {
        return;
    }

    // Waits until nothing uses blocks or buffers any more.
    void finish() const
    {
        for (const auto& queue : {queues_.up, queues_.compute, queues_.down})
            clFinish(queue());
    }

    std::shared_ptr<DeviceState> state;
    std::vector<cl::Event> computed; // by round; where the device had no part in one, the round before

private:
    std::vector<WorkspacePool::Lease>& places_of(Memory matrix)
    {
        return matrix == Memory::a ? a_ : matrix == Memory::b ? b_ : c_;
    }

    TransferQueues queues_;
    const bool overlaps_;
    std::vector<WorkspacePool::Lease> a_, b_, c_;
};

// The size of the pieces in which tiles travel. Each piece costs the driver some 20 us, in which no other thread can call
// it, so pieces must not be too small. But pinning a block takes a millisecond for each MiB, which only large products make
// up for.
struct PieceSize {
    std::size_t bytes;
    Idle<PinnedBlock> Lanes::*blocks;
};

PieceSize piece_size_for(const Problem& problem)
{
    constexpr std::size_t megabyte = std::size_t{1} << 20;
    constexpr std::size_t large = 64 * megabyte;
    const bool is_large = problem.a.rows * problem.a.cols * problem.a.element_bytes() +
                              problem.b.rows * problem.b.cols * problem.b.element_bytes() >=
                          large;
    return is_large ? PieceSize{4 * megabyte, &Lanes::large_pieces} : PieceSize{megabyte, &Lanes::pieces};
}

class TiledProduct {
public:
    TiledProduct(const Problem& problem, const HostOperands& host, const Devices& devices, const Request& request,
                 const TiledWork& work)
        : problem_(problem), host_(host), request_(request), partition_(work.partition), shares_(work.shares),
          schedule_(make_schedule(work.partition, work.shares, problem.beta != 0.0f)), threads_(work.threads),
          piece_(piece_size_for(problem))
    {
        for (const auto& device : devices)
            sides_.emplace_back(device, problem, partition_);
        const auto add = [&](Pieces& pieces, std::size_t step, const Matrix& tile) {
            pieces.add(step, tile.rows * tile.cols, piece_.bytes / tile.element_bytes());
        };
        for (const auto& upload : schedule_.uploads)
            add(to_devices_, upload.step, tile(upload));
        for (const auto& download : schedule_.downloads)
            add(to_host_, download.step, tile(download));
    }

    // Runs work() on all threads, of which this one is the first.
    void run()
    {
        std::vector<std::thread> others;
        try {
            while (others.size() + 1 < threads_)
                others.emplace_back([this] { work(); });
        } catch (const std::exception&) {
            // The call goes on with fewer threads.
        }
        work();
        for (auto& other : others)
            other.join();
        if (failure_) {
            for (const auto& side : sides_)
                side.finish();
            std::rethrow_exception(failure_);
        }
        for (auto& side : sides_)
            side.give_back();
    }

    bool touched_c() const { return touched_c_; }

private:
    // A block with the transfers that are on their way from or to it.
    struct Block {
        PinnedBlock memory;
        std::vector<cl::Event> transfers;
        std::optional<Piece> received; // a piece of C, to be unpacked after the transfers
    };
    using Blocks = std::array<Block, 2>; // one is copied while the other one travels

    Matrix tile(const Upload& upload) const
    {
        switch (upload.matrix) {
        case Memory::a: return tile_of(problem_.a, partition_.m, upload.row, partition_.k, upload.col);
        case Memory::b: return tile_of(problem_.b, partition_.k, upload.row, partition_.n, upload.col);
        default: return tile_of(problem_.c, partition_.m, upload.row, partition_.n, upload.col);
        }
    }

    Matrix tile(const Download& download) const
    {
        return tile_of(problem_.c, partition_.m, download.row, partition_.n, download.col);
    }

    void work() noexcept
    {
        try {
            auto& kept = sides_[0].state->attached.get<Lanes>().*piece_.blocks;
            const auto block = [&] {
                return Block{kept.take([&] { return PinnedBlock(sides_[0].up(), piece_.bytes); }), {}, {}};
            };
            Blocks blocks{block(), block()};
            try {
                for (std::size_t turn = 0;; turn++) {
                    Block& mine = blocks[turn % 2];
                    finish(mine);
                    auto piece = take_piece();
                    if (!piece) {
                        finish(blocks[(turn + 1) % 2]); // others may wait for its piece, while this thread waits for them
                        piece = wait_for_piece();
                    }
                    if (!piece)
                        break;
                    if (piece->direction == Direction::to_device)
                        send(*piece, mine);
                    else
                        receive(*piece, mine);
                }
                for (auto& each : blocks)
                    finish(each);
            } catch (...) {
                fail(std::current_exception());
            }
            for (auto& each : blocks) {
                for (const auto& event : each.transfers)
                    if (event())
                        clWaitForEvents(1, &event()); // nothing may be on its way to memory that is given back
                kept.keep(std::move(each.memory));
            }
        } catch (...) {
            fail(std::current_exception());
        }
    }

    // None where the call has failed, all pieces are taken, or none may begin yet.
    std::optional<Piece> take_piece()
    {
        const std::lock_guard lock(mutex_);
        return take_now();
    }

    // Waits for a piece that may begin. None where the call has failed, or all pieces are taken.
    std::optional<Piece> wait_for_piece()
    {
        std::unique_lock lock(mutex_);
        std::optional<Piece> piece;
        progress_.wait(lock, [&] {
            piece = take_now();
            return piece || failure_ || (to_devices_.all_taken() && to_host_.all_taken());
        });
        return piece;
    }

    // Uploads go first, since they make work for the devices. One may begin as soon as the place for C that its round needs
    // is at least being emptied.
    std::optional<Piece> take_now()
    {
        if (failure_)
            return std::nullopt;
        if (!to_devices_.all_taken() && may_begin(schedule_.uploads[to_devices_.next_transfer()]))
            return to_devices_.take();
        if (!to_host_.all_taken() && may_begin(schedule_.downloads[to_host_.next_transfer()]))
            return to_host_.take();
        return std::nullopt;
    }

    bool may_begin(const Upload& upload) const
    {
        return rounds_begun_ >= upload.rounds_before && to_host_.over() >= upload.downloads_before &&
               to_host_.taken() >= upload.downloads_first;
    }

    bool may_begin(const Download& download) const { return rounds_begun_ > download.after_round; }

    // The events of the device's part in this round, which a transfer must wait for. Only for rounds that have begun.
    std::vector<cl::Event> end_of(std::optional<std::size_t> round, const DeviceSide& side)
    {
        const std::lock_guard lock(mutex_);
        if (!round || failure_)
            return {};
        const cl::Event& event = side.computed[*round];
        return event() ? std::vector{event} : std::vector<cl::Event>{};
    }

    void send(const Piece& piece, Block& block)
    {
        const Upload& upload = schedule_.uploads[piece.transfer];
        const Matrix from = tile(upload);
        pack(from, host_[from.memory], piece.first, piece.count, block.memory.data(), cached_copy);
        for (const std::size_t device : upload.devices) {
            DeviceSide& side = sides_[device];
            const auto first = end_of(upload.after_round, side);
            side.up().enqueueWriteBuffer(side.place(upload.matrix, upload.place), CL_FALSE,
                                         piece.first * from.element_bytes(), piece.count * from.element_bytes(),
                                         block.memory.data(), &first, &block.transfers.emplace_back());
            side.up().flush();
        }
        note_end_of(to_devices_, piece);
    }

    void receive(const Piece& piece, Block& block)
    {
        const Download& download = schedule_.downloads[piece.transfer];
        DeviceSide& side = sides_[download.device];
        const std::size_t size = problem_.c.element_bytes();
        const auto first = end_of(download.after_round, side);
        side.down().enqueueReadBuffer(side.place(Memory::c, download.place), CL_FALSE, piece.first * size,
                                      piece.count * size, block.memory.data(), &first, &block.transfers.emplace_back());
        block.received = piece;
        side.down().flush();
    }

    // Waits for the block's transfers and unpacks what it received. Then the block is free.
    void finish(Block& block)
    {
        for (const auto& event : block.transfers)
            if (event())
                event.wait();
        block.transfers.clear();
        if (!block.received)
            return;
        const Piece piece = *std::exchange(block.received, std::nullopt);
        {
            const std::lock_guard lock(mutex_);
            if (failure_)
                return;
            touched_c_ = true;
        }
        unpack(tile(schedule_.downloads[piece.transfer]), block.memory.data(), piece.first, piece.count, host_.c,
               cached_copy);
        note_end_of(to_host_, piece);
    }

    // An upload is over when it is enqueued, since the device orders the rest; a download, when it is unpacked.
    void note_end_of(Pieces& pieces, const Piece& piece)
    {
        const std::lock_guard lock(mutex_);
        pieces.note_end_of(piece);
        while (!failure_ && rounds_begun_ < schedule_.rounds.size() &&
               schedule_.rounds[rounds_begun_].uploads_before <= to_devices_.over() &&
               schedule_.rounds[rounds_begun_].downloads_before <= to_host_.over()) {
            try {
                begin(schedule_.rounds[rounds_begun_]);
            } catch (...) {
                failure_ = std::current_exception(); // before another thread begins the same round again
                progress_.notify_all();
                throw;
            }
            rounds_begun_++;
        }
        progress_.notify_all();
    }

    void begin(const Round& round)
    {
        for (std::size_t i = 0; i < sides_.size(); i++) {
            DeviceSide& side = sides_[i];
            side.computed.push_back(side.computed.empty() ? cl::Event() : side.computed.back());
            const auto& [rows, columns] = shares_[i];
            if (round.row >= rows.count || round.column >= columns.count)
                continue;
            cl::Event uploaded;
            side.up().enqueueMarkerWithWaitList(nullptr, &uploaded); // the queue is in order
            side.up().flush();

            const Problem product =
                product_of_tiles(problem_, partition_, rows.begin + round.row, columns.begin + round.column, round.depth);
            Buffers places;
            places[product.a.memory] = side.place(Memory::a, round.place_a)();
            places[product.b.memory] = side.place(Memory::b, round.place_b)();
            places[product.c.memory] = side.place(Memory::c, round.place_c)();
            side.computed.back() =
                multiply(*side.state, product, places, {side.compute(), true, std::span(&uploaded(), 1), true}, request_);
            side.compute().flush();
        }
    }

    void fail(const std::exception_ptr& failure) noexcept
    {
        const std::lock_guard lock(mutex_);
        if (!failure_)
            failure_ = failure;
        progress_.notify_all();
    }

    const Problem& problem_;
    const HostOperands& host_;
    const Request& request_;
    const Partition& partition_;
    const std::vector<Share>& shares_;
    const Schedule schedule_;
    const std::size_t threads_;
    const PieceSize piece_;
    std::vector<DeviceSide> sides_;

    // The mutex guards all members below, and begin() runs under it, so that rounds begin in order.
    std::mutex mutex_;
    std::condition_variable progress_;
    Pieces to_devices_{Direction::to_device}, to_host_{Direction::to_host};
    std::size_t rounds_begun_ = 0;
    bool touched_c_ = false;
    std::exception_ptr failure_; // the first one
};

} // namespace

void multiply_in_tiles(const Problem& problem, const HostOperands& host, const Devices& devices, const Request& request,
                       const TiledWork& work)
{
    TiledProduct product(problem, host, devices, request, work);
    try {
        product.run();
    } catch (const std::exception& failure) {
        if (!product.touched_c())
            throw;
        throw_incomplete("C was received in part when the device failed: ", failure);
    }
}

} // namespace clgemm::core
