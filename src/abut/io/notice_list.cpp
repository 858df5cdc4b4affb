#include "abut/io/notice_list.hpp"

#include <algorithm>

#include "abut/core/text.hpp"

namespace abut {

void NoticeList::add(std::string_view text, const Origin& at, std::string_view name) {
  auto entry = std::find_if(entries_.begin(), entries_.end(),
                            [&](const Entry& known) { return known.text == text; });
  if (entry == entries_.end()) entry = entries_.insert(entry, {std::string(text), at, 0, {}});
  ++entry->count;
  if (!name.empty() && entry->names.size() < 3) entry->names.push_back(quote(name));
}

std::vector<Notice> NoticeList::take() const {
  std::vector<Notice> notices;
  for (const Entry& entry : entries_) {
    std::string text = entry.text;
    if (entry.count > 1) {
      text += " (" + std::to_string(entry.count) + " elements";
      const char* separator = ": ";
      for (const std::string& name : entry.names) {
        text += separator + name;
        separator = ", ";
      }
      if (!entry.names.empty() && entry.count > static_cast<int>(entry.names.size())) {
        text += ", ...";
      }
      text += ")";
    }
    notices.push_back({entry.first, text});
  }
  return notices;
}

}  // namespace abut
