// The torch reader: forms, views, masks, sizes; and what it refuses.
#include "Reading.h"
#include "Reference/Evaluate.h"
#include "TorchText.h"

namespace orzo::test {
namespace {

using testing::HasSubstr;

/// A function of torch ops; constants and lists that the body uses are written as $5, $true, $none, $[1, 2].
std::string module(const std::string &arguments, const std::string &body, const std::string &result = "",
                   const std::string &resultType = "") {
  std::string constants, text;
  int counter = 0;
  auto constant = [&](const std::string &line) {
    std::string name = "%k" + std::to_string(counter++);
    constants += "  " + name + " = " + line + "\n";
    return name;
  };
  auto scalar = [&](const std::string &word) {
    if (word == "none")
      return constant("torch.constant.none");
    if (word == "true" || word == "false")
      return constant("torch.constant.bool " + word);
    if (word == "same" || word == "valid")
      return constant("torch.constant.str \"" + word + "\"");
    return constant("torch.constant.int " + word);
  };
  for (size_t at = 0; at < body.size(); ++at) {
    if (body[at] != '$') {
      text += body[at];
      continue;
    }
    if (body[at + 1] == '[') {
      size_t end = body.find(']', at);
      std::string names, types, element = "int", word;
      for (char letter : body.substr(at + 2, end - at - 2) + ",") {
        if (letter != ',') {
          word += letter == ' ' ? "" : std::string(1, letter);
          continue;
        }
        if (word.empty())
          continue;
        element = word == "true" || word == "false" ? "bool" : "int";
        names += (names.empty() ? "" : ", ") + scalar(word);
        types += (types.empty() ? "" : ", ") + ("!torch." + element);
        word.clear();
      }
      text += constant("torch.prim.ListConstruct " + names + " : (" + types + ") -> !torch.list<" + element + ">");
      at = end;
      continue;
    }
    std::string word;
    while (at + 1 < body.size() && (std::isalnum(body[at + 1]) || body[at + 1] == '-'))
      word += body[++at];
    text += scalar(word);
  }
  return "func.func @main(" + arguments + ")" + (result.empty() ? "" : " -> " + resultType) + " {\n" + constants +
         text + "\n  return" + (result.empty() ? "" : " " + result + " : " + resultType) + "\n}\n";
}

const std::string lists = "!torch.list<int>, !torch.list<int>, !torch.list<int>";
std::string f32(const std::string &sizes) { return "!torch.vtensor<[" + sizes + "],f32>"; }

/// A forward convolution of 2x4x7x6 with 6x4x3x2 in the form `op`.
std::string forward(const std::string &op, const std::string &operands, const std::string &types,
                    const std::string &out) {
  return module("%x: " + f32("2,4,7,6") + ", %w: " + f32("6,4,3,2"),
                "  %y = torch.aten." + op + " %x, %w, " + operands + " : " + f32("2,4,7,6") + ", " + f32("6,4,3,2") +
                    ", !torch.none, " + types + " -> " + f32(out),
                "%y", f32(out));
}

std::string spec(const std::string &rest, const std::string &out) {
  Expected<ConvSpec> parsed = parseConvSpec("conv.v1 fprop n2 c4 k6 g1 in7x6 f3x2 out" + out + " " + rest +
                                            " x:nchw:f32 w:kcrs:f32 y:nkpq:f32 acc:f32");
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return canonicalText(*parsed);
}

TEST(ImportTorch, EveryFormOfAConvolution) {
  std::string plain = spec("s2x1 d1x2 p1x0", "4x4");
  EXPECT_EQ(read(forward("convolution", "$none, $[2, 1], $[1, 0], $[1, 2], $false, $[0, 0], $1",
                         lists + ", !torch.bool, !torch.list<int>, !torch.int", "2,6,4,4")),
            plain);
  EXPECT_EQ(read(forward("conv2d", "$none, $[2, 1], $[1, 0], $[1, 2], $1", lists + ", !torch.int", "2,6,4,4")), plain);
  EXPECT_EQ(
      read(forward("_convolution", "$none, $[2, 1], $[1, 0], $[1, 2], $false, $[], $1, $false, $false, $true, $true",
                   lists + ", !torch.bool, !torch.list<int>, !torch.int, !torch.bool, !torch.bool, !torch.bool, "
                           "!torch.bool",
                   "2,6,4,4")),
      plain);
  // A list of one entry stands for all dims.
  EXPECT_EQ(read(forward("conv2d", "$none, $[2], $[1], $[1], $1", lists + ", !torch.int", "2,6,4,4")),
            spec("s2x2 d1x1 p1x1", "4x4"));
  EXPECT_EQ(read(forward("conv2d.padding", "$none, $[2, 2], $valid, $[1, 1], $1",
                         "!torch.list<int>, !torch.str, !torch.list<int>, !torch.int", "2,6,3,3")),
            spec("s2x2 d1x1 p0x0", "3x3"));
  // "same": of an odd sum the shorter half is in front.
  EXPECT_EQ(read(forward("conv2d.padding", "$none, $[1, 1], $same, $[1, 1], $1",
                         "!torch.list<int>, !torch.str, !torch.list<int>, !torch.int", "2,6,7,6")),
            spec("s1x1 d1x1 p1x0", "7x6"));
}

/// x, w and output of a transposed convolution as shapes, and its lists.
std::string transposed(const std::string &x, const std::string &w, const std::string &y, const std::string &stride,
                       const std::string &pad, const std::string &dilation, const std::string &outputPadding,
                       const std::string &groups = "1") {
  return module("%x: " + f32(x) + ", %w: " + f32(w),
                "  %y = torch.aten.convolution %x, %w, $none, $[" + stride + "], $[" + pad + "], $[" + dilation +
                    "], $true, $[" + outputPadding + "], $" + groups + " : " + f32(x) + ", " + f32(w) +
                    ", !torch.none, " + lists + ", !torch.bool, !torch.list<int>, !torch.int -> " + f32(y),
                "%y", f32(y));
}

std::string dgrad(const std::string &rest) {
  Expected<ConvSpec> parsed = parseConvSpec("conv.v1 dgrad " + rest + " acc:f32");
  EXPECT_TRUE(parsed.ok()) << parsed.status().message();
  return canonicalText(*parsed);
}

// Sizes with output padding, padding beyond the filter, mixed padding, groups.
TEST(ImportTorch, TransposedConvolutions) {
  EXPECT_EQ(read(transposed("5,2,5,6", "2,5,2,2", "5,5,8,10", "2, 2", "1, 1", "1, 1", "0, 0")),
            dgrad("n5 c5 k2 g1 in8x10 f2x2 out5x6 s2x2 d1x1 p1x1 x:nchw:f32 w:kcrs:f32 y:nkpq:f32"));
  EXPECT_EQ(read(transposed("1,2,4,4", "2,2,3,3", "1,2,8,8", "2, 2", "1, 1", "1, 1", "1, 1")),
            dgrad("n1 c2 k2 g1 in8x8 f3x3 out4x4 s2x2 d1x1 p1x1 x:nchw:f32 w:kcrs:f32 y:nkpq:f32"));
  EXPECT_EQ(read(transposed("1,1,4,7", "1,2,3,3", "1,2,6,3", "1, 1", "0, 3", "1, 1", "0, 0")),
            dgrad("n1 c2 k1 g1 in6x3 f3x3 out4x7 s1x1 d1x1 p0x3 x:nchw:f32 w:kcrs:f32 y:nkpq:f32"));
  EXPECT_EQ(read(transposed("1,1,64,57", "1,1,11,7", "1,1,198,226", "3, 4", "2, 3", "1, 1", "2, 1")),
            dgrad("n1 c1 k1 g1 in198x226 f11x7 out64x57 s3x4 d1x1 p2x3 x:hw:f32 w:rs:f32 y:pq:f32"));
  expectRefused(transposed("1,1,64,57", "1,1,11,7", "1,1,198,227", "3, 4", "2, 3", "1, 1", "2, 1"),
                StatusCode::InvalidArgument,
                "along spatial dim 1 in 227, filter 7, stride 4, dilation 1, padding 3 do not give out 57");
  EXPECT_EQ(read(transposed("1,17,5", "17,6,3", "1,6,17", "7", "10", "4", "0")),
            dgrad("n1 c6 k17 g1 in17 f3 out5 s7 d4 p10 x:nch:f32 w:kcr:f32 y:nkp:f32"));
  EXPECT_EQ(read(transposed("1,2,5,7", "2,2,3,3", "1,4,9,13", "2, 2", "1, 1", "1, 1", "0, 0", "2")),
            dgrad("n1 c4 k2 g2 in9x13 f3x3 out5x7 s2x2 d1x1 p1x1 x:ngchw:f32 w:gkcrs:f32 y:ngkpq:f32"));
  // Depthwise.
  EXPECT_EQ(read(transposed("1,3,4,4", "3,1,2,2", "1,3,5,5", "1, 1", "0, 0", "1, 1", "0, 0", "3")),
            dgrad("n1 c3 k3 g3 in5x5 f2x2 out4x4 s1x1 d1x1 p0x0 x:ngchw:f32 w:gkcrs:f32 y:ngkpq:f32"));
}

// In numbers, against the definition, which says of a forward convolution and of a transposed one which elements meet:
// y(n, k, o) takes x(n, c, o * stride - pad + r * dilation) * w(k, c, r). What the other two are is each one's
// gradient.
TEST(ImportTorch, ConvolutionsAndGradientsByDefinition) {
  std::mt19937 random(23);
  for (int number = 0; number < 120; ++number) {
    Sample sample = randomSample(random);
    sample.direction = static_cast<Direction>(number % 3);
    sample.type = DataType::F32;
    sample.channelsLast = false;
    bool overwrites = number % 4 < 2, isTransposed = number % 2;
    std::string source = torchText(sample, {.overwrites = overwrites, .transposed = isTransposed});
    Expected<ReadProblems> problems = readProblems(source, "test.mlir");
    ASSERT_TRUE(problems.ok()) << problems.status().message();
    const conv::BoundProblem &problem = problems->binding.problems[0];
    // As torch has them, whichever is the input and whichever the output: x n, groups*cg, in...; y n, groups*kg,
    // out...; w groups*kg, cg, filter...
    int64_t cg = sample.c / sample.groups, kg = sample.k / sample.groups;
    int64_t in = 1, taps = 1, out = 1;
    for (const SpatialDim &dim : sample.dims)
      in *= dim.in, taps *= dim.filter, out *= dim.out;
    std::array<std::vector<float>, 3> data = {std::vector<float>(sample.n * sample.c * in),
                                              std::vector<float>(sample.k * cg * taps),
                                              std::vector<float>(sample.n * sample.k * out)};
    for (std::vector<float> &tensor : data)
      for (float &value : tensor)
        value = static_cast<float>(pick(random, -3, 3));
    int result = static_cast<int>(resultRole(sample.direction));
    std::vector<double> expected(data[result].size(), 0), got(expected.size());
    for (int64_t n = 0; n < sample.n; ++n)
      for (int64_t k = 0; k < sample.k; ++k)
        for (int64_t c = 0; c < cg; ++c)
          for (int64_t position = 0; position < out; ++position)
            for (int64_t tap = 0; tap < taps; ++tap) {
              int64_t to = 0, restPosition = position, restTap = tap, scale = 1;
              bool inside = true;
              for (int dim = sample.rank() - 1; dim >= 0; --dim) {
                const SpatialDim &each = sample.dims[dim];
                int64_t index =
                    restPosition % each.out * each.stride - each.padLow + restTap % each.filter * each.dilation;
                inside &= index >= 0 && index < each.in;
                to += index * scale;
                scale *= each.in;
                restPosition /= each.out;
                restTap /= each.filter;
              }
              if (!inside)
                continue;
              std::array<int64_t, 3> at = {((n * sample.groups + k / kg) * cg + c) * in + to, (k * cg + c) * taps + tap,
                                           (n * sample.k + k) * out + position};
              int a = result == 0 ? 1 : 0, b = result == 2 ? 1 : 2;
              expected[at[result]] += double(data[a][at[a]]) * data[b][at[b]];
            }
    // The memory of each of the problem's tensors is that of an argument; arguments come in role order, behind the one
    // that is written.
    std::array<Role, 2> order = operandRoles(sample.direction);
    reference::Tensors tensors = {};
    for (Role role : operandRoles(problem.spec.direction)) {
      int argument = problem.tensors[static_cast<int>(role)].index - (overwrites ? 1 : 0);
      tensors[static_cast<int>(role)] = data[static_cast<int>(order[argument])].data();
    }
    reference::evaluate(problem.spec, tensors, got.data(), nullptr, 1);
    ASSERT_EQ(got, expected) << text(problem.spec) << "\n" << source;
  }
}

/// convolution_backward with the outputs that `mask` asks for, each returned.
std::string backward(const std::string &dy, const std::string &x, const std::string &w, const std::string &lists3,
                     const std::string &groups, const std::string &mask, bool useBias = false) {
  std::string body = "  %dx, %dw, %db = torch.aten.convolution_backward %dy, %x, %w, $none, " + lists3 +
                     ", $false, $[0], $" + groups + ", $[" + mask + "] : " + f32(dy) + ", " + f32(x) + ", " + f32(w) +
                     ", !torch.none, " + lists + ", !torch.bool, !torch.list<int>, !torch.int, !torch.list<bool> -> " +
                     f32(x) + ", " + f32(w) + ", " + f32(w.substr(0, w.find(',')));
  std::string result = useBias ? "%db" : "%dx, %dw";
  std::string text = module("%dy: " + f32(dy) + ", %x: " + f32(x) + ", %w: " + f32(w), body);
  std::string types = useBias ? f32(w.substr(0, w.find(','))) : f32(x) + ", " + f32(w);
  size_t end = text.find("\n  return");
  return text.substr(0, text.find(") {")) + ") -> (" + types + ") {" +
         text.substr(text.find(") {") + 3, end - text.find(") {") - 3) + "\n  return " + result + " : " + types +
         "\n}\n";
}

TEST(ImportTorch, BackwardWithTwoOutputsIsTwoProblems) {
  auto two = [](const std::string &rest) {
    std::string lines;
    for (const char *direction : {"dgrad", "wgrad"}) {
      Expected<ConvSpec> parsed = parseConvSpec(std::string("conv.v1 ") + direction + " " + rest);
      EXPECT_TRUE(parsed.ok()) << parsed.status().message();
      lines += (lines.empty() ? "" : "\n") + canonicalText(*parsed);
    }
    return lines;
  };
  std::string nchw = " x:nchw:f32 w:kcrs:f32 y:nkpq:f32 acc:f32",
              grouped = " x:ngchw:f32 w:gkcrs:f32 y:ngkpq:f32 acc:f32";
  EXPECT_EQ(read(backward("2,2,5,5", "2,2,6,6", "2,2,2,2", "$[1], $[0], $[1]", "1", "true, true, true")),
            two("n2 c2 k2 g1 in6x6 f2x2 out5x5 s1x1 d1x1 p0x0" + nchw));
  EXPECT_EQ(read(backward("2,2,8,8", "2,2,6,6", "2,2,3,3", "$[1], $[2, 2], $[1]", "1", "true, true, false")),
            two("n2 c2 k2 g1 in6x6 f3x3 out8x8 s1x1 d1x1 p2x2" + nchw));
  EXPECT_EQ(read(backward("1,2,4,4", "1,2,8,8", "2,2,3,3", "$[2, 2], $[1, 1], $[1, 1]", "1", "true, true, false")),
            two("n1 c2 k2 g1 in8x8 f3x3 out4x4 s2x2 d1x1 p1x1" + nchw));
  EXPECT_EQ(read(backward("2,16,33,33", "2,128,64,64", "16,32,2,2", "$[2], $[2], $[2]", "4", "true, true, false")),
            two("n2 c128 k16 g4 in64x64 f2x2 out33x33 s2x2 d2x2 p2x2" + grouped));
  EXPECT_EQ(read(backward("2,16,64,63", "2,128,64,64", "16,128,1,2", "$[1], $[0], $[1]", "1", "true, true, false")),
            two("n2 c128 k16 g1 in64x64 f1x2 out64x63 s1x1 d1x1 p0x0" + nchw));
  // 1x1 with padding: more than the filter reaches.
  EXPECT_EQ(read(backward("1,4,7,7", "1,3,5,5", "4,3,1,1", "$[1], $[1], $[1]", "1", "true, true, false")),
            two("n1 c3 k4 g1 in5x5 f1x1 out7x7 s1x1 d1x1 p1x1" + nchw));
  expectRefused(backward("2,2,5,5", "2,2,6,6", "2,2,2,2", "$[1], $[0], $[1]", "1", "true, true, true", true),
                StatusCode::Unsupported, "bias gradient");
  EXPECT_THAT(
      printedAfter("conv", backward("2,2,5,5", "2,2,6,6", "2,2,2,2", "$[1], $[0], $[1]", "1", "true, true, true")),
      HasSubstr("@problem_1"));
  EXPECT_THAT(
      printedAfter("dispatch", backward("2,2,5,5", "2,2,6,6", "2,2,2,2", "$[1], $[0], $[1]", "1", "true, true, true")),
      HasSubstr("2 convolutions in one function"));
}

// Every mask: what is asked for and returned is computed, what is not asked for is none.
TEST(ImportTorch, EveryOutputMask) {
  std::string dgrad = "conv.v1 dgrad", wgrad = "conv.v1 wgrad",
              rest = " n2 c3 k4 g1 in6x6 f2x2 out5x5 s1x1 d1x1 p0x0 x:nchw:f32 w:kcrs:f32 y:nkpq:f32 acc:f32";
  for (int mask = 0; mask < 8; ++mask) {
    SCOPED_TRACE(mask);
    bool dx = mask & 1, dw = mask & 2, db = mask & 4;
    auto type = [](bool is, const char *sizes) { return is ? f32(sizes) : std::string("!torch.none"); };
    auto word = [](bool is) { return std::string(is ? "true" : "false"); };
    std::string body =
        "  %dx, %dw, %db = torch.aten.convolution_backward %dy, %x, %w, $none, $[1], $[0], $[1], $false, "
        "$[0], $1, $[" +
        word(dx) + ", " + word(dw) + ", " + word(db) + "] : " + f32("2,4,5,5") + ", " + f32("2,3,6,6") + ", " +
        f32("4,3,2,2") + ", !torch.none, " + lists +
        ", !torch.bool, !torch.list<int>, !torch.int, !torch.list<bool> -> " + type(dx, "2,3,6,6") + ", " +
        type(dw, "4,3,2,2") + ", " + type(db, "4");
    std::string arguments = "%dy: " + f32("2,4,5,5") + ", %x: " + f32("2,3,6,6") + ", %w: " + f32("4,3,2,2");
    // Each alone, whatever else the mask asks for.
    if (dx)
      EXPECT_EQ(read(module(arguments, body, "%dx", f32("2,3,6,6"))), canonicalText(*parseConvSpec(dgrad + rest)));
    else
      expectRefused(module(arguments, body, "%dx", "!torch.none"), StatusCode::Unsupported, "");
    if (dw)
      EXPECT_EQ(read(module(arguments, body, "%dw", f32("4,3,2,2"))), canonicalText(*parseConvSpec(wgrad + rest)));
    else
      expectRefused(module(arguments, body, "%dw", "!torch.none"), StatusCode::Unsupported, "");
    expectRefused(module(arguments, body, "%db", type(db, "4")), StatusCode::Unsupported, db ? "bias gradient" : "");
  }
}

std::string product(const std::string &op, const std::string &a, const std::string &b, const std::string &out) {
  return module("%a: " + f32(a) + ", %b: " + f32(b),
                "  %c = torch.aten." + op + " %a, %b : " + f32(a) + ", " + f32(b) + " -> " + f32(out), "%c", f32(out));
}

TEST(ImportTorch, MatrixProducts) {
  std::string matrix = canonicalText(*parseConvSpec("conv.v1 fprop n3 c5 k4 g1 x:nc:f32 w:ck:f32 y:nk:f32 acc:f32"));
  EXPECT_EQ(read(product("mm", "3,5", "5,4", "3,4")), matrix);
  EXPECT_EQ(read(product("matmul", "3,5", "5,4", "3,4")), matrix);
  std::string batched =
      canonicalText(*parseConvSpec("conv.v1 fprop n3 c10 k8 g2 x:gnc:f32 w:gck:f32 y:gnk:f32 acc:f32"));
  EXPECT_EQ(read(product("bmm", "2,3,5", "2,5,4", "2,3,4")), batched);
  EXPECT_EQ(read(product("matmul", "2,3,5", "2,5,4", "2,3,4")), batched);
  expectRefused(product("mm", "3,5", "6,4", "3,4"), StatusCode::InvalidArgument, "a product of 3x5 and 6x4");
  expectRefused(product("matmul", "3,5", "5", "3"), StatusCode::Unsupported, "two matrices");
}

TEST(ImportTorch, ViewsAreMemory) {
  // unsqueeze and squeeze around a 1-D convolution as a 2-D one; a flattened argument is memory in another shape.
  EXPECT_EQ(read(module("%x: " + f32("2,4,7") + ", %w: " + f32("6,4,3"),
                        "  %x2 = torch.aten.unsqueeze %x, $2 : " + f32("2,4,7") + ", !torch.int -> " + f32("2,4,1,7") +
                            "\n  %w2 = torch.aten.view %w, $[6,4,1,3] : " + f32("6,4,3") + ", !torch.list<int> -> " +
                            f32("6,4,1,3") + "\n  %y2 = torch.aten.conv2d %x2, %w2, $none, $[1], $[0], $[1], $1 : " +
                            f32("2,4,1,7") + ", " + f32("6,4,1,3") + ", !torch.none, " + lists + ", !torch.int -> " +
                            f32("2,6,1,5") + "\n  %y = torch.aten.squeeze.dim %y2, $2 : " + f32("2,6,1,5") +
                            ", !torch.int -> " + f32("2,6,5"),
                        "%y", f32("2,6,5"))),
            canonicalText(*parseConvSpec(
                "conv.v1 fprop n2 c4 k6 g1 in7 f3 out5 s1 d1 p0 x:nch:f32 w:kcr:f32 y:nkp:f32 acc:f32")));
  EXPECT_EQ(read(module("%x: " + f32("2,3,20") + ", %w: " + f32("7,60"),
                        "  %m = torch.aten.flatten.using_ints %x, $1, $2 : " + f32("2,3,20") +
                            ", !torch.int, !torch.int -> " + f32("2,60") + "\n  %t = torch.aten.t %w : " + f32("7,60") +
                            " -> " + f32("60,7") + "\n  %y = torch.aten.mm %m, %t : " + f32("2,60") + ", " +
                            f32("60,7") + " -> " + f32("2,7"),
                        "%y", f32("2,7"))),
            canonicalText(*parseConvSpec("conv.v1 fprop n2 c60 k7 g1 x:nc:f32 w:kc:f32 y:nk:f32 acc:f32")));
}

TEST(ImportTorch, BindingSaysHowItIsCalled) {
  std::mt19937 random(3);
  Sample sample;
  sample.direction = Direction::DGrad;
  sample.n = 2, sample.c = 3, sample.k = 4;
  sample.dims = {{8, 2, 4, 2, 1, 0, false}};
  Expected<ReadProblems> read = readProblems(torchText(sample), "test.mlir");
  ASSERT_TRUE(read.ok()) << read.status().message();
  const Binding &binding = read->binding;
  EXPECT_EQ(binding.entry, "main");
  EXPECT_EQ(binding.frontEnd, "torch");
  ASSERT_EQ(binding.arguments.size(), 3u);
  EXPECT_EQ(binding.arguments[0].use, ArgumentUse::Destination);
  EXPECT_EQ(binding.arguments[1].use, ArgumentUse::Operand);
  EXPECT_EQ(binding.arguments[1].shape, (std::vector<int64_t>{4, 2, 3}));
  EXPECT_EQ(binding.destinations, std::vector<int>{0});
  ASSERT_EQ(binding.problems.size(), 1u);
  EXPECT_EQ(binding.problems[0].tensors[0], (conv::TensorBinding{true, 0, {2, 8, 3}, {0, 1, 2}}));
  EXPECT_EQ(binding.problems[0].tensors[1], (conv::TensorBinding{false, 1, {4, 2, 3}, {0, 1, 2}}));
  EXPECT_THAT(describe(binding), HasSubstr("result 0: written into argument 0"));
}

TEST(ImportTorch, Refusals) {
  std::string x = f32("2,4,7,6"), w = f32("6,4,3,2"), y = f32("2,6,5,5"), arguments = "%x: " + x + ", %w: " + w;
  auto conv = [&](const std::string &operands, const std::string &bias = "!torch.none") {
    return "  %y = torch.aten.conv2d %x, %w, " + operands + " : " + x + ", " + w + ", " + bias + ", " + lists +
           ", !torch.int -> " + y + "\n";
  };
  std::string good = conv("$none, $[1], $[0], $[1], $1");
  EXPECT_THAT(read(module(arguments, good, "%y", y)), HasSubstr("conv.v1"));
  // What takes part and is no convolution, by name and place.
  expectRefused(module(arguments, good + "  %r = torch.aten.relu %y : " + y + " -> " + y, "%r", y),
                StatusCode::Unsupported, "'torch.aten.relu' takes part");
  expectRefused(module(arguments,
                       "  %r = torch.aten.relu %x : " + x + " -> " + x +
                           "\n  %y = torch.aten.conv2d %r, %w, $none, "
                           "$[1], $[0], $[1], $1 : " +
                           x + ", " + w + ", !torch.none, " + lists + ", !torch.int -> " + y,
                       "%y", y),
                StatusCode::Unsupported, "'torch.aten.relu' takes part");
  // What takes no part is no matter; a cast to the same type is none.
  EXPECT_THAT(read(module(arguments, good + "  %r = torch.aten.sigmoid %x : " + x + " -> " + x, "%y", y)),
              HasSubstr("conv.v1"));
  EXPECT_THAT(read(module(arguments,
                          good + "  %c = torch.aten.to.dtype %y, $6, $false, $false, $none : " + y +
                              ", !torch.int, !torch.bool, !torch.bool, !torch.none -> " + y,
                          "%c", y)),
              HasSubstr("conv.v1"));
  std::string half = "!torch.vtensor<[2,6,5,5],f16>";
  expectRefused(module(arguments,
                       good + "  %c = torch.aten.to.dtype %y, $5, $false, $false, $none : " + y +
                           ", !torch.int, !torch.bool, !torch.bool, !torch.none -> " + half,
                       "%c", half),
                StatusCode::Unsupported, "changes the element type");
  expectRefused(module(arguments + ", %b: " + f32("6"), conv("%b, $[1], $[0], $[1], $1", f32("6")), "%y", y),
                StatusCode::Unsupported, "the bias of 'torch.aten.conv2d' takes part");
  expectRefused(module(arguments, conv("$none, $[1, 1, 1], $[0], $[1], $1"), "%y", y), StatusCode::Unsupported,
                "stride is no list of 1 or 2 constants");
  expectRefused(module(arguments, conv("$none, $[0], $[0], $[1], $1"), "%y", y), StatusCode::InvalidArgument,
                "stride must be from 1");
  expectRefused(module(arguments, conv("$none, $[2], $[0], $[1], $1"), "%y", y), StatusCode::InvalidArgument,
                "do not give out 5");
  expectRefused(module(arguments, conv("$none, $[1], $[0], $[1], $3"), "%y", y), StatusCode::InvalidArgument, "C4");
  expectRefused(module(arguments, conv("$none, $[1], $[0], $[1], $0"), "%y", y), StatusCode::InvalidArgument,
                "groups must be at least 1");
  expectRefused(module(arguments, "  %y = torch.aten.frobnicate %x : " + x + " -> " + y, "%y", y),
                StatusCode::Unsupported, "op 'torch.aten.frobnicate' is none that is read");
  expectRefused(module(arguments, "", "%x", x), StatusCode::Unsupported, "no convolution's result");
  expectRefused(module(arguments, good, "%y, %y", y + ", " + y), StatusCode::InvalidArgument, "");
  expectRefused(
      module("%x: !torch.vtensor<[2,?,7,6],f32>, %w: " + w,
             "  %y = torch.aten.conv2d %x, %w, $none, $[1], $[0], $[1], $1 : !torch.vtensor<[2,?,7,6],f32>, " + w +
                 ", !torch.none, " + lists + ", !torch.int -> " + y,
             "%y", y),
      StatusCode::Unsupported, "tensors of static shape are read");
}

} // namespace
} // namespace orzo::test
