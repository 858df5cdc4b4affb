#include "abut/io/atomic_file.hpp"

#include <sys/stat.h>

#include "io/files_testing.hpp"

namespace abut {
namespace {

namespace fs = std::filesystem;

std::string write_failure(const TemporaryFolder& folder, const std::string& path) {
  return folder.relative(failure_of([&] { write_file_atomic(path, "new"); }));
}

TEST(AtomicFile, ReplacesTheWholeFileAndLeavesNothingElse) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "something longer before");
  write_file_atomic(path, "new");
  EXPECT_EQ(read_bytes(path), "new");
  EXPECT_EQ(names_in(folder / ""), std::set<std::string>{"a.txt"});
}

TEST(AtomicFile, KeepsPermissionsAndGivesNewFilesTheUsual) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  fs::permissions(path, fs::perms{0640});
  write_file_atomic(path, "new");
  EXPECT_EQ(fs::status(path).permissions(), fs::perms{0640});
  const mode_t mask = ::umask(022);
  write_file_atomic(folder / "b.txt", "new");
  ::umask(mask);
  EXPECT_EQ(fs::status(folder / "b.txt").permissions(), fs::perms{0644});
}

TEST(AtomicFile, WithoutCommitNothingChanges) {
  const TemporaryFolder folder;
  const std::string path = folder.write("a.txt", "old");
  {
    AtomicFile file(path);
    file.write("half of the");
  }
  EXPECT_EQ(read_bytes(path), "old");
  EXPECT_EQ(names_in(folder / ""), std::set<std::string>{"a.txt"});
}

TEST(AtomicFile, WritesThroughALinkAndKeepsIt) {
  const TemporaryFolder folder;
  const std::string target = folder.write("there/a.txt", "old");
  fs::create_symlink(target, folder / "link");
  write_file_atomic(folder / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder / "link"));
  EXPECT_EQ(read_bytes(target), "new");
  EXPECT_EQ(names_in(folder / "there"), std::set<std::string>{"a.txt"});
}

TEST(AtomicFile, SaysWhyItCannotWrite) {
  const TemporaryFolder folder;
  folder.write("file", "");
  fs::create_directory(folder / "directory");
  fs::create_symlink(folder / "nothing", folder / "dangling");
  fs::create_symlink(folder / "loop", folder / "loop");
  EXPECT_EQ(write_failure(folder, ""), "FileError: cannot write '': the file name is empty");
  EXPECT_EQ(write_failure(folder, folder / "absent/a"),
            "FileError: cannot write 'absent/a': No such file or directory");
  EXPECT_EQ(write_failure(folder, folder / "file/a"),
            "FileError: cannot write 'file/a': Not a directory");
  EXPECT_EQ(write_failure(folder, folder / "directory"),
            "FileError: cannot write 'directory': it is a directory");
  EXPECT_EQ(write_failure(folder, folder / "dangling"),
            "FileError: cannot write 'dangling': it is a symbolic link to nothing");
  EXPECT_EQ(write_failure(folder, folder / "loop"),
            "FileError: cannot write 'loop': Too many levels of symbolic links");
  EXPECT_EQ(write_failure(folder, std::string("a\0b", 3)),
            "FileError: cannot write 'a\\x00b': the file name has a zero byte");
}

TEST(AtomicFile, WritesDevicesDirectly) {
  EXPECT_EQ(failure_of([] { write_file_atomic("/dev/null", "new"); }), "");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_EQ(failure_of([] { write_file_atomic("/dev/full", "new"); }),
            "FileError: cannot write '/dev/full': No space left on device");
}

}  // namespace
}  // namespace abut
