// A ResNet basic block, y = relu(conv(relu(conv(x, w1) + b1), w2) + b2 + x), and its backward: two graphs, every
// pointwise step computed with the convolution before it.
#include "Sample.h"

static constexpr Square conv = {.n = 2, .c = 16, .k = 16, .h = 12, .f = 3, .p = 12, .stride = 1, .padding = 1};
using Values = std::vector<double>;

int main() {
  Handle handle = check(Handle::create(Backend::CPU));
  TensorAttr bias = TensorAttr().setDim({1, conv.k, 1, 1});
  PointwiseAttr relu = PointwiseAttr().setMode(PointwiseAttr::Mode::RELU_FWD), add = PointwiseAttr(relu);
  PointwiseAttr reluBackward = PointwiseAttr().setMode(PointwiseAttr::Mode::RELU_BWD);
  add.setMode(PointwiseAttr::Mode::ADD);
  ReductionAttr sum = ReductionAttr().setMode(ReductionAttr::Mode::ADD).setAxes({0, 2, 3});
  Graph forward;
  forward.setName("forward").setIODataType(DataType::Float);
  auto x = forward.tensor(conv.x("x")), w1 = forward.tensor(conv.w("w1")), w2 = forward.tensor(conv.w("w2"));
  auto b1 = forward.tensor(bias.setName("b1")), b2 = forward.tensor(bias.setName("b2"));
  ConvFPropAttr same = ConvFPropAttr().setPadding({1, 1});
  auto a = forward.pointwise(forward.convFProp(x, w1, b1, same), relu);
  auto y = forward.pointwise(forward.pointwise(forward.convFProp(a, w2, b2, same), x, add), relu);
  a->setName("a").setOutput(true), y->setName("y").setOutput(true);

  Graph backward; // relu's backward needs no more than its result: that is above 0 where its operand is.
  backward.setName("backward").setIODataType(DataType::Float);
  auto dy = backward.tensor(conv.y("dy")), yIn = backward.tensor(conv.y("y")), aIn = backward.tensor(conv.x("a"));
  auto xIn = backward.tensor(conv.x("x")), w1In = backward.tensor(conv.w("w1")), w2In = backward.tensor(conv.w("w2"));
  ConvDGradAttr dgrad = ConvDGradAttr().setPadding({1, 1});
  ConvWGradAttr wgrad = ConvWGradAttr().setPadding({1, 1});
  auto dz = backward.pointwise(dy, yIn, reluBackward);
  auto da = backward.pointwise(backward.convDGrad(dz, w2In, dgrad), aIn, reluBackward);
  auto dx = backward.pointwise(backward.convDGrad(da, w1In, dgrad), dz, add);
  auto dw1 = backward.convWGrad(da, xIn, wgrad), dw2 = backward.convWGrad(dz, aIn, wgrad);
  dw1->setStride(w1In->getStride()), dw2->setStride(w2In->getStride());
  auto db1 = backward.reduction(da, sum), db2 = backward.reduction(dz, sum);
  for (const auto &[tensor, name] : {std::pair(dx, "dx"), {dw1, "dw1"}, {dw2, "dw2"}, {db1, "db1"}, {db2, "db2"}})
    tensor->setName(name).setOutput(true);
  for (Graph *graph : {&forward, &backward}) {
    check(graph->validate());
    check(graph->compile(handle));
    for (const std::string &step : graph->steps())
      std::printf("%s: %s\n", graph->getName().c_str(), step.c_str());
  }
  int64_t pixels = conv.n * conv.h * conv.h * conv.c, taps = conv.k * conv.c * conv.f * conv.f;
  auto vx = randomValues<float>(pixels), vw1 = randomValues<float>(taps), vw2 = randomValues<float>(taps);
  auto vb1 = randomValues<float>(conv.k), vb2 = randomValues<float>(conv.k), vdy = randomValues<float>(pixels);
  VariantPack in = {{x, bufferOf(handle, vx)},
                    {w1, bufferOf(handle, vw1)},
                    {w2, bufferOf(handle, vw2)},
                    {b1, bufferOf(handle, vb1)},
                    {b2, bufferOf(handle, vb2)}};
  for (const TensorPtr &tensor : {a, y})
    in[tensor] = check(allocateBufferOfType(handle, tensor, DataType::Float, NAN));
  check(forward.execute(handle, in));
  VariantPack back = {
      {dy, bufferOf(handle, vdy)}, {yIn, in[y]}, {aIn, in[a]}, {xIn, in[x]}, {w1In, in[w1]}, {w2In, in[w2]}};
  for (const TensorPtr &tensor : {dx, dw1, dw2, db1, db2})
    back[tensor] = check(allocateBufferOfType(handle, tensor, DataType::Float, NAN));
  check(backward.execute(handle, back));
  Values ra(pixels), ry(pixels), rdz(pixels), rda(pixels), rdx(pixels), rdw1(taps), rdw2(taps), rdb1(conv.k),
      rdb2(conv.k);
  conv.forEachProduct([&](int64_t i, int64_t t, int64_t o) { ra[o] += vx[i] * vw1[t]; });
  for (int64_t i = 0; i < pixels; ++i)
    ra[i] = std::max(0.0, ra[i] + vb1[i % conv.k]);
  conv.forEachProduct([&](int64_t i, int64_t t, int64_t o) { ry[o] += ra[i] * vw2[t]; });
  for (int64_t i = 0; i < pixels; ++i) {
    ry[i] = std::max(0.0, ry[i] + vb2[i % conv.k] + vx[i]);
    rdb2[i % conv.k] += rdz[i] = ry[i] > 0 ? vdy[i] : 0;
  }
  conv.forEachProduct([&](int64_t i, int64_t t, int64_t o) { rda[i] += rdz[o] * vw2[t], rdw2[t] += ra[i] * rdz[o]; });
  for (int64_t i = 0; i < pixels; ++i)
    rdb1[i % conv.k] += rda[i] = ra[i] > 0 ? rda[i] : 0;
  conv.forEachProduct([&](int64_t i, int64_t t, int64_t o) { rdx[i] += rda[o] * vw1[t], rdw1[t] += vx[i] * rda[o]; });
  for (int64_t i = 0; i < pixels; ++i)
    rdx[i] += rdz[i];
  int wrong = wrongIn("a", handle, *in[a], ra) + wrongIn("y", handle, *in[y], ry);
  for (const auto &[tensor, right] : {std::pair(dx, &rdx), {dw1, &rdw1}, {dw2, &rdw2}, {db1, &rdb1}, {db2, &rdb2}})
    wrong += wrongIn(tensor->getName().c_str(), handle, *back[tensor], *right);
  return wrong != 0;
}
