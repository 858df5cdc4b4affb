#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "abut/sim/scene.hpp"

namespace abut {

/// Notices of which each is given once, however many elements it is about: with their number, the
/// place of the first, and up to three names.
class NoticeList {
 public:
  /// `name` is the element's, empty when it has none.
  void add(std::string_view text, const Origin& at, std::string_view name = {});

  std::vector<Notice> take() const;

 private:
  struct Entry {
    std::string text;
    Origin first;
    int count = 0;
    std::vector<std::string> names;
  };
  std::vector<Entry> entries_;
};

}  // namespace abut
