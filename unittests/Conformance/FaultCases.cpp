#include "FaultCases.h"
#include "ProblemSpelling.h"

namespace orzo::conformance {

namespace {

constexpr Direction F = Direction::FProp, D = Direction::DGrad, W = Direction::WGrad;
constexpr DataType f32 = DataType::F32, bf16 = DataType::BF16, f16 = DataType::F16;
constexpr LayoutOrder first = LayoutOrder::First, last = LayoutOrder::Last;

using Dims = std::vector<SpatialDim>;

class List {
public:
  void add(const char *number, const std::string &name, const ConvSpec &spec) { cases.push_back({number, name, spec}); }

  void add(const char *number, const std::string &name, Direction direction, DataType type, int64_t n, int64_t c,
           int64_t k, const Dims &dims, int64_t groups = 1, LayoutOrder order = last) {
    ConvSpec spec = channelsLast(direction, n, c, k, groups, dims, type);
    setLayouts(spec, order);
    add(number, name, spec);
  }

  /// All three directions.
  void all(const char *number, const std::string &name, DataType type, int64_t n, int64_t c, int64_t k,
           const Dims &dims, int64_t groups = 1, LayoutOrder order = last) {
    for (Direction direction : {F, D, W})
      add(number, name + "FDW"[static_cast<int>(direction)], direction, type, n, c, k, dims, groups, order);
  }

  std::vector<FaultCase> cases;
};

/// The same window along each of two or three dims.
Dims square(const SpatialDim &dim) { return {dim, dim}; }
Dims cube(const SpatialDim &dim) { return {dim, dim, dim}; }

/// Input gradients with strides, dilations and padding; transposed convolutions.
void addDataGradients(List &list) {
  list.add("B001", "Seed", D, bf16, 2, 512, 256, {window(1, 1), window(128, 2, 2)});
  list.add("B001", "SeedSwapped", D, bf16, 2, 512, 256, {window(128, 2, 2), window(1, 1)});
  list.add("B001", "SeedSmall", D, bf16, 2, 16, 16, {window(1, 1), window(8, 2, 2)});
  list.add("B002", "OddImage", D, bf16, 2, 224, 96, {window(59, 1, 2), window(91, 1, 2)});
  list.add("B002", "OddImageSmall", D, bf16, 2, 8, 16, {window(5, 1, 2), window(7, 1, 2)});
  list.add("B004", "Stride3Filter7Rows", D, f32, 3, 128, 128, {window(14, 7, 3), window(14, 1)});
  list.add("B004", "Stride3Filter4Rows", D, f32, 3, 128, 128, {window(14, 4, 3), window(14, 1)});
  list.add("B004", "Stride3Filter7Columns", D, f32, 3, 128, 128, {window(14, 1), window(14, 7, 3)});
  list.add("B004", "Stride3OneWay", D, f32, 2, 64, 64, {window(14, 7), window(14, 7, 3)});
  list.add("B004", "Stride5Filter7", D, f32, 32, 128, 128, {window(32, 7, 5), window(32, 1)});
  list.add("B004", "Stride5Filter8", D, f32, 32, 128, 128, {window(32, 8, 5), window(32, 1)});
  list.add("B004", "Stride3Small", D, f32, 2, 8, 8, square(window(14, 7, 3)));
  list.add("B005", "TwoByTwo", D, f32, 256, 2048, 1024, square(window(2, 1, 2)));
  list.add("B005", "TwoByTwoSmall", D, bf16, 2, 8, 8, square(window(2, 1, 2)));
  list.add("B007", "Stride2", D, bf16, 2, 64, 64, square(window(28, 3, 2, 1, 1)));
  list.add("B007", "Stride2x1", D, bf16, 2, 64, 64, {window(28, 3, 2, 1, 1), window(28, 3, 1, 1, 1)});
  list.add("B007", "Stride3x2", D, bf16, 2, 64, 64, {window(29, 4, 3, 1, 1), window(28, 4, 2, 1, 1)});
  list.add("B008", "Remainder2", D, f32, 1, 9, 3, square(window(32, 5, 3, 1, 1)));
  list.add("B008", "Remainder2In16Bits", D, bf16, 1, 9, 3, square(window(32, 5, 3, 1, 1)));
  list.add("B010", "TallFilter", D, f32, 1, 128, 512, {window(83, 5, 3, 2, 2), window(11, 1)});
  list.add("B010", "TallFilterBatch", D, bf16, 2, 128, 512, {window(83, 5, 3, 2, 2), window(11, 1)});
  list.add("B010", "TallFilterNext", D, bf16, 2, 128, 256, {window(28, 5, 3, 2, 2), window(11, 1)});
  list.add("B010", "TallFilterForward", F, f32, 1, 128, 512, {window(83, 5, 3, 2, 2), window(11, 1)});
  list.add("B011", "TwoChannels", D, f32, 2, 2, 3, {window(1, 1), window(9, 3, 2)});
  list.add("B013", "RowNeverRead", D, f32, 1, 16, 16, {window(2, 1, 3), window(1, 1)});
  list.add("B013", "RowNeverReadFilter2", D, f32, 1, 16, 16, {window(3, 2, 3), window(1, 1)});
  list.add("B014", "Dilated2x2", D, f32, 2, 1, 2, {window(3, 2, 1, 0, 0, 2), window(5, 2, 1, 0, 0, 2)});
  list.add("B016", "FirstLayer", D, f32, 2, 3, 64, square(window(280, 7, 2, 3, 3)));
  list.add("B017", "DecoderGradient", D, bf16, 1, 64, 128, square(window(64, 3, 2, 1, 1)));
  list.add("B017", "DecoderTransposed", D, bf16, 1, 64, 128, square(transposedWindow(32, 3, 2, 1, 1)));
  list.add("B019", "Deconvolution", D, f32, 25, 64, 64, square(window(28, 2, 2)));
  list.add("B019", "DeconvolutionIn16Bits", D, bf16, 25, 64, 64, square(window(28, 2, 2)));
  list.add("B020", "EmptyPhases", D, f32, 1, 8, 8, square(window(10, 2, 3)));
  list.add("B020", "EmptyPhasesDilated", D, f32, 1, 8, 8, square(window(13, 2, 3, 0, 0, 2)));
  list.add("B022", "OutputPadding", D, f32, 1, 3, 16, square(transposedWindow(7, 3, 2, 1, 1)));
  list.add("B022", "OutputPaddingAsGradient", D, f32, 1, 3, 16, square(window(14, 3, 2, 1, 1)));
  list.add("B023", "TransposedDilated", D, f32, 1, 1, 1, square(transposedWindow(3, 3, 2, 2, 0, 2)));
  list.add("B023", "StridedDilated", D, f32, 1, 2, 2, square(window(9, 3, 2, 2, 2, 2)));
}

/// Filter gradients: groups, long reductions, tails.
void addFilterGradients(List &list) {
  list.add("B025", "GroupsStrided", W, bf16, 4, 288, 288, {window(48, 3, 2, 1, 1), window(32, 3, 2, 1, 1)}, 3);
  list.add("B025", "GroupsStridedSmall", W, bf16, 2, 12, 12, {window(8, 3, 2, 1, 1), window(6, 3, 2, 1, 1)}, 3);
  list.add("B025", "GroupsStridedData", D, bf16, 2, 288, 288, {window(48, 3, 2, 1, 1), window(32, 3, 2, 1, 1)}, 3);
  list.add("B026", "GroupsFlatFilter3D", W, bf16, 2, 36, 36,
           {window(8, 1), window(24, 3, 1, 1, 1), window(16, 3, 1, 1, 1)}, 3, first);
  list.add("B026", "GroupsFlatFilter3DSmall", W, bf16, 2, 12, 12,
           {window(4, 1), window(6, 3, 1, 1, 1), window(5, 3, 1, 1, 1)}, 3, first);
  list.add("B028", "Groups1x1", W, f32, 4, 16, 32, square(window(8, 1)), 4);
  list.add("B028", "Groups1x1Strided", W, f32, 4, 16, 32, square(window(8, 1, 2)), 4);
  list.add("B029", "LongReduction3D", W, bf16, 8, 16, 16, cube(window(16, 1)));
  list.add("B031", "OnePixel", W, bf16, 1, 896, 224, square(window(1, 1)));
  list.all("B032", "OneChannelHalf", f16, 1, 1, 1, square(window(3, 3)), 1, first);
  list.all("B032", "OneChannel", bf16, 1, 1, 1, square(window(3, 3)));
  list.add("B034", "LongReduction", W, f16, 256, 8, 16, square(window(28, 1)));
  list.add("B034", "LongerReduction", W, f16, 256, 16, 8, square(window(56, 1)));
  list.add("B035", "Depthwise", W, f16, 32, 48, 48, square(window(56, 3, 1, 1, 1)), 48);
  list.add("B037", "LargeImage", W, f32, 4, 6, 4, square(window(256, 5)));
  list.add("B038", "StrideOneWay", W, f32, 2, 2, 1, {window(50, 3), window(55, 3, 2)});
  list.add("B040", "EvenChannels", W, bf16, 2, 6, 10, square(window(7, 1)));
  list.add("B040", "EvenChannelsExchanged", W, bf16, 2, 10, 6, square(window(7, 1)));
  list.add("B041", "ReductionTail", W, bf16, 1, 128, 256, square(window(14, 3, 1, 1, 1)));
  list.add("B043", "DepthwiseStrided", W, f32, 1, 24, 24, square(window(6, 3, 2, 1, 1)), 24);
  list.add("B044", "CountsBeyond256", W, bf16, 1, 1, 2, square(window(80, 3, 2, 1, 1)));
  list.all("B046", "FewChannels", f32, 32, 8, 8, square(window(32, 5, 1, 2, 2)));
  list.add("B047", "ThreeChannelsD", D, f16, 512, 3, 64, square(window(32, 3, 1, 1, 1)));
  list.add("B047", "ThreeChannelsW", W, f16, 512, 3, 64, square(window(32, 3, 1, 1, 1)));
  list.add("B049", "SoundBound", W, f16, 32, 64, 64, square(window(50, 1)));
}

/// Forward, groups, layouts.
void addForward(List &list) {
  list.add("B050", "Strided1x1A", F, bf16, 16, 32, 40, {window(192, 1, 2), window(128, 1, 2)});
  list.add("B050", "Strided1x1B", F, bf16, 16, 40, 96, {window(96, 1, 2), window(64, 1, 2)});
  list.add("B050", "Strided1x1C", F, bf16, 16, 96, 288, {window(48, 1, 2), window(32, 1, 2)});
  ConvSpec channelFirst = channelsLast(F, 1, 2, 2, 1, {window(3, 2)}, f32);
  channelFirst.layout(Role::W) = {Axis::C, Axis::S0, Axis::K};
  list.add("B052", "FilterChannelFirst", channelFirst);
  list.add("B053", "TwoByTwo", F, f32, 1, 1, 1, square(window(4, 2)), 1, first);
  list.add("B055", "DepthwiseStrided", F, f32, 1, 256, 256, square(window(112, 3, 2, 1, 1)), 256, first);
  list.add("B055", "Depthwise7x7", F, f32, 1, 96, 96, square(window(56, 7, 1, 3, 3)), 96, first);
  list.add("B056", "ManyChannels", F, f16, 2, 160, 64, square(window(32, 3, 1, 1, 1)), 1, first);
  list.add("B058", "GroupedData", D, f32, 4, 192, 192, {window(24, 1), window(48, 3, 1, 1, 1)}, 3);
  list.add("B058", "UnitFilterDim", F, bf16, 16, 96, 96, {window(24, 3, 1, 1, 1), window(16, 1)});
  list.all("B059", "Multiplier16", f16, 120, 2, 32, {window(32, 3, 1, 1, 1), window(16, 3, 1, 1, 1)}, 2);
  list.all("B062", "AllDifferent", bf16, 2, 8, 10, {window(12, 3, 2, 4, 4, 3), window(16, 5, 1, 2, 2)});
  list.add("B064", "OneChannel2x2", F, f32, 1, 1, 2, square(window(3, 2)));
  for (LayoutOrder order : {last, first})
    list.add("B065", order == last ? "OneChannelLast" : "OneChannelFirst", F, f32, 1, 1, 64,
             square(window(100, 3, 1, 1, 1)), 1, order);
  ConvSpec mixed = channelsLast(F, 1, 1, 64, 1, square(window(100, 3, 1, 1, 1)), f32);
  mixed.layout(Role::X) = layoutOf(Role::X, 2, first);
  list.add("B065", "OneChannelMixed", mixed);
  list.add("B067", "OneColumnStrided", F, bf16, 19, 313, 96, {window(12, 3, 3), window(14, 3, 3), window(4, 3, 3)});
  list.add("B067", "OneColumnStridedSmall", F, bf16, 2, 5, 6, cube(window(4, 3, 3)));
  list.add("B068", "Borders", F, bf16, 1, 16, 16, square(window(8, 3, 1, 1, 1)));
  list.add("B068", "PaddingBeyondFilter", F, bf16, 1, 16, 16, square(window(10, 5, 1, 7, 7)));
  list.add("B068", "PaddingOnOnePixel", F, bf16, 1, 16, 16, square(window(1, 7, 1, 6, 6)));
  list.add("B070", "RowTail3D", D, f32, 8, 32, 32, {window(1, 1), window(18, 1), window(18, 1)}, 1, first);
  list.add("B070", "RowTail", F, bf16, 8, 32, 32, square(window(18, 1)));
  for (int64_t filter : {3, 4, 5, 7})
    list.add("B071", "Filter" + std::to_string(filter), F, bf16, 2, 64, 64,
             square(window(16, filter, 1, filter / 2, filter / 2)));
  list.all("B073", "TailsEverywhere", bf16, 1, 1001, 999, {window(10, 1), window(100, 1)});
  list.add("B074", "Width13", F, f32, 1, 16, 16, square(window(13, 3, 1, 1, 1)));
  list.add("B074", "Width13Depthwise", F, f32, 1, 13, 13, square(window(13, 3, 1, 1, 1)), 13);
  list.add("B076", "PaddingBefore", F, f32, 1, 32, 64, square(window(416, 3, 2, 1, 0)), 1, first);
  list.all("B077", "PaddingOneSided", f32, 1, 32, 64, square(window(52, 3, 2, 1, 0)));
  ConvSpec multiplier = channelsLast(F, 2, 2, 6, 2, {window(4, 2), window(5, 2)}, f32);
  multiplier.layout(Role::W) = layoutOf(Role::W, 2, LayoutOrder::ChannelsInner);
  list.add("B082", "MultiplierInner", multiplier);
  list.add("B083", "FlatFilter", F, bf16, 4, 288, 288, {window(24, 1), window(16, 3, 1, 1, 1)});
}

/// Poison, empty and large inputs; shapes on which others are slow.
void addRest(List &list) {
  list.all("B085", "PoisonedResult", bf16, 2, 16, 24, square(window(9, 3, 2, 1, 1)));
  list.all("B088", "EmptyBatch", bf16, 0, 4, 8, square(window(5, 3)));
  list.add("B091", "PlainLayout", F, bf16, 2, 16, 16, square(window(8, 1)));
  list.add("B094", "PlainForward", F, f32, 1, 3, 32, square(window(224, 5)));
  list.add("B097", "TransposedDilated", D, f32, 1, 8, 8, square(transposedWindow(8, 3, 2, 1, 0, 2)));
  list.add("B098", "EvenRemainder", F, bf16, 8, 64, 64, square(window(33, 3, 2)));
  list.add("B100", "UnevenPadding", F, f32, 5, 24, 1, {window(49, 3, 1, 4, 4), window(50, 3, 1, 6, 6)});
  list.add("B100", "Cubes", F, f16, 1, 32, 32, {window(7, 3), window(14, 3), window(18, 3)});
  list.add("B100", "ManyPatches", F, bf16, 512, 3, 80, {window(2, 2, 2), window(14, 14, 14), window(14, 14, 14)});
  list.add("B103", "Gemm500", F, bf16, 1, 500, 500, {window(20, 1), window(25, 1)});
  list.add("B103", "Gemm1000", F, bf16, 1, 1000, 1000, {window(20, 1), window(50, 1)});
  list.add("B103", "Gemm2000Reduced", F, bf16, 1, 464, 464, {window(16, 1), window(50, 1)});
  list.add("B104", "GradientIn16Bits", W, bf16, 2, 3, 32, {window(8, 7, 2, 3, 3), window(6, 7, 2, 3, 3)});
  list.all("B106", "Cube", bf16, 2, 32, 32, cube(window(16, 3, 1, 1, 1)));
  list.add("B107", "FlatCube", F, bf16, 2, 64, 64, {window(3, 3), window(18, 3), window(18, 3)});
  Dims patch = {window(2, 2, 2), window(14, 14, 14), window(14, 14, 14)};
  list.add("B109", "Patches4", F, bf16, 4, 3, 1152, patch);
  list.add("B109", "Patches196", F, bf16, 196, 3, 1152, patch);
  list.add("B109", "Patches576", F, bf16, 576, 3, 1152, patch);
  list.add("B109", "Patches4096Reduced", F, bf16, 1024, 3, 288, patch);
  list.add("B109", "PatchesW", W, bf16, 256, 3, 1280, patch);
  list.add("B110", "Video", F, f16, 1, 32, 32, {window(6, 3), window(26, 3), window(34, 3)});
  list.add("B110", "VideoToThree", F, f16, 1, 96, 3, {window(6, 3), window(26, 3), window(34, 3)});
  list.add("B110", "VideoDeep", F, bf16, 1, 32, 32, {window(11, 3), window(18, 3), window(18, 3)});
  list.add("B112", "WideImage", F, f16, 2, 64, 64, {window(38, 3, 1, 1, 1), window(26, 3, 1, 1, 1)});
  for (int64_t c : {128, 256, 384, 512, 768, 1024})
    list.add("B113", "Channels" + std::to_string(c), F, f32, 1, c, 512, square(window(7, 3, 1, 1, 1)), 1, first);
  list.add("B115", "Small1x1", F, f32, 1, 16, 16, square(window(60, 1)));
  list.add("B115", "Small1x1Strided", F, f32, 1, 16, 16, square(window(60, 1, 2)));
  list.add("B118", "CubeGradient", W, bf16, 1, 32, 64, cube(window(16, 3, 1, 1, 1)));
  list.all("B119", "DepthwiseShort", bf16, 1, 12288, 12288, {window(1, 1), window(16384, 4)}, 12288);
  list.all("B119", "DepthwiseShortReduced", bf16, 1, 768, 768, {window(1, 1), window(1024, 4)}, 768);
  list.all("B119", "DepthwiseLong", f16, 8, 768, 768, {window(1, 1), window(1024, 31, 1, 15, 15)}, 768);
  list.add("B121", "Filter1024", F, f32, 1, 16, 16, {window(1, 1), window(2600, 1024)});
  list.add("B122", "Square", F, f16, 1, 160, 160, square(window(32, 3, 1, 1, 1)));
}

} // namespace

std::vector<FaultCase> faultCases() {
  List list;
  addDataGradients(list);
  addFilterGradients(list);
  addForward(list);
  addRest(list);
  return std::move(list.cases);
}

} // namespace orzo::conformance
