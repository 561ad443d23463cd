#include "MustList.h"
#include "ProblemSpelling.h"

namespace orzo::conformance {

static constexpr Direction F = Direction::FProp, D = Direction::DGrad, W = Direction::WGrad;
static constexpr DataType f32 = DataType::F32, bf16 = DataType::BF16, f16 = DataType::F16;

std::vector<NamedProblem> mustList() {
  std::vector<NamedProblem> list;
  auto add = [&](const std::string &name, const ConvSpec &spec) { list.push_back({name, spec}); };
  auto one = [&](const std::string &name, Direction direction, DataType type, int64_t n, int64_t c, int64_t k,
                 int64_t groups, std::vector<SpatialDim> spatial) {
    add(name, channelsLast(direction, n, c, k, groups, std::move(spatial), type));
  };
  auto all = [&](const std::string &name, DataType type, int64_t n, int64_t c, int64_t k, int64_t groups,
                 const std::vector<SpatialDim> &spatial) {
    for (Direction direction : {F, D, W})
      one(name + std::string(1, "FDW"[static_cast<int>(direction)]), direction, type, n, c, k, groups, spatial);
  };

  all("EmptyBatch", bf16, 0, 4, 8, 1, {window(5, 3), window(5, 3)});
  all("EmptyBatchStrided", f32, 0, 4, 6, 2, {window(7, 2, 3, 1, 1)});
  all("EmptyBatchNoDims", f16, 0, 5, 7, 1, {});
  all("OnePixelImage", bf16, 2, 19, 35, 1, {window(1, 1), window(1, 1)});
  all("OneElement", f32, 1, 1, 1, 1, {window(1, 1), window(1, 1)});
  all("OneChannelOneOutput", f16, 1, 1, 1, 1, {window(3, 3), window(3, 3)});
  all("OneOutput", bf16, 3, 18, 20, 1, {window(4, 4), window(5, 5)});
  all("FilterShorterThanStride", f32, 2, 7, 9, 1, {window(10, 2, 3), window(11, 1, 4)});
  all("FilterShorterThanStrideDilated", bf16, 1, 8, 8, 1, {window(13, 2, 3, 0, 0, 2), window(13, 2, 3, 0, 0, 2)});
  all("Stride3Filter7", f32, 2, 8, 8, 1, {window(14, 7, 3), window(14, 7, 3)});
  all("Stride3Filter4", bf16, 2, 5, 6, 1, {window(14, 4, 3), window(14, 1)});
  all("Stride5Filter7", f32, 1, 6, 10, 1, {window(32, 7, 5), window(9, 1)});
  all("Stride5Filter8", f16, 1, 6, 10, 1, {window(32, 8, 5, 2, 3)});
  all("TwoByTwoStride2", f32, 4, 20, 12, 1, {window(2, 1, 2), window(2, 1, 2)});
  all("PaddingBeyondFilter", bf16, 1, 16, 16, 1, {window(10, 5, 1, 7, 7), window(10, 5, 1, 7, 7)});
  all("PaddingSixOnOnePixel", bf16, 1, 16, 16, 1, {window(1, 7, 1, 6, 6), window(1, 7, 1, 6, 6)});
  all("OnlyPaddingIsSeen", f32, 1, 3, 4, 1, {window(2, 2, 8, 3, 4)});
  all("NegativePadding", f32, 2, 6, 7, 1, {window(12, 3, 2, -2, -1), window(9, 3, 1, -1, -3)});
  all("StrideBeyondInput", f32, 1, 16, 16, 1, {window(2, 1, 3), window(1, 1)});
  all("SeedSmall", bf16, 2, 16, 16, 1, {window(1, 1), window(8, 2, 2)});
  all("Patches", bf16, 2, 3, 40, 1, {window(32, 16, 16), window(32, 16, 16)});
  all("Patches3D", bf16, 5, 3, 36, 1, {window(2, 2, 2), window(14, 14, 14), window(14, 14, 14)});
  all("Odd1x1", bf16, 1, 101, 99, 1, {window(10, 1), window(10, 1)});
  all("Strided1x1", bf16, 2, 8, 16, 1, {window(5, 1, 2), window(7, 1, 2)});
  all("AllParametersDiffer", bf16, 2, 8, 10, 1, {window(12, 3, 2, 4, 4, 3), window(16, 5, 1, 2, 2, 1)});
  all("SameUpper", f32, 2, 5, 12, 1, {window(9, 3, 2, 0, 1), window(10, 4, 3, 1, 2)});
  all("DeepReduction", f32, 1, 700, 40, 1, {window(6, 3, 1, 1, 1), window(5, 3, 1, 1, 1)});
  all("Depthwise", f32, 1, 24, 24, 24, {window(6, 3, 2, 1, 1), window(6, 3, 2, 1, 1)});
  all("DepthwiseMultiplier", f16, 2, 2, 32, 2, {window(8, 3, 1, 1, 1), window(6, 3, 1, 1, 1)});
  all("GroupsStrided", bf16, 2, 12, 12, 3, {window(8, 3, 2, 1, 1), window(6, 3, 2, 1, 1)});
  one("TransposedWithOutputPadding", D, f32, 1, 3, 16, 1,
      {transposedWindow(7, 3, 2, 1, 1), transposedWindow(7, 3, 2, 1, 1)});
  one("TransposedDilated", D, f32, 1, 1, 1, 1,
      {transposedWindow(3, 3, 2, 2, 0, 2), transposedWindow(3, 3, 2, 2, 0, 2)});

  // A flip along each single dim and all of them, where strides keep it from being renamed away.
  for (int dims = 1; dims < 4; ++dims) {
    std::vector<SpatialDim> spatial = {window(9, 3, 2, 1, 1), window(8, 4, 3, 2, 1)};
    spatial[0].flip = dims & 1;
    spatial[1].flip = dims & 2;
    all("Flip" + std::to_string(dims), bf16, 2, 9, 20, 1, spatial);
  }

  // x and y with a unit dim in the middle, the filter in another family; the layout question of one-element dims.
  ConvSpec mixed = channelsLast(F, 1, 2, 2, 1, {window(3, 2)}, f32);
  mixed.layout(Role::W) = {Axis::C, Axis::S0, Axis::K};
  add("ChannelFirstFilter", mixed);
  ConvSpec oneChannel = channelsLast(F, 1, 1, 64, 1, {window(20, 3, 1, 1, 1), window(20, 3, 1, 1, 1)}, f32);
  oneChannel.layout(Role::X) = layoutOf(Role::X, 2, LayoutOrder::First);
  add("OneChannelMixedLayouts", oneChannel);
  ConvSpec widthOutside = channelsLast(D, 2, 7, 11, 1, {window(7, 3, 2, 1, 1), window(9, 2, 3, 0, 1)}, bf16);
  widthOutside.layout(Role::X) = {Axis::S1, Axis::C, Axis::S0, Axis::N};
  add("WidthOutermost", widthOutside);
  return list;
}

} // namespace orzo::conformance
