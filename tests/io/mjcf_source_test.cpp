#include "abut/io/mjcf/source.hpp"

#include "mjcf_testing.hpp"

namespace abut {
namespace {

using mjcf::Source;

const std::string bad_geom = "<geom name='bad' size='.1' friction='-1'/>";
const std::string complaint = ": geom 'bad': friction = -1, must be finite and not negative";

TEST(MjcfLines, OfTheFileItself) {
  EXPECT_EQ(error_of(scene_text("\n\n" + bad_geom)), "s.xml:5" + complaint);
  EXPECT_EQ(error_of(scene_text("<geom size='1'/>\r\n" + bad_geom)), "s.xml:4" + complaint);
}

TEST(MjcfLines, OfAnIncludedFile) {
  const TemporaryFolder folder;
  folder.write("main.xml",
               "<mujoco>\n<worldbody>\n<include file='parts/a.xml'/>\n"
               "<geom name='later' size='1' friction='-1'/></worldbody></mujoco>");
  folder.write("parts/a.xml", "<?xml version='1.0'?>\n<mujocoinclude>\n<geom size='1'/>\n" +
                                  bad_geom + "</mujocoinclude>\n");
  EXPECT_EQ(folder.error_of("main.xml"), "parts/a.xml:4" + complaint);
  folder.write("parts/a.xml", "<mujocoinclude>\n\n\n<geom size='1'/></mujocoinclude>\n");
  EXPECT_EQ(folder.error_of("main.xml"),
            "main.xml:4: geom 'later': friction = -1, must be finite and not negative");
}

// Paths of nested includes are relative to the main file, as in MuJoCo.
TEST(MjcfLines, OfNestedIncludesOnOneLine) {
  const TemporaryFolder folder;
  folder.write("main.xml",
               "<mujoco><worldbody><include file='a.xml'/><include file='b.xml'/></worldbody>"
               "</mujoco>");
  folder.write("a.xml", "<i>\n<include file='sub/c.xml'/>\n<geom size='1'/></i>");
  folder.write("sub/c.xml", "<i><geom name='c' size='1'/></i>");
  folder.write("b.xml", "<i>\n\n" + bad_geom + "</i>");
  EXPECT_EQ(folder.error_of("main.xml"), "b.xml:3" + complaint);
  folder.write("b.xml", "<i><geom name='b' size='1'/></i>");
  const Scene scene = load_mjcf(folder / "main.xml");
  ASSERT_EQ(scene.geoms.size(), 3u);
  EXPECT_EQ(scene.geoms[0].name, "c");
  EXPECT_EQ(folder.relative(describe(scene.geoms[0].origin)), "sub/c.xml:1: geom 'c': ");
  EXPECT_EQ(folder.relative(describe(scene.geoms[1].origin)), "a.xml:3: geom: ");
  EXPECT_EQ(folder.relative(describe(scene.geoms[2].origin)), "b.xml:1: geom 'b': ");
}

TEST(MjcfLines, OfAnAttachedModel) {
  const TemporaryFolder folder;
  folder.write("main.xml",
               "<mujoco>\n<asset><model name='m' file='sub/m.xml'/></asset>\n<worldbody>\n"
               "<attach model='m' prefix='p_'/>\n<geom name='own' size='1'/></worldbody></mujoco>");
  folder.write("sub/m.xml", "<mujoco>\n<worldbody>\n<include file='n.xml'/></worldbody></mujoco>");
  folder.write("sub/n.xml", "<i>\n\n<body name='b'><freejoint/>" + bad_geom + "</body></i>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "sub/n.xml:3: geom 'p_bad': friction = -1, must be finite and not negative");
  folder.write("sub/n.xml", "<i><body name='b'><freejoint/><geom size='1'/></body></i>");
  const Scene scene = load_mjcf(folder / "main.xml");
  ASSERT_EQ(scene.bodies.size(), 1u);
  EXPECT_EQ(scene.bodies[0].name, "p_b");
  EXPECT_EQ(folder.relative(describe(scene.bodies[0].origin)), "sub/n.xml:1: body 'p_b': ");
  EXPECT_EQ(folder.relative(describe(scene.geoms[0].origin)), "main.xml:5: geom 'own': ");
}

TEST(MjcfLines, OfMujocosOwnErrors) {
  const TemporaryFolder folder;
  folder.write("main.xml", "<mujoco>\n<worldbody>\n<include file='a.xml'/></worldbody></mujoco>");
  folder.write("a.xml", "<i>\n<geom size='1'/>\n<geom size='1' type='cube'/></i>");
  EXPECT_EQ(folder.error_of("main.xml"), "a.xml:3: geom: invalid keyword: 'cube'");
  folder.write("a.xml",
               "<i>\n<body name='b'>\n<body><freejoint/><geom size='1'/></body></body></i>");
  EXPECT_EQ(folder.error_of("main.xml"), "a.xml:3: body: free joint can only be used on top level");
}

TEST(MjcfLines, OfAttachedModelsInMujocosOwnErrors) {
  const TemporaryFolder folder;
  folder.write("main.xml", "<mujoco>\n<asset><model name='m' file='m.xml'/></asset></mujoco>");
  folder.write("m.xml",
               "<mujoco>\n\n<worldbody>\n<geom size='1' type='cube'/></worldbody></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"), "m.xml:4: geom: invalid keyword: 'cube'");
}

TEST(MjcfIncludes, MustExistAndHoldSomething) {
  const TemporaryFolder folder;
  folder.write("main.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "FileError: main.xml:2: include: cannot read 'a.xml': No such file or directory");
  folder.write("a.xml", "");
  EXPECT_EQ(folder.error_of("main.xml"), "a.xml: the file is empty");
  folder.write("a.xml", "\n<i/>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "a.xml:2: i: an included file must have an element in its root");
  folder.write("a.xml", "<i><worldbody></i>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "a.xml:1: column 15: </i> where <worldbody> of line 1 is open");
}

TEST(MjcfIncludes, MayNotLoop) {
  const TemporaryFolder folder;
  folder.write("main.xml", "<mujoco>\n<include file='a.xml'/></mujoco>");
  folder.write("a.xml", "<i>\n\n<include file='./a.xml'/></i>");
  EXPECT_EQ(folder.error_of("main.xml"), "a.xml:3: include: file 'a.xml' is included twice");
  // by another name each time
  const auto numbered = [](int i) {
    return std::string("b").append(std::to_string(i)).append(".xml");
  };
  for (int i = 0; i < 20; ++i) {
    folder.write(numbered(i), "<i><include file='" + numbered(i + 1) + "'/></i>");
  }
  folder.write("main.xml", "<mujoco>\n<include file='b0.xml'/></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "b15.xml:1: include: files are included more than 16 deep");
}

TEST(MjcfIncludes, MayNotNameUrlsOrDevices) {
  EXPECT_EQ(
      error_of("<mujoco><include file='http://a/b.xml'/></mujoco>"),
      "FileError: s.xml:1: include: cannot read 'http://a/b.xml': URLs are not read, only files "
      "on this machine");
  EXPECT_EQ(
      error_of("<mujoco><asset><model file='http://a/b.xml'/></asset></mujoco>"),
      "FileError: s.xml:1: model: cannot read 'http://a/b.xml': URLs are not read, only files "
      "on this machine");
  EXPECT_EQ(error_of("<mujoco><include file='/dev/zero'/></mujoco>"),
            "FileError: s.xml:1: include: cannot read '/dev/zero': it is a device, a socket or a "
            "pipe, not a file");
  EXPECT_EQ(error_of("<mujoco><include/></mujoco>"),
            "s.xml:1: include: must have the attribute 'file' and no other");
  EXPECT_EQ(error_of("<mujoco><include file='x' prefix='y'/></mujoco>"),
            "s.xml:1: include: must have the attribute 'file' and no other");
}

TEST(MjcfModels, MayNotContainThemselves) {
  const TemporaryFolder folder;
  folder.write("main.xml", "<mujoco>\n<asset><model file='a.xml'/></asset></mujoco>");
  folder.write("a.xml", "<mujoco>\n<asset>\n<model name='m' file='a.xml'/></asset></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"), "a.xml:3: model 'm': model 'a.xml' contains itself");
  folder.write("a.xml", "<mujoco>\n<asset>\n<model file='main.xml'/></asset></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"), "a.xml:3: model: model 'main.xml' contains itself");
  folder.write("main.xml", "<mujoco>\n<asset><model file='b.xml'/></asset></mujoco>");
  EXPECT_EQ(folder.error_of("main.xml"),
            "FileError: main.xml:2: model: cannot read 'b.xml': No such file or directory");
}

TEST(MjcfModels, OneFileMayServeTwice) {
  const TemporaryFolder folder;
  folder.write("main.xml",
               "<mujoco><asset><model name='a' file='m.xml'/><model name='b' file='./m.xml'/>"
               "</asset><worldbody><attach model='a' prefix='a'/><attach model='b' prefix='b'/>"
               "</worldbody></mujoco>");
  folder.write("m.xml", "<mujoco><worldbody>\n<geom name='g' size='1'/></worldbody></mujoco>");
  const Scene scene = load_mjcf(folder / "main.xml");
  ASSERT_EQ(scene.geoms.size(), 2u);
  EXPECT_EQ(scene.geoms[0].origin.line, 2);
  EXPECT_EQ(scene.geoms[1].origin.line, 2);
}

TEST(MjcfSource, PutsIncludesInPlaceAndLeavesSectionsOut) {
  const TemporaryFolder folder;
  folder.write("a.xml", "<i>\n<geom size='1'/></i>");
  const std::string text =
      "<mujoco>\n<visual>\n<map/></visual><size nkey='9'/>\n"
      "<worldbody><include file='a.xml'/></worldbody>\n"
      "<sensor><clock name='c'/></sensor></mujoco>";
  const Source source = Source::from_text(text, folder / "main.xml");
  ASSERT_EQ(source.documents().size(), 1u);
  EXPECT_EQ(source.documents()[0].text,
            "<mujoco>\n\n\n<worldbody>\n\n<geom size='1'/>\n</worldbody>\n</mujoco>");
  EXPECT_EQ(folder.relative(describe(source.locate(6, "geom"))), "a.xml:2: geom: ");
  EXPECT_EQ(folder.relative(describe(source.locate(7, ""))), "main.xml:4: ");
  ASSERT_EQ(source.elements().size(), 1u);
  EXPECT_EQ(source.elements()[0].parent, "sensor");
  EXPECT_EQ(folder.relative(describe(source.locate(source.elements()[0].line, "x"))),
            "main.xml:5: x: ");
}

TEST(MjcfSource, FindsTheSettingThatCounts) {
  const Source source = Source::from_text(
      "<mujoco>\n<option timestep='1'/>\n<option gravity='0 0 0'/>\n</mujoco>", "s.xml");
  EXPECT_EQ(source.locate_setting("option", "timestep").line, 2);
  EXPECT_EQ(source.locate_setting("option", "gravity").line, 3);
  EXPECT_EQ(source.locate_setting("option", "cone").line, 3);
  EXPECT_EQ(source.locate_setting("compiler", "angle").line, 0);
}

TEST(MjcfSource, NestingCountsAcrossFiles) {
  const TemporaryFolder folder;
  std::string open, close;
  for (int i = 0; i < 200; ++i) {
    open += "<body>";
    close += "</body>";
  }
  folder.write("a.xml", "<i>\n" + open + close + "</i>");
  const std::string include = "<include file='a.xml'/>";
  EXPECT_NO_THROW(Source::from_text("<mujoco><worldbody>" + include + "</worldbody></mujoco>",
                                    folder / "s.xml"));
  EXPECT_THROW(
      Source::from_text("<mujoco><worldbody>" + open + include + close + "</worldbody></mujoco>",
                        folder / "s.xml"),
      InputError);
}

TEST(MjcfSource, EntitiesInFileNames) {
  const TemporaryFolder folder;
  folder.write("a&b'.xml", "<i><worldbody/></i>");
  EXPECT_NO_THROW(
      Source::from_text("<mujoco><include file='a&amp;b&apos;.xml'/></mujoco>", folder / "s.xml"));
}

}  // namespace
}  // namespace abut
