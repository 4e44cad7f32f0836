// Transfers of one direction, cut into pieces that several threads take in order. Transfers of one step take turns. Pieces
// may end in another order than they were taken.
#pragma once

#include "support/whole_numbers.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace clgemm::core {

enum class Direction { to_device, to_host };

// A part of a transfer.
struct Piece {
    Direction direction = Direction::to_device;
    std::size_t transfer = 0, first = 0, count = 0; // elements of the packed tile
};

class Pieces {
public:
    explicit Pieces(Direction direction) : direction_(direction) {}

    // Adds a transfer of so many elements, in pieces of `in_a_piece` at most. Transfers of one step must be added one after
    // the other.
    void add(std::size_t step, std::size_t elements, std::size_t in_a_piece)
    {
        transfers_.push_back({step, elements, in_a_piece, 0, divide_up(elements, in_a_piece)});
    }

    bool all_taken() const { return begin_ == transfers_.size(); }
    // How many transfers at the beginning of the list are taken as a whole.
    std::size_t taken() const { return begin_; }
    // The transfer whose piece is taken next. To be asked only where not all are taken.
    std::size_t next_transfer() const
    {
        std::size_t result = begin_;
        for (std::size_t i = begin_; i < transfers_.size() && transfers_[i].step == transfers_[begin_].step; i++)
            if (transfers_[i].taken < transfers_[result].taken && !transfers_[i].is_taken())
                result = i;
        return result;
    }
    Piece take()
    {
        const std::size_t which = next_transfer();
        auto& transfer = transfers_[which];
        const Piece piece{direction_, which, transfer.taken,
                          std::min(transfer.in_a_piece, transfer.elements - transfer.taken)};
        transfer.taken += piece.count;
        while (begin_ < transfers_.size() && transfers_[begin_].is_taken())
            begin_++;
        return piece;
    }

    void note_end_of(const Piece& piece)
    {
        transfers_[piece.transfer].pieces_left--;
        while (over_ < transfers_.size() && transfers_[over_].pieces_left == 0)
            over_++;
    }
    // How many transfers at the beginning of the list are over.
    std::size_t over() const { return over_; }

private:
    struct Transfer {
        std::size_t step, elements, in_a_piece;
        std::size_t taken; // elements
        std::size_t pieces_left;

        bool is_taken() const { return taken == elements; }
    };
    const Direction direction_;
    std::vector<Transfer> transfers_;
    std::size_t begin_ = 0; // those before it are taken as a whole
    std::size_t over_ = 0;
};

} // namespace clgemm::core
