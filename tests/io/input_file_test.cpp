#include "abut/io/input_file.hpp"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "mjcf_testing.hpp"

namespace abut {
namespace {

std::string error_reading(const std::string& path, std::size_t limit = 1000,
                          const Origin& at = {}) {
  try {
    read_input_file(path, limit, at);
  } catch (const FileError& error) {
    return error.what();
  }
  return "";
}

TEST(InputFile, ReadsAllBytes) {
  const TemporaryFolder folder;
  const std::string bytes("a\0\xFF\r\n", 5);
  EXPECT_EQ(read_input_file(folder.write("x", bytes), 5), bytes);
  EXPECT_EQ(read_input_file(folder.write("empty", ""), 5), "");
}

TEST(InputFile, FollowsLinksAndParents) {
  const TemporaryFolder folder;
  folder.write("real", "text");
  folder.write("sub/other", "");
  std::filesystem::create_symlink(folder / "real", folder / "link");
  EXPECT_EQ(read_input_file(folder / "link", 100), "text");
  EXPECT_EQ(read_input_file(folder / "sub/../real", 100), "text");
}

TEST(InputFile, NamesWhatIsMissingAndWhereItIsAskedFor) {
  EXPECT_EQ(error_reading("/no/such/file"),
            "cannot read '/no/such/file': No such file or directory");
  EXPECT_EQ(error_reading("/no/such/file", 1000, {"scene.xml", 3, "include"}),
            "scene.xml:3: include: cannot read '/no/such/file': No such file or directory");
}

TEST(InputFile, RefusesDirectories) {
  const TemporaryFolder folder;
  EXPECT_EQ(folder.relative(error_reading(folder / "")), "cannot read '': it is a directory");
}

TEST(InputFile, RefusesPipesDevicesAndSocketsWithoutWaiting) {
  const TemporaryFolder folder;
  const char* reason = "it is a device, a socket or a pipe, not a file";
  ASSERT_EQ(::mkfifo((folder / "fifo").c_str(), 0600), 0);
  EXPECT_NE(error_reading(folder / "fifo").find(reason), std::string::npos);
  EXPECT_EQ(error_reading("/dev/zero"), std::string("cannot read '/dev/zero': ") + reason);
  EXPECT_NE(error_reading("/dev/null"), "");

  const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (folder / "socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(error_reading(folder / "socket").find(reason), std::string::npos);
  ::close(socket);
}

TEST(InputFile, RefusesUrlsEmptyNamesAndZeroBytes) {
  const std::string urls = ": URLs are not read, only files on this machine";
  for (const std::string url : {"http://example.com/a.xml", "https://example.com/a.xml",
                                "file:///etc/passwd", "ftp://example.com/a"}) {
    EXPECT_EQ(error_reading(url), std::string("cannot read '").append(url).append("'") + urls);
  }
  EXPECT_EQ(error_reading(""), "cannot read '': the file name is empty");
  EXPECT_EQ(error_reading(std::string("a.xml\0.png", 10)),
            "cannot read 'a.xml\\x00.png': the file name has a zero byte");
}

TEST(InputFile, RefusesMoreThanTheLimit) {
  const TemporaryFolder folder;
  const std::string path = folder.write("big", std::string(101, 'x'));
  EXPECT_EQ(folder.relative(error_reading(path, 100)),
            "cannot read 'big': it has 101 bytes, at most 100 are read");
  EXPECT_EQ(error_reading(path, 101), "");
}

TEST(InputFile, RefusesWhatMayNotBeRead) {
  const TemporaryFolder folder;
  const std::string path = folder.write("secret", "x");
  std::filesystem::permissions(folder / "", std::filesystem::perms::all);
  ::chmod(path.c_str(), 0);
  const uid_t user = ::geteuid();
  if (user == 0 && ::seteuid(65534) != 0) GTEST_SKIP() << "root may read everything";
  const std::string error = error_reading(path);
  EXPECT_EQ(::seteuid(user), 0);
  EXPECT_EQ(folder.relative(error), "cannot read 'secret': Permission denied");
}

TEST(InputFile, RefusesLoopsOfLinksAndLongNames) {
  const TemporaryFolder folder;
  std::filesystem::create_symlink(folder / "b", folder / "a");
  std::filesystem::create_symlink(folder / "a", folder / "b");
  EXPECT_NE(error_reading(folder / "a").find("Too many levels of symbolic links"),
            std::string::npos);
  EXPECT_NE(error_reading(folder / std::string(5000, 'x')).find("File name too long"),
            std::string::npos);
}

}  // namespace
}  // namespace abut
