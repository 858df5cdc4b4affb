#pragma once

#include <span>

#include "abut/io/recording_format.hpp"

namespace abut {

/// A number of each step that the page plots. Series of one `plot` share a diagram.
struct PageSeries {
  const char* name;
  const char* label;
  const char* unit;
  const char* plot;
  bool logarithmic;
  bool is_peak;  ///< of several steps the largest stands for all, else the last
  double (*value)(const RecordedStep& step);
};

/// All of them, in the order of the page's plots and of a live frame's numbers.
std::span<const PageSeries> page_series();

}  // namespace abut
