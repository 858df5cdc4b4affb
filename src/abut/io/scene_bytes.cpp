#include "abut/io/scene_bytes.hpp"

#include <tuple>
#include <unordered_map>

#include "abut/io/bytes.hpp"
#include "abut/io/scene_fields.hpp"
#include "abut/io/sealed_bytes.hpp"

namespace abut {
namespace {

constexpr std::string_view magic = "ABUTSCN\n";

/// What is written as it lies in memory, and has no holes there.
template <class T>
concept Plain = std::is_arithmetic_v<T> || std::is_enum_v<T> || std::same_as<T, Vec3> ||
    std::same_as<T, Mat3> || std::same_as<T, Quaternion>;

class Writer {
 public:
  template <class... T>
  void operator()(const T&... values) {
    (put(values), ...);
  }
  const std::vector<char>& bytes() const { return bytes_; }

 private:
  template <Plain T>
  void put(const T& value) {
    ByteWriter(bytes_).put(value);
  }
  void put(const std::string& text) { ByteWriter(bytes_).put_text(text); }
  template <class T>
  void put(const std::vector<T>& values) {
    put(static_cast<std::uint64_t>(values.size()));
    for (const T& v : values) put(v);
  }
  template <class T, std::size_t n>
  void put(const std::array<T, n>& values) {
    for (const T& v : values) put(v);
  }
  template <class T, std::size_t n>
  void put(const T (&values)[n]) {
    for (const T& v : values) put(v);
  }
  template <class A, class B>
  void put(const std::pair<A, B>& pair) {
    put(pair.first), put(pair.second);
  }
  template <class T>
  void put(const std::optional<T>& value) {
    put(value.has_value());
    if (value) put(*value);
  }
  template <class... T>
  void put(const std::variant<T...>& value) {
    put(static_cast<std::uint32_t>(value.index()));
    std::visit([&](const auto& v) { put(v); }, value);
  }
  /// 0: none; else the number that it got when it came first, and that time what it is.
  template <class T>
  void put(const std::shared_ptr<const T>& shared) {
    if (shared == nullptr) return put(std::uint32_t{0});
    const auto next = static_cast<std::uint32_t>(numbers_.size() + 1);
    const auto [entry, is_new] = numbers_.try_emplace(shared.get(), next);
    put(entry->second);
    if (is_new) put(*shared);
  }
  template <class T>
  void put(const T& parts) {
    visit_fields(parts, *this);
  }

  std::vector<char> bytes_;
  std::unordered_map<const void*, std::uint32_t> numbers_;
};

class Reader {
 public:
  explicit Reader(std::string_view bytes) : bytes_(bytes) {}

  template <class... T>
  void operator()(T&... values) {
    (take(values), ...);
  }
  bool good() const { return good_ && bytes_.good() && bytes_.left() == 0; }

 private:
  template <Plain T>
  void take(T& value) {
    value = bytes_.take<T>();
  }
  void take(std::string& text) { text = bytes_.take_text(); }
  template <class T>
  void take(std::vector<T>& values) {
    const auto count = bytes_.take<std::uint64_t>();
    if (count > bytes_.left()) good_ = false;  // none takes less than a byte
    if (!good_) return;
    values.resize(count);
    for (T& v : values) take(v);
  }
  template <class T, std::size_t n>
  void take(std::array<T, n>& values) {
    for (T& v : values) take(v);
  }
  template <class T, std::size_t n>
  void take(T (&values)[n]) {
    for (T& v : values) take(v);
  }
  template <class A, class B>
  void take(std::pair<A, B>& pair) {
    take(pair.first), take(pair.second);
  }
  template <class T>
  void take(std::optional<T>& value) {
    if (bytes_.take<bool>()) take(value.emplace());
  }
  template <class... T>
  void take(std::variant<T...>& value) {
    const auto index = bytes_.take<std::uint32_t>();
    std::uint32_t k = 0;
    ((k++ == index ? take(value.template emplace<T>()) : void()), ...);
    if (index >= sizeof...(T)) good_ = false;
  }
  template <class T>
  void take(std::shared_ptr<const T>& shared) {
    auto& known = std::get<std::unordered_map<std::uint32_t, std::shared_ptr<const T>>>(shared_);
    const auto number = bytes_.take<std::uint32_t>();
    if (number == 0) return;
    if (const auto found = known.find(number); found != known.end()) {
      shared = found->second;
      return;
    }
    T value;
    take(value);
    if (!good_ || !bytes_.good()) return;
    shared = std::make_shared<const T>(std::move(value));
    known.emplace(number, shared);
  }
  template <class T>
  void take(T& parts) {
    visit_fields(parts, *this);
  }

  template <class... T>
  using ByNumber = std::tuple<std::unordered_map<std::uint32_t, std::shared_ptr<const T>>...>;

  ByteReader bytes_;
  bool good_ = true;
  ByNumber<ConvexHull, HeightField, TriangleMesh, ForceTable> shared_;
};

}  // namespace

std::string encode(const SceneFile& scene) {
  Writer writer;
  writer(scene);
  return seal(magic, writer.bytes());
}

SceneFile decode_scene(std::string_view bytes) {
  SceneFile scene;
  Reader reader(unseal(magic, bytes, "scene"));
  reader(scene);
  if (!reader.good()) fail_input("the scene is damaged");
  return scene;
}

}  // namespace abut
