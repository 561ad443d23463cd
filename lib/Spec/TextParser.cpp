#include "orzo/Spec/Canonical.h"

#include <algorithm>
#include <charconv>
#include <optional>

namespace orzo {

namespace {

/// Reads the fields of a line, one space apart, in their fixed order. The first failure is kept; after it every read
/// does nothing.
class FieldReader {
public:
  explicit FieldReader(std::string_view line) : rest(line) {}

  bool ok() const { return failure.ok(); }
  const Status &status() const { return failure; }
  void fail(const std::string &field, std::string_view got, const std::string &expected) {
    if (ok())
      failure = Status::invalidArgument("field '" + field + "' of the problem text: got '" + std::string(got) +
                                        "'; expected " + expected);
  }

  bool nextStartsWith(std::string_view prefix) const { return rest.substr(0, prefix.size()) == prefix; }

  /// The next field without `prefix`.
  std::string_view take(const std::string &field, std::string_view prefix, const std::string &expected) {
    size_t end = std::min(rest.find(' '), rest.size());
    bool last = end == rest.size();
    std::string_view got = rest.substr(0, end);
    if (got.substr(0, prefix.size()) != prefix || got.size() == prefix.size()) {
      fail(field, got, expected);
      return {};
    }
    rest.remove_prefix(std::min(end + 1, rest.size()));
    // "a b " would otherwise read as "a b".
    if (rest.empty() && !last)
      fail("end", " ", "nothing after the last field");
    return got.substr(prefix.size());
  }

  int64_t takeNumber(const std::string &field) {
    std::string expected = field + " and a whole number, as in " + field + "16";
    std::string_view digits = take(field, field, expected);
    std::optional<int64_t> value = parseNumber(digits);
    if (!value)
      fail(field, digits, expected);
    return value.value_or(1);
  }

  /// A list as 28x28, of any length (`count` 0) or of `count` numbers; `mark` receives whether each ends in "~".
  std::vector<int64_t> takeList(const std::string &field, size_t count, std::vector<bool> *mark = nullptr) {
    std::string expected = field + " and " + (count ? std::to_string(count) : "1 to 3") +
                           " whole numbers with x between them, as in " + field + "28x28";
    std::string_view got = take(field, field, expected), numbers = got;
    std::vector<int64_t> values;
    while (ok()) {
      size_t end = std::min(numbers.find('x'), numbers.size());
      std::string_view digits = numbers.substr(0, end);
      bool marked = mark && !digits.empty() && digits.back() == '~';
      if (marked)
        digits.remove_suffix(1);
      std::optional<int64_t> value = parseNumber(digits);
      if (!value) {
        fail(field, got, expected);
        break;
      }
      values.push_back(*value);
      if (mark)
        mark->push_back(marked);
      if (end == numbers.size())
        break;
      numbers.remove_prefix(end + 1);
    }
    if (ok() && (count ? values.size() != count : values.size() > 3))
      fail(field, got, expected);
    return values;
  }

  void finish() {
    if (!rest.empty())
      fail("end", rest, "nothing after the last field");
  }

private:
  /// Only the spelling that text() prints: no sign but -, no leading zeros.
  static std::optional<int64_t> parseNumber(std::string_view digits) {
    int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || std::to_string(value) != digits)
      return std::nullopt;
    return value;
  }

  std::string_view rest;
  Status failure;
};

} // namespace

static void readDirection(FieldReader &reader, ConvSpec &spec) {
  std::string expected = "fprop, dgrad or wgrad";
  std::string_view word = reader.take("direction", "", expected);
  for (Direction direction : {Direction::FProp, Direction::DGrad, Direction::WGrad})
    if (word == name(direction)) {
      spec.direction = direction;
      return;
    }
  reader.fail("direction", word, expected);
}

static void readSpatial(FieldReader &reader, ConvSpec &spec) {
  std::vector<bool> flips;
  std::vector<int64_t> in = reader.takeList("in", 0);
  size_t rank = in.size();
  std::vector<int64_t> filter = reader.takeList("f", rank, &flips), out = reader.takeList("out", rank),
                       stride = reader.takeList("s", rank), dilation = reader.takeList("d", rank),
                       padLow = reader.takeList("p", rank);
  if (!reader.ok())
    return;
  for (size_t i = 0; i < rank; ++i)
    spec.spatial.push_back({in[i], filter[i], out[i], stride[i], dilation[i], padLow[i], flips[i]});
}

static void readTensor(FieldReader &reader, ConvSpec &spec, Role role) {
  std::string field(name(role));
  std::string expected =
      field + ":<layout>:<type>, as in " + field + ":" + text(axesOf(role, spec.rank()), role, spec.rank()) + ":bf16";
  std::string_view got = reader.take(field, field + ":", expected);
  size_t colon = got.find(':');
  if (colon == std::string_view::npos)
    return reader.fail(field, got, expected);
  Expected<Layout> layout = parseLayout(got.substr(0, colon), role, spec.rank());
  if (!layout)
    return reader.fail(field, got, expected + " (" + layout.status().message() + ")");
  Expected<DataType> type = parseDataType(got.substr(colon + 1));
  if (!type)
    return reader.fail(field, got, expected + " (" + type.status().message() + ")");
  spec.layout(role) = *layout;
  spec.type(role) = *type;
}

Expected<ConvSpec> parseConvSpec(std::string_view line) {
  FieldReader reader(line);
  ConvSpec spec;
  std::string_view version = reader.take("version", "", "conv.v1");
  if (version != "conv.v1")
    reader.fail("version", version, "conv.v1");
  readDirection(reader, spec);
  spec.n = reader.takeNumber("n");
  spec.c = reader.takeNumber("c");
  spec.k = reader.takeNumber("k");
  spec.groups = reader.takeNumber("g");
  if (reader.nextStartsWith("in"))
    readSpatial(reader, spec);
  for (Role role : {Role::X, Role::W, Role::Y})
    readTensor(reader, spec, role);
  std::string_view accumulate = reader.take("acc", "acc:", "acc:f32");
  Expected<DataType> type = parseDataType(accumulate);
  if (type)
    spec.accumulate = *type;
  else
    reader.fail("acc", accumulate, "acc:f32");
  reader.finish();
  if (!reader.ok())
    return reader.status();
  return spec;
}

} // namespace orzo
