// A strided input gradient in bfloat16, channels last: one dispatch, no inserted zeros. Verified on random elements.
#include "Sample.h"

int main() {
  constexpr int64_t n = 16, c = 2048, w = 512, k = 2048, s = 2, q = 256;
  Handle handle = check(Handle::create(Backend::CPU));

  Graph graph;
  graph.setName("seed").setIODataType(DataType::BFloat16).setComputeDataType(DataType::Float);
  // Logical dims N K P Q and K C R S; strides say that channels lie innermost.
  auto dy = graph.tensor(TensorAttr().setName("dy").setDim({n, k, 1, q}).setStride({k * q, 1, k * q, k}));
  auto filter = graph.tensor(TensorAttr().setName("w").setDim({k, c, 1, s}).setStride({c * s, 1, c * s, c}));
  auto dx = graph.convDGrad(dy, filter,
                            ConvDGradAttr().setName("dgrad").setStride({1, 2}).setPadding({0, 0}).setDilation({1, 1}));
  dx->setName("dx").setOutput(true).setDim({n, c, 1, w});
  check(graph.validate());
  std::printf("%s\n", check(graph.text()).c_str());
  check(graph.compile(handle));
  for (const std::string &step : graph.steps())
    std::printf("%s\n", step.c_str());

  auto dyValues = randomValues<BFloat16>(n * k * q), wValues = randomValues<BFloat16>(k * c * s);
  auto dyBuffer = bufferOf(handle, dyValues), wBuffer = bufferOf(handle, wValues);
  auto dxBuffer = check(allocateBufferOfType(handle, dx, DataType::BFloat16, NAN));
  auto workspace = check(allocateWorkspace(handle, graph.getWorkspaceSize()));
  check(graph.execute(handle, {{dy, dyBuffer}, {filter, wBuffer}, {dx, dxBuffer}}, workspace));

  std::vector<BFloat16> dxValues;
  check(dxBuffer->read(handle, dxValues));
  std::mt19937 random(2); // NOLINT(bugprone-random-generator-seed): the same on every machine.
  double worst = 0;
  for (int sample = 0; sample < 4096; ++sample) {
    int64_t at = static_cast<int64_t>(random()) % (n * w * c), channel = at % c, column = at / c % w,
            image = at / c / w;
    double sum = 0;
    for (int64_t i = 0; i < k; ++i)
      sum +=
          static_cast<double>(dyValues[(image * q + column / 2) * k + i]) * wValues[(i * s + column % 2) * c + channel];
    double error = std::abs(dxValues[at] - sum) / (std::abs(sum) / 256 + 1e-3);
    worst = error > worst || std::isnan(error) ? error : worst;
  }
  std::printf("largest error of 4096 elements: %.2f of the bound\n", worst);
  return worst <= 1 ? 0 : 1;
}
