#include "abut/io/output_dir.hpp"

#include "io/files_testing.hpp"

namespace abut {
namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

std::string prepare_failure(const TemporaryFolder& folder, const std::string& name,
                            bool force = false) {
  return folder.relative(failure_of([&] { prepare_output_dir(folder / name, force); }));
}

/// A directory of abut's with recording.bin in it.
std::string used_directory(const TemporaryFolder& folder) {
  OutputDir directory = prepare_output_dir(folder / "out", false);
  write_bytes(directory.file("recording.bin"), "old");
  return folder / "out";
}

TEST(OutputDir, IsMadeWithThoseAboveIt) {
  const TemporaryFolder folder;
  OutputDir directory = prepare_output_dir(folder / "a/b/out", false);
  EXPECT_EQ(directory.file("x"), folder / "a/b/out/x");
  EXPECT_EQ(names_in(folder / "a/b/out"), Names{".abut"});
}

TEST(OutputDir, AnEmptyDirectoryIsUsed) {
  const TemporaryFolder folder;
  fs::create_directory(folder / "out");
  EXPECT_EQ(prepare_failure(folder, "out"), "");
}

TEST(OutputDir, IsEmptiedOfWhatAbutWroteAndOfNothingElse) {
  const TemporaryFolder folder;
  const std::string out = used_directory(folder);
  folder.write("out/notes.txt", "mine");
  folder.write("out/summary.json", "mine too: abut did not write it");
  prepare_output_dir(out, false);
  EXPECT_EQ(names_in(out), (Names{".abut", "notes.txt", "summary.json"}));
}

TEST(OutputDir, OthersFilesAreNotOverwrittenWithoutForce) {
  const TemporaryFolder folder;
  const std::string out = used_directory(folder);
  folder.write("out/summary.json", "mine");
  EXPECT_EQ(
      folder.relative(failure_of([&] { prepare_output_dir(out, false).file("summary.json"); })),
      "'out/summary.json' was not written by abut: choose another output directory or overwrite it "
      "with --force");
  EXPECT_EQ(failure_of([&] { prepare_output_dir(out, true).file("summary.json"); }), "");
  EXPECT_EQ(read_bytes(out + "/summary.json"), "mine");
}

TEST(OutputDir, IsOfOneRunAtATime) {
  const TemporaryFolder folder;
  const std::string out = folder / "out";
  {
    const OutputDir first = prepare_output_dir(out, false);
    EXPECT_EQ(folder.relative(failure_of([&] { prepare_output_dir(out, true); })),
              "output directory 'out' is in use by another run");
  }
  EXPECT_EQ(failure_of([&] { prepare_output_dir(out, false); }), "");
}

TEST(OutputDir, RemovesWhatAKilledRunLeft) {
  const TemporaryFolder folder;
  folder.write("out/.abut-123-0.tmp", "half a marker");
  prepare_output_dir(folder / "out", false);
  EXPECT_EQ(names_in(folder / "out"), Names{".abut"});
}

TEST(OutputDir, AStrangersDirectoryNeedsForceAndThenLosesNothing) {
  const TemporaryFolder folder;
  folder.write("out/thesis.txt", "mine");
  folder.write("out/recording.bin", "mine");
  EXPECT_EQ(prepare_failure(folder, "out"),
            "output directory 'out' holds files that abut did not write: choose another or write "
            "into it with --force");
  EXPECT_EQ(names_in(folder / "out"), (Names{"recording.bin", "thesis.txt"}));
  EXPECT_EQ(prepare_failure(folder, "out", true), "");
  EXPECT_EQ(names_in(folder / "out"), (Names{".abut", "recording.bin", "thesis.txt"}));
}

TEST(OutputDir, AMarkerOfSomebodyElseDoesNotCount) {
  const TemporaryFolder folder;
  folder.write("out/.abut", "thesis.txt\n");
  folder.write("out/thesis.txt", "mine");
  EXPECT_NE(prepare_failure(folder, "out"), "");
  EXPECT_TRUE(fs::exists(folder / "out/thesis.txt"));
}

TEST(OutputDir, DeletesNothingOutsideWhateverTheMarkerSays) {
  const TemporaryFolder folder;
  const std::string out = used_directory(folder);
  folder.write("thesis.txt", "mine");
  folder.write("out/sub/deep.txt", "mine");
  const std::string marker = read_bytes(out + "/.abut");
  write_bytes(out + "/.abut", marker + "../thesis.txt\n" + (folder / "thesis.txt") +
                                  "\nsub/deep.txt\nsub\n..\n.\n\n");
  prepare_output_dir(out, false);
  EXPECT_TRUE(fs::exists(folder / "thesis.txt"));
  EXPECT_TRUE(fs::exists(folder / "out/sub/deep.txt"));
}

TEST(OutputDir, FollowsNoLinkToDeleteOrToWrite) {
  const TemporaryFolder folder;
  const std::string out = used_directory(folder);
  const std::string target = folder.write("elsewhere.bin", "mine");
  fs::remove(out + "/recording.bin");
  fs::create_symlink(target, out + "/recording.bin");
  OutputDir directory = prepare_output_dir(out, false);
  EXPECT_TRUE(fs::exists(target));
  EXPECT_TRUE(fs::is_symlink(out + "/recording.bin"));
  EXPECT_EQ(folder.relative(failure_of([&] { directory.file("recording.bin"); })),
            "FileError: cannot write 'out/recording.bin': it is a symbolic link, which abut does "
            "not follow here");
}

TEST(OutputDir, AMarkerThatIsALinkIsNotFollowed) {
  const TemporaryFolder folder;
  const std::string target = folder.write("elsewhere", "mine");
  fs::create_directory(folder / "out");
  fs::create_symlink(target, folder / "out/.abut");
  EXPECT_NE(prepare_failure(folder, "out"), "");
  EXPECT_NE(prepare_failure(folder, "out", true), "");
  EXPECT_EQ(read_bytes(target), "mine");
}

TEST(OutputDir, SaysWhatIsWrongWithItsName) {
  const TemporaryFolder folder;
  folder.write("file", "");
  EXPECT_EQ(failure_of([] { prepare_output_dir("", false); }),
            "the name of the output directory is empty");
  EXPECT_EQ(prepare_failure(folder, "file"),
            "output directory 'file' is a file: choose another name");
  EXPECT_EQ(prepare_failure(folder, "file", true),
            "output directory 'file' is a file: choose another name");
  EXPECT_EQ(prepare_failure(folder, "file/out"),
            "FileError: cannot make the directory 'file/out': Not a directory");
  EXPECT_EQ(prepare_failure(folder, std::string(300, 'x')),
            "FileError: cannot write '" + std::string(300, 'x') + "': File name too long");
}

TEST(OutputDir, ListsFilesThatOthersWriteLater) {
  const TemporaryFolder folder;
  const std::string out = used_directory(folder);
  list_output_files(out, {"steps.csv"});
  folder.write("out/steps.csv", "");
  prepare_output_dir(out, false);
  EXPECT_EQ(names_in(out), Names{".abut"});
  fs::create_directory(folder / "plain");
  list_output_files(folder / "plain", {"steps.csv"});
  EXPECT_EQ(names_in(folder / "plain"), Names{});
}

}  // namespace
}  // namespace abut
