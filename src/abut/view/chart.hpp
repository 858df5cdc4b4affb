#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace abut {

/// What the numbers along an axis are, which decides its scale and its labels.
enum class ChartScale : std::uint8_t {
  error,    ///< logarithmic, 10^-4; along x the smaller ones are to the right
  seconds,  ///< logarithmic, "10 ms"
  count,    ///< logarithmic, from 1
  ratio,    ///< logarithmic, from 1
  part      ///< linear, 0 to 1, as per cent
};

struct ChartAxis {
  ChartScale scale = ChartScale::error;
  std::string title;
  std::vector<double> holds = {};  ///< numbers that it reaches besides those of the curves
};

struct ChartPoint {
  double x = 0, y = 0;
  std::string note;        ///< shown when the pointer rests on it, and read aloud
  bool is_hollow = false;  ///< and not on the curve: what was asked for was not reached
};

struct ChartCurve {
  int style = 0;           ///< colour and marker; the element's class is `s` and this number
  bool has_steps = false;  ///< y keeps its value up to the next x; no markers
  std::vector<ChartPoint> points;
};

struct Chart {
  std::string title;
  ChartAxis x, y;
  std::vector<ChartCurve> curves;
};

/// An SVG element with the curves, for a page whose style sheet holds chart_style(). `id` is
/// unlike any other of the page.
std::string draw_chart(const Chart& chart, const std::string& id);

/// A marker alone, as an SVG element for legends and tables.
std::string draw_marker(int style);

/// CSS for draw_chart() and draw_marker(): colours for light and dark pages.
std::string chart_style();

}  // namespace abut
