#pragma once

#include <stdexcept>
#include <string_view>
#include <utility>

#include "abut/io/bytes.hpp"
#include "abut/io/scene_file.hpp"

namespace abut {

inline SceneFile file_of(Scene scene) {
  SceneFile file;
  file.scene = std::move(scene);
  return file;
}

/// What a live frame begins with (docs/formats/page.md).
struct FrameHeader {
  std::uint32_t bodies = 0, contacts = 0, series = 0, status = 0;
  double step = 0, time = 0;
  int drag_body = -1;
  float drag_point[3], drag_target[3], drag_force[3];
};

/// Throws unless the frame is as long as its header says.
inline FrameHeader read_frame(std::string_view bytes) {
  ByteReader in(bytes);
  FrameHeader f;
  for (std::uint32_t* n : {&f.bodies, &f.contacts, &f.series, &f.status}) {
    *n = in.take<std::uint32_t>();
  }
  f.step = in.take<double>();
  f.time = in.take<double>();
  f.drag_body = static_cast<int>(in.take<float>());
  for (auto* v : {f.drag_point, f.drag_target, f.drag_force}) {
    for (int k = 0; k < 3; ++k) v[k] = in.take<float>();
  }
  const std::size_t rest = 8 + 4 * f.series + 28 * f.bodies + 61 * f.contacts;
  if (!in.good() || in.left() != rest) throw std::runtime_error("a frame of a wrong size");
  return f;
}

}  // namespace abut
