// What many ratios amount to, and when a difference between two times is more than noise.
#pragma once

#include <vector>

namespace timing {

// `values`: at least one, all of them positive.
double geometric_mean(const std::vector<double>& values);

// The value below which this share of the values lies (0: the least, 1: the greatest), linear between two of them.
double quantile(std::vector<double> values, double share);

// Are the first times shorter than the second ones by more than chance explains (Mann and Whitney's test by ranks, which
// asks nothing of how times are distributed; wrong in one of a hundred cases)? Each is to be independent of the others.
bool is_faster(const std::vector<double>& first, const std::vector<double>& second);

} // namespace timing
