// Compile ahead, then load: the file that one program writes another runs, without a compiler, and only for the problem
// that it was made for.
#include "Sample.h"

#include <filesystem>
#include <fstream>
#include <iterator>

/// A 3x3 convolution of a 1 x 8 x 6 x 6 image with padding 1; `filters` of them.
struct Convolution {
  Graph graph;
  TensorPtr x, w, y;
  explicit Convolution(int64_t filters) {
    graph.setName("conv3x3").setIODataType(DataType::Float);
    x = graph.tensor(TensorAttr().setName("x").setDim({1, 8, 6, 6}).setStride({288, 1, 48, 8}));
    w = graph.tensor(TensorAttr().setName("w").setDim({filters, 8, 3, 3}).setStride({72, 1, 24, 8}));
    y = graph.convFProp(x, w, ConvFPropAttr().setName("conv").setPadding({1, 1}));
    y->setName("y").setOutput(true);
    check(graph.validate());
  }
};

int main() {
  std::filesystem::path file = std::filesystem::temp_directory_path() / "orzo-sample-conv3x3.orzo";
  {
    Handle handle = check(Handle::create(Backend::CPU));
    std::vector<uint8_t> artifact = check(Convolution(16).graph.compileToArtifact(handle));
    std::ofstream stream(file, std::ios::binary);
    std::copy(artifact.begin(), artifact.end(), std::ostreambuf_iterator<char>(stream));
  }
  std::ifstream stream(file, std::ios::binary);
  std::vector<uint8_t> artifact{std::istreambuf_iterator<char>(stream), {}};
  std::filesystem::remove(file);

  Handle handle = check(Handle::create(Backend::CPU));
  Status other = Convolution(32).graph.loadFromArtifact(handle, artifact);
  std::printf("%s\n", other.ok() ? "not refused" : other.message().c_str());
  Convolution conv(16);
  check(conv.graph.loadFromArtifact(handle, artifact));
  std::vector<float> xValues(8 * 36), wValues(16 * 72), yValues;
  for (size_t i = 0; i < xValues.size(); ++i)
    xValues[i] = static_cast<float>(i % 7) - 3;
  for (size_t i = 0; i < wValues.size(); ++i)
    wValues[i] = static_cast<float>(i % 5) - 2;
  auto x = std::make_shared<Buffer>(check(Buffer::allocate(handle, {6, 6, 8}, xValues)));
  auto w = std::make_shared<Buffer>(check(Buffer::allocate(handle, {16, 3, 3, 8}, wValues)));
  auto y = std::make_shared<Buffer>(check(Buffer::allocateFor(handle, *conv.y)));
  check(conv.graph.execute(handle, {{conv.x, x}, {conv.w, w}, {conv.y, y}}));
  check(y->read(handle, yValues));
  int wrong = 0;
  for (int at = 0; at < 16 * 36; ++at) {
    int k = at % 16, q = at / 16 % 6, p = at / 96;
    float sum = 0;
    for (int tap = 0; tap < 72; ++tap) {
      int h = p + tap / 24 - 1, column = q + tap / 8 % 3 - 1;
      if (h >= 0 && h < 6 && column >= 0 && column < 6)
        sum += xValues[(h * 6 + column) * 8 + tap % 8] * wValues[k * 72 + tap];
    }
    wrong += yValues[at] != sum;
  }
  std::printf("%d of %d elements are wrong\n", wrong, 16 * 36);
  return wrong != 0 || other.ok();
}
