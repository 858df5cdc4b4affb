#include "options.hpp"

#include <cctype>
#include <string>
#include <vector>

#include "abut/core/text.hpp"

namespace abut::python {
namespace {

/// The words before colons.
std::vector<std::string> names_in(std::string_view signature) {
  std::vector<std::string> names;
  for (std::size_t end = signature.find(": "); end != std::string_view::npos;
       end = signature.find(": ", end + 1)) {
    std::size_t begin = end;
    while (begin > 0 && (std::isalnum(static_cast<unsigned char>(signature[begin - 1])) != 0 ||
                         signature[begin - 1] == '_')) {
      --begin;
    }
    names.emplace_back(signature.substr(begin, end - begin));
  }
  return names;
}

}  // namespace

void refuse_unknown(const nb::kwargs& options, const char* function, std::string_view signature) {
  for (const auto& [key, value] : options) {
    const std::string name = nb::cast<nb::str>(key).c_str();
    const std::vector<std::string> names = names_in(signature);
    std::string text = std::string(function) + "() has no argument " + quote(name);
    if (const std::string_view nearest = nearest_word(name, names); !nearest.empty()) {
      text += ", did you mean " + quote(nearest) + "?";
    } else {
      text += ": must be one of ";
      for (const std::string& n : names) text += (&n == names.data() ? "" : ", ") + n;
    }
    throw nb::type_error(text.c_str());
  }
}

}  // namespace abut::python
