#include "tune/contest.hpp"

#include "tune/key.hpp"

#include "select/fastest.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

namespace clgemm::tune {
namespace {

using namespace core;

constexpr double never = std::numeric_limits<double>::infinity();

// The median, since some things are presumed quite wrong: they count for no more than others.
double median(std::vector<double> values, double of_none)
{
    if (values.empty())
        return of_none;
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace

void Contest::enter(const Measurement& presumed, const Tuning& among)
{
    if (!find(key_of(presumed)))
        entries_.push_back({presumed, times(presumed, among)});
}

void Contest::is_measured(const Measurement& measured, const Tuning& among)
{
    const std::vector<double> ns = times(measured, among);
    Entry* entry = find(key_of(measured));
    if (!entry) { // found on the way
        entries_.push_back({measured, ns, true});
        return;
    }
    double logarithms = 0, count = 0;
    for (std::size_t call = 0; call < ns.size(); call++)
        if (ns[call] < never && entry->ns[call] < never) {
            logarithms += std::log(ns[call] / entry->ns[call]);
            count++;
        }
    *entry = {measured, ns, true, count > 0 ? std::exp(logarithms / count) : 0};
}

void Contest::is_out(const std::string& key)
{
    std::erase_if(entries_, [&](const Entry& entry) { return key_of(entry.measurement) == key; });
}

std::vector<const Measurement*> Contest::next(double doubt) const
{
    const double of_all = scale_of_all();
    std::map<const KernelInfo*, double> scales;
    for (const Entry& entry : entries_) {
        const KernelInfo* kernel = entry.measurement.variant.kernel;
        if (scales.count(kernel) == 0) {
            const double of_kernel = scale_of(kernel);
            scales[kernel] = of_kernel > 0 ? of_kernel : of_all;
        }
    }
    return chosen(
        [&](const Entry& entry) { return entry.is_measured ? 1 : scales.at(entry.measurement.variant.kernel) / doubt; });
}

std::vector<const Measurement*> Contest::next_of_unknown_kernels() const
{
    std::vector<const Measurement*> result;
    std::set<const KernelInfo*> seen;
    for (const Entry& entry : entries_) {
        const KernelInfo* kernel = entry.measurement.variant.kernel;
        if (!seen.insert(kernel).second || scale_of(kernel) > 0)
            continue;
        const auto of_it =
            chosen([&](const Entry& other) { return other.measurement.variant.kernel == kernel ? 1 : never; });
        if (!of_it.empty())
            result.push_back(of_it.front());
    }
    return result;
}

std::vector<const Measurement*> Contest::chosen(const std::function<double(const Entry&)>& multiple) const
{
    std::vector<double> multiples;
    for (const Entry& entry : entries_)
        multiples.push_back(multiple(entry));
    std::vector<std::size_t> won(entries_.size(), 0);
    for (std::size_t call = 0; call < calls_.size(); call++) {
        std::size_t best = 0;
        double least = never;
        for (std::size_t i = 0; i < entries_.size(); i++)
            if (const double ns = entries_[i].ns[call] * multiples[i]; ns < least) {
                best = i;
                least = ns;
            }
        if (least < never && !entries_[best].is_measured)
            won[best]++;
    }
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < won.size(); i++)
        if (won[i] > 0)
            order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) { return won[one] > won[other]; });
    std::vector<const Measurement*> result(order.size());
    std::transform(order.begin(), order.end(), result.begin(), [&](std::size_t i) { return &entries_[i].measurement; });
    return result;
}

std::vector<double> Contest::times(const Measurement& measurement, const Tuning& among) const
{
    Tuning alone{.origin = "",
                 .launch_ns = among.launch_ns,
                 .enqueue_ns = among.enqueue_ns,
                 .bytes_per_ns = among.bytes_per_ns,
                 .measurements = {measurement}};
    std::vector<double> result;
    for (const Target& call : calls_) {
        const auto candidate = fastest(call.problem, *device_, alone, {});
        result.push_back(candidate ? candidate->ns : never);
    }
    return result;
}

Contest::Entry* Contest::find(const std::string& key)
{
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return key_of(entry.measurement) == key; });
    return found == entries_.end() ? nullptr : &*found;
}

double Contest::scale_of(const KernelInfo* kernel) const
{
    std::vector<double> ratios;
    for (const Entry& entry : entries_)
        if (entry.ratio > 0 && entry.measurement.variant.kernel == kernel)
            ratios.push_back(entry.ratio);
    return median(std::move(ratios), 0);
}

double Contest::scale_of_all() const
{
    std::vector<double> ratios;
    for (const Entry& entry : entries_)
        if (entry.ratio > 0)
            ratios.push_back(entry.ratio);
    return median(std::move(ratios), 1);
}

} // namespace clgemm::tune
