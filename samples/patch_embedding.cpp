// A patch embedding, y = conv(x, w) + b with filter and stride 16, and its backward: dx, dw and db.
#include "Sample.h"

static constexpr Square conv = {.n = 2, .c = 3, .k = 64, .h = 64, .f = 16, .p = 4, .stride = 16, .padding = 0};
using Values = std::vector<double>;

int main() {
  Handle handle = check(Handle::create(Backend::CPU));
  Graph forward;
  forward.setName("forward").setIODataType(DataType::Float);
  auto x = forward.tensor(conv.x("x")), w = forward.tensor(conv.w("w"));
  auto b = forward.tensor(TensorAttr().setName("b").setDim({1, conv.k, 1, 1}));
  auto y = forward.convFProp(x, w, b, ConvFPropAttr().setName("embed").setStride({16, 16}));
  y->setName("y").setOutput(true);

  Graph backward;
  backward.setName("backward").setIODataType(DataType::Float);
  auto dy = backward.tensor(conv.y("dy")), xIn = backward.tensor(conv.x("x")), wIn = backward.tensor(conv.w("w"));
  auto dx = backward.convDGrad(dy, wIn, ConvDGradAttr().setStride({16, 16}));
  auto dw = backward.convWGrad(dy, xIn, ConvWGradAttr().setStride({16, 16}));
  auto db = backward.reduction(dy, ReductionAttr().setMode(ReductionAttr::Mode::ADD).setAxes({0, 2, 3}));
  dx->setName("dx").setOutput(true).setDim(xIn->getDim()).setStride(xIn->getStride());
  dw->setName("dw").setOutput(true).setDim(wIn->getDim()).setStride(wIn->getStride());
  db->setName("db").setOutput(true);

  for (Graph *graph : {&forward, &backward}) {
    check(graph->validate());
    check(graph->compile(handle));
    for (const std::string &step : graph->steps())
      std::printf("%s: %s\n", graph->getName().c_str(), step.c_str());
  }
  auto vx = randomValues<float>(x->getVolume()), vw = randomValues<float>(w->getVolume());
  auto vb = randomValues<float>(conv.k), vdy = randomValues<float>(y->getVolume());
  VariantPack in = {{x, bufferOf(handle, vx)}, {w, bufferOf(handle, vw)}, {b, bufferOf(handle, vb)}};
  in[y] = check(allocateBufferOfType(handle, y, DataType::Float, NAN));
  check(forward.execute(handle, in));
  VariantPack back = {{dy, bufferOf(handle, vdy)}, {xIn, in[x]}, {wIn, in[w]}};
  for (const TensorPtr &tensor : {dx, dw, db})
    back[tensor] = check(allocateBufferOfType(handle, tensor, DataType::Float, NAN));
  check(backward.execute(handle, back));

  Values ry(vdy.size()), rdx(vx.size()), rdw(vw.size()), rdb(conv.k);
  for (size_t i = 0; i < ry.size(); ++i) {
    ry[i] = vb[i % conv.k];
    rdb[i % conv.k] += vdy[i];
  }
  conv.forEachProduct([&](int64_t i, int64_t t, int64_t o) {
    ry[o] += static_cast<double>(vx[i]) * vw[t];
    rdx[i] += static_cast<double>(vdy[o]) * vw[t];
    rdw[t] += static_cast<double>(vdy[o]) * vx[i];
  });
  int wrong = wrongIn("y", handle, *in[y], ry) + wrongIn("dx", handle, *back[dx], rdx);
  wrong += wrongIn("dw", handle, *back[dw], rdw) + wrongIn("db", handle, *back[db], rdb);
  return wrong != 0;
}
