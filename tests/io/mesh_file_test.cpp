// Corners of triangles from mesh files, and what is wrong with those.

#include "abut/io/mesh_file.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <random>

#include "io/mjcf_testing.hpp"

namespace abut {
namespace {

class MeshFile : public testing::Test {
 protected:
  std::vector<Vec3> read(const std::string& name, const std::string& bytes) {
    return read_mesh_points(folder.write(name, bytes));
  }
  /// The message without the folder.
  std::string error(const std::string& name, const std::string& bytes) {
    try {
      read(name, bytes);
    } catch (const InputError& e) {
      return folder.relative(e.what());
    }
    return "";
  }
  TemporaryFolder folder;
};

const std::vector<Vec3> triangle{{0, 0, 0}, {1, 0, 0}, {0, 2, 0.5}};

std::string binary_stl(const std::vector<Vec3>& corners) {
  std::string bytes(80, 's');
  const auto append = [&](const auto value) {
    char raw[sizeof value];
    std::memcpy(raw, &value, sizeof value);
    bytes.append(raw, sizeof value);
  };
  append(static_cast<std::uint32_t>(corners.size() / 3));
  for (std::size_t t = 0; t < corners.size(); t += 3) {
    for (int k = 0; k < 3; ++k) append(0.0F);
    for (std::size_t c = t; c < t + 3; ++c) {
      for (int k = 0; k < 3; ++k) append(static_cast<float>(corners[c][k]));
    }
    append(std::uint16_t{0});
  }
  return bytes;
}

const std::string text_stl =
    "solid a name\nfacet normal 0 0 nan\nouter loop\nvertex 0 0 0\nvertex 1 0 0\n"
    "vertex 0 2 5e-1\nendloop\nendfacet\nendsolid a name\n";

TEST_F(MeshFile, FormatsGiveTheSameCorners) {
  EXPECT_EQ(read("a.stl", binary_stl(triangle)), triangle);
  EXPECT_EQ(read("a.STL", text_stl), triangle);
  EXPECT_EQ(read("a.obj", "# c\nv 0 0 0\nv 1 0 0 1\nvn 0 0 1\nv 0 2 .5\nf 1/1/1 2//1 3\n"),
            triangle);
  EXPECT_EQ(read("a.obj", "v 0 0 0\nv 1 0 0\nv 0 2 .5\nf -3 -2 -1\n"), triangle);
}

TEST_F(MeshFile, TextHasSeveralSolids) {
  EXPECT_EQ(read("a.stl", text_stl + "\n" + text_stl).size(), 6u);
  EXPECT_EQ(error("a.stl", text_stl + "junk\n"), "a.stl:10: found 'junk', expected 'solid'");
}

TEST_F(MeshFile, PolygonsAreFans) {
  const std::vector<Vec3> points = read("a.obj", "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n");
  ASSERT_EQ(points.size(), 6u);
  EXPECT_EQ(points[3], points[0]);
  EXPECT_EQ(points[4], points[2]);
}

/// A triangle in a node that moves and scales it, with its unit.
std::string collada(const std::string& unit) {
  return R"(<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset>)" +
         unit + R"(<up_axis>Y_UP</up_axis></asset>
<library_geometries><geometry id="g"><mesh>
<source id="p"><float_array id="pa" count="9">0 0 0 1 0 0 0 2 0.5</float_array>
<technique_common><accessor source="#pa" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/><param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/></vertices>
<triangles count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries>
<library_visual_scenes><visual_scene id="s"><node id="n"><translate>0 0 3</translate>
<scale>2 2 2</scale><instance_geometry url="#g"/></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>)";
}

TEST_F(MeshFile, ColladaHasNodesAndAUnitButNoUp) {
  const std::vector<Vec3> plain = read("a.dae", collada(""));
  ASSERT_EQ(plain.size(), 3u);
  for (int k = 0; k < 3; ++k) {
    EXPECT_LE(norm(plain[k] - (2 * triangle[k] + Vec3{0, 0, 3})), 1e-6);
  }
  const std::vector<Vec3> small = read("a.dae", collada("<unit name='mm' meter='0.001'/>"));
  for (int k = 0; k < 3; ++k) EXPECT_LE(norm(small[k] - 1e-3 * plain[k]), 1e-9);
}

// 90 degrees about z, then the same as a matrix with a shift
TEST_F(MeshFile, ColladaNodesTurn) {
  const std::string transforms = "<translate>0 0 3</translate>\n<scale>2 2 2</scale>";
  for (const char* other : {"<translate>1 2 3</translate><rotate>0 0 1 90</rotate>",
                            "<matrix>0 -1 0 1  1 0 0 2  0 0 1 3  0 0 0 1</matrix>"}) {
    std::string text = collada("");
    text.replace(text.find(transforms), transforms.size(), other);
    const std::vector<Vec3> turned = read("a.dae", text);
    ASSERT_EQ(turned.size(), 3u);
    for (int k = 0; k < 3; ++k) {
      const Vec3& x = triangle[k];
      EXPECT_LE(norm(turned[k] - Vec3{1 - x.y, 2 + x.x, 3 + x.z}), 1e-12) << other;
    }
  }
}

TEST_F(MeshFile, ColladaNumbersGoOnAfterAComment) {
  std::string text = collada("");
  text.replace(text.find("0 0 0 1 0 0"), 11, "0 0 0 <!-- c --> 1 0 0");
  EXPECT_EQ(read("a.dae", text), read("b.dae", collada("")));
}

TEST_F(MeshFile, WrongInputIsNamed) {
  EXPECT_EQ(error("a.ply", ""), "mesh 'a.ply': meshes are read from .stl, .obj and .dae");
  EXPECT_EQ(error("a.stl", ""), "a.stl: an STL file of 0 bytes is too short");
  const std::string stl = binary_stl(triangle);
  EXPECT_EQ(error("a.stl", stl.substr(0, 100)),
            "a.stl: it has 100 bytes, but 134 by its number of triangles, 1");
  EXPECT_EQ(error("a.stl", binary_stl({})), "a.stl: it has no triangle");
  EXPECT_EQ(error("a.stl", binary_stl({{0, 0, 0}, {1, NAN, 0}, {0, 1, 0}})),
            "a.stl: triangle 0 has a vertex that is not finite");
  EXPECT_EQ(error("a.stl", text_stl.substr(0, 80)), "a.stl:6: the file ends before endsolid");
  EXPECT_EQ(error("a.stl", "solid\nfacet normal 0 0 1\nouter loop\nvertex 0 0 x\n"),
            "a.stl:4: coordinate 'x', must be a decimal number");
  EXPECT_EQ(error("a.stl", "solid\nfact\n"),
            "a.stl:2: found 'fact', expected 'facet' or 'endsolid'");
  EXPECT_EQ(error("a.obj", "v 0 0 0\n"), "a.obj: it has no triangle");
  EXPECT_EQ(error("a.obj", "v 0 0\n"), "a.obj:1: coordinate '', must be a decimal number");
  EXPECT_EQ(error("a.obj", "v 0 0 0\nf 1 1 2\n"),
            "a.obj:2: vertex 2 does not exist; vertices so far: 1");
  EXPECT_EQ(error("a.obj", "v 0 0 0\nf 1 1 -2\n"),
            "a.obj:2: vertex -2 does not exist; vertices so far: 1");
  EXPECT_EQ(error("a.obj", "v 0 0 0\nf 1 1\n"), "a.obj:2: a face needs three vertices");
  EXPECT_EQ(error("a.obj", "v 0 0 0\nf a b c\n"), "a.obj:2: vertex 'a', must be a whole number");
  EXPECT_NE(error("a.dae", "<COLLADA"), "");
  EXPECT_NE(error("a.dae", "no xml"), "");
  const auto changed = [](const std::string& from, const std::string& to) {
    std::string text = collada("");
    return text.replace(text.find(from), from.size(), to);
  };
  EXPECT_EQ(error("a.dae", changed("<p>0 1 2", "<p>0 1 3")),
            "a.dae:8: vertex 3, must be below 3, the number of vertices");
  EXPECT_EQ(error("a.dae", changed("<p>0 1 2", "<p>p 1 2")),
            "a.dae:8: <p>: 'p', must be a decimal number");
  EXPECT_EQ(error("a.dae", changed("<p>0 1 2", "<p>0 1")), "a.dae:8: <p> ends within a triangle");
  EXPECT_EQ(error("a.dae", changed("count=\"3\"", "count=\"4\"")),
            "a.dae:5: <accessor> reaches beyond the 9 numbers");
  EXPECT_EQ(error("a.dae", changed("url=\"#g\"", "url=\"#h\"")),
            "a.dae:11: url = '#h' does not exist");
  EXPECT_EQ(
      error("a.dae", changed("<instance_geometry url=\"#g\"/>", "<instance_node url=\"#n\"/>")),
      "a.dae:10: nodes that are in each other, or too many: 64 levels and 100 000 nodes are "
      "read");
  std::string deep;
  for (int i = 0; i < 300; ++i) deep += "<node>";
  EXPECT_EQ(error("a.dae", deep),
            "a.dae:1: not well-formed: an element is not closed, or not opened");
  EXPECT_THROW(read_mesh_points("/dev/null/x.stl"), FileError);
  EXPECT_THROW(read_mesh_points(folder / "gone.obj"), FileError);
}

// Whatever the bytes: corners, or a message.
TEST_F(MeshFile, DamagedFilesDoNotCrash) {
  const std::string texts[] = {binary_stl(triangle), text_stl,
                               "v 0 0 0\nv 1 0 0\nv 0 2 .5\nf 1 2 3\n", collada("")};
  const char* names[] = {"a.stl", "a.stl", "a.obj", "a.dae"};
  std::mt19937 random(1);
  int read_well = 0;
  for (int k = 0; k < 4; ++k) {
    const auto attempt = [&](const std::string& bytes) {
      try {
        for (const Vec3& p : read(names[k], bytes)) EXPECT_TRUE(is_finite(p));
        ++read_well;
      } catch (const InputError&) {
      }
    };
    for (std::size_t n = 0; n < texts[k].size(); n += 1 + texts[k].size() / 200) {
      attempt(texts[k].substr(0, n));
    }
    for (int i = 0; i < 300; ++i) {
      std::string bytes = texts[k];
      bytes[random() % bytes.size()] ^= static_cast<char>(1U << random() % 8);
      attempt(bytes);
    }
  }
  EXPECT_GT(read_well, 100);
}

}  // namespace
}  // namespace abut
