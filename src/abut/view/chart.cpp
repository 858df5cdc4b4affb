#include "abut/view/chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

#include "abut/view/html_text.hpp"

namespace abut {
namespace {

// the picture and the field within it [px]
constexpr double width = 440, height = 300, left = 62, right = 24, top = 12, bottom = 46;
constexpr double least_error = 1e-16;  ///< smaller errors are drawn there

// told apart on white and on black, with any colour vision as far as ten can be; markers differ too
constexpr std::array light = {"#0072b2", "#d55e00", "#00845f", "#b0468f", "#7a6000",
                              "#5b3fc4", "#00798c", "#a52a2a", "#4f6d8f", "#6b6b6b"};
constexpr std::array dark = {"#56b4e9", "#ff9a4d", "#2fc79a", "#e79ccb", "#e6c84f",
                             "#b5a1ff", "#4dd0e1", "#ff8f85", "#a9bfdc", "#c4c4c4"};
constexpr int colors = static_cast<int>(light.size());

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.5g", value);
  return text;
}
std::string pixels(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

std::string power_of_ten(int exponent) {
  constexpr std::array digits = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char digit : std::to_string(std::abs(exponent))) text += digits[digit - '0'];
  return text;
}

std::string label(ChartScale scale, double value) {
  const int exponent = static_cast<int>(std::floor(std::log10(value) + 1e-9));
  switch (scale) {
    case ChartScale::part: return number(100 * value) + " %";
    case ChartScale::error: return power_of_ten(exponent);
    case ChartScale::seconds: {
      if (value < 1e-6 * (1 - 1e-9)) return number(1e9 * value) + " ns";
      if (value < 1e-3 * (1 - 1e-9)) return number(1e6 * value) + " µs";
      if (value < 1 - 1e-9) return number(1e3 * value) + " ms";
      return number(value) + " s";
    }
    case ChartScale::count:
    case ChartScale::ratio: break;
  }
  return value < 1e5 ? number(value) : power_of_ten(exponent);
}

/// Where numbers lie along an axis, and which of them are labelled.
class Scale {
 public:
  Scale(const ChartAxis& axis, std::vector<double> values) : scale_(axis.scale) {
    if (scale_ == ChartScale::part) {
      low_ = 0, high_ = 1;
      ticks_ = {0, 0.2, 0.4, 0.6, 0.8, 1};
      return;
    }
    std::erase_if(values, [](double v) { return !(v > 0) || !std::isfinite(v); });
    if (values.empty()) values = {1, 10};
    const auto [least, most] = std::ranges::minmax(values);
    low_ = std::floor(std::log10(least) + 1e-9);
    high_ = std::ceil(std::log10(most) - 1e-9);
    if (high_ <= low_) high_ = low_ + 1;
    const int decades = static_cast<int>(high_ - low_), every = (decades + 6) / 7;
    for (int d = 0; d <= decades; d += every) {
      ticks_.push_back(std::pow(10.0, low_ + d));
      if (decades > 2 || d == decades || scale_ == ChartScale::error) continue;
      for (const int factor : {2, 5}) ticks_.push_back(factor * std::pow(10.0, low_ + d));
    }
  }

  /// From 0 to 1 along the axis.
  double operator()(double value) const {
    if (scale_ == ChartScale::part) return value;
    const double at = (std::log10(std::max(value, 1e-300)) - low_) / (high_ - low_);
    return std::clamp(at, 0.0, 1.0);
  }
  const std::vector<double>& ticks() const { return ticks_; }

 private:
  ChartScale scale_;
  double low_ = 0, high_ = 1;
  std::vector<double> ticks_;
};

double drawn(ChartScale scale, double value) {
  return scale == ChartScale::error ? std::max(value, least_error) : value;
}

class Drawing {
 public:
  Drawing(const Chart& chart, const std::string& id)
      : chart_(chart), x_(chart.x, values(true)), y_(chart.y, values(false)) {
    svg_ = "<svg class=\"chart\" viewBox=\"0 0 " + number(width) + " " + number(height) +
           "\" role=\"img\" aria-labelledby=\"" + id + "\">\n<title id=\"" + id + "\">" +
           html_text(chart.title) + "</title>\n";
    draw_axes();
    for (ChartCurve curve : chart.curves) {
      std::erase_if(curve.points,
                    [](const ChartPoint& p) { return !std::isfinite(p.x) || !std::isfinite(p.y); });
      draw(curve);
    }
    svg_ += "</svg>\n";
  }
  std::string take() { return std::move(svg_); }

 private:
  std::vector<double> values(bool of_x) const {
    const ChartAxis& axis = of_x ? chart_.x : chart_.y;
    std::vector<double> all;
    for (const double value : axis.holds) all.push_back(drawn(axis.scale, value));
    for (const ChartCurve& curve : chart_.curves) {
      for (const ChartPoint& p : curve.points) all.push_back(drawn(axis.scale, of_x ? p.x : p.y));
    }
    return all;
  }

  double x(double value) const {
    double at = x_(drawn(chart_.x.scale, value));
    if (chart_.x.scale == ChartScale::error) at = 1 - at;  // the better, the farther right
    return left + at * (width - left - right);
  }
  double y(double value) const {
    return top + (1 - y_(drawn(chart_.y.scale, value))) * (height - top - bottom);
  }

  void line(const char* name, double x1, double y1, double x2, double y2) {
    svg_ += std::string("<line class=\"") + name + "\" x1=\"" + pixels(x1) + "\" y1=\"" +
            pixels(y1) + "\" x2=\"" + pixels(x2) + "\" y2=\"" + pixels(y2) + "\"/>";
  }
  void text(const char* name, double at_x, double at_y, const std::string& content,
            const std::string& more = "") {
    svg_ += std::string("<text class=\"") + name + "\" x=\"" + pixels(at_x) + "\" y=\"" +
            pixels(at_y) + "\"" + more + ">" + html_text(content) + "</text>";
  }

  void draw_axes() {
    svg_ += "<g aria-hidden=\"true\">";
    for (const double tick : x_.ticks()) {
      line("grid", x(tick), top, x(tick), height - bottom);
      text("tick below", x(tick), height - bottom + 16, label(chart_.x.scale, tick));
    }
    for (const double tick : y_.ticks()) {
      line("grid", left, y(tick), width - right, y(tick));
      text("tick beside", left - 7, y(tick) + 4, label(chart_.y.scale, tick));
    }
    text("axis", (left + width - right) / 2, height - 8, chart_.x.title);
    const std::string middle = pixels((top + height - bottom) / 2);
    text("axis", 0, 0, chart_.y.title, " transform=\"translate(13 " + middle + ") rotate(-90)\"");
    svg_ += "</g>\n";
  }

  void draw(const ChartCurve& curve) {
    const std::string style = std::to_string(curve.style % colors);
    svg_ += "<g class=\"curve s" + std::to_string(curve.style) + " c" + style + "\"><polyline";
    if (curve.style >= colors) svg_ += " class=\"dashed\"";
    svg_ += " points=\"";
    const ChartPoint* last = nullptr;
    for (const ChartPoint& p : curve.points) {
      if (p.is_hollow) continue;
      if (last != nullptr && curve.has_steps)
        svg_ += pixels(x(p.x)) + "," + pixels(y(last->y)) + " ";
      svg_ += pixels(x(p.x)) + "," + pixels(y(p.y)) + " ";
      last = &p;
    }
    svg_ += "\"/>";
    for (const ChartPoint& p : curve.points) {
      if (curve.has_steps) break;
      svg_ += "<g transform=\"translate(" + pixels(x(p.x)) + " " + pixels(y(p.y)) + ")\"" +
              (p.is_hollow ? " class=\"hollow\"" : "") + ">" + marker(curve.style) + "<title>" +
              html_text(p.note) + "</title></g>";
    }
    svg_ += "</g>\n";
  }

 public:
  static std::string marker(int style) {
    constexpr std::array shapes = {
        "<circle r=\"3.4\"/>",
        "<rect x=\"-3\" y=\"-3\" width=\"6\" height=\"6\"/>",
        "<path d=\"M0-4.2 3.8 2.8H-3.8Z\"/>",
        "<path d=\"M0-4.3 4.3 0 0 4.3-4.3 0Z\"/>",
        "<path d=\"M0 4.2 3.8-2.8H-3.8Z\"/>",
        "<path d=\"M-1.3-4h2.6v2.7H4v2.6H1.3V4h-2.6V1.3H-4v-2.6h2.7Z\"/>"};
    return shapes[style % shapes.size()];
  }

 private:
  const Chart& chart_;
  Scale x_, y_;
  std::string svg_;
};

}  // namespace

std::string draw_chart(const Chart& chart, const std::string& id) {
  return Drawing(chart, id).take();
}

std::string draw_marker(int style) {
  return "<svg class=\"marker c" + std::to_string(style % colors) +
         "\" viewBox=\"-6 -6 12 12\" aria-hidden=\"true\">" + Drawing::marker(style) + "</svg>";
}

std::string chart_style() {
  std::string css, in_dark;
  for (int i = 0; i < colors; ++i) {
    const std::string name = "--c" + std::to_string(i) + ":";
    css += name + light[i] + ";";
    in_dark += name + dark[i] + ";";
  }
  css = ":root{" + css + "}\n@media(prefers-color-scheme:dark){:root{" + in_dark + "}}\n";
  for (int i = 0; i < colors; ++i) {
    const std::string n = std::to_string(i);
    css += ".c" + n + "{color:var(--c" + n + ")}\n";
  }
  return css + R"(.chart{display:block;width:100%;height:auto}
.chart text{font-size:11.5px;fill:var(--quiet)}
.chart .axis{fill:var(--ink);text-anchor:middle}
.chart .below{text-anchor:middle}
.chart .beside{text-anchor:end}
.chart .grid{stroke:var(--line)}
.curve polyline{fill:none;stroke:currentColor;stroke-width:1.6;stroke-linejoin:round}
.curve .dashed{stroke-dasharray:6 3}
.curve g,.marker{fill:currentColor;stroke:currentColor;stroke-width:1.2}
.curve .hollow{fill:var(--surface)}
.curve:hover polyline{stroke-width:3}
.marker{width:12px;height:12px;vertical-align:-1px}
)";
}

}  // namespace abut
