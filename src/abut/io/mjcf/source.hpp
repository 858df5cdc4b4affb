#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "abut/core/error.hpp"
#include "abut/io/mjcf.hpp"
#include "abut/io/xml_scan.hpp"

namespace abut::mjcf {

/// An element that MuJoCo gives no line for, does not tell all about, or does not get to see.
struct Element {
  std::string tag;
  std::string name;
  std::string parent;                   ///< tag of the element around it
  std::vector<std::string> attributes;  ///< names of those given
  int line = 0;                         ///< to be given to Source::locate()
  bool in_main_model = true;            ///< false in a model brought in by <asset><model>
};

/// The beginning of punctuation between tags, which MuJoCo passes over.
struct StrayText {
  Origin at;
  std::string text;
};

/// A text for MuJoCo under the path that MuJoCo will ask for.
struct Document {
  std::string path;
  std::string text;
};

/// A scene's files, read, checked and made ready for MuJoCo.
///
/// Includes are put in place. Models of <asset><model> stay documents of their own, but each line
/// of any document has a number that no other has (by empty lines in front), so that the number in
/// MuJoCo's messages says which file and line is meant. Left out, since it does not touch the
/// motion and would only cost files and memory: <visual>, <statistic>, <size>, <custom>,
/// <sensor>, <skin>.
///
/// Checked here because MuJoCo lets it pass: numbers that are not decimal or not finite, empty
/// numbers, names beyond 1 KiB, sizes of tables that would exhaust memory, what makes it end the
/// process: classes with a % in their name, models without file. Refused here because MuJoCo would
/// have to build it first: flexible bodies and plugins.
class Source {
 public:
  /// @throws FileError if a file cannot be read, InputError for what is in it
  static Source from_file(const std::string& path, const MjcfOptions& options = {});
  /// `name` stands for the path in messages and for includes.
  static Source from_text(std::string_view text, const std::string& name,
                          const MjcfOptions& options = {});

  const std::vector<Document>& documents() const { return documents_; }  ///< the scene's own first
  const std::vector<Element>& elements() const { return elements_; }
  const std::vector<StrayText>& stray_text() const { return stray_text_; }

  /// File and line of a line number of the documents; element as given.
  Origin locate(int line, std::string element) const;

  /// The last element `tag` of the scene's own model that gives `attribute`, else the last `tag`,
  /// else the file.
  Origin locate_setting(std::string_view tag, std::string_view attribute) const;

 private:
  friend class SourceReader;

  struct Segment {
    int first_line;  ///< in the documents
    int file;
    int source_line;
  };

  std::vector<std::string> files_;
  std::vector<Document> documents_;
  std::vector<Segment> segments_;  ///< ascending
  std::vector<Element> elements_;
  std::vector<StrayText> stray_text_;
};

/// "geom 'box3'", or "geom" for an element without name.
std::string label(std::string_view tag, std::string_view name);

}  // namespace abut::mjcf
