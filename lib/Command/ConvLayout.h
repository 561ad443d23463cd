// Layouts in the drivers' letters, and as Spec means them.
#pragma once

#include "orzo/Spec/ConvSpec.h"

#include <string>
#include <string_view>

namespace orzo {

/// The three tensors as a command names them; of a transposed convolution the input is Spec's y and the output its x.
enum class DriverTensor : uint8_t { Input, Filter, Output };

/// The default: NCH, NCHW, NCDHW for 1, 2, 3 spatial dims.
std::string_view defaultLayout(int rank);

/// The spatial dims that `letters` has room for: its length less 2.
int rankOfLayout(std::string_view letters);

/// `letters`, in either case, as the dimension order of Spec's tensor `role`. Batch is N, channels C, spatial D H W
/// (1-D: H). A filter may also say K for N, T R S or Z Y X for D H W; an output K for C, Z P Q for D H W. With
/// `grouped`, the group axis goes just before the channels it splits (x: C is G C; y: C is G K; w: N is G K). Errors,
/// without the flag's name: InvalidArgument for a wrong length, an unknown letter or a repeated one; Unsupported for
/// the vectorised layouts (NCHWc4).
Expected<Layout> parseDriverLayout(std::string_view letters, DriverTensor tensor, Role role, int rank, bool grouped);

/// The layout of `role` in the letters N C D H W of `rank` dims, the reverse of parseDriverLayout. Axes of extent 1 are
/// where the best known layout with this order (NCHW, NHWC, CHWN, NCDHW, NDHWC) has them, else in front. Unsupported
/// where the group axis does not stand before the channels it splits.
Expected<std::string> driverLayout(const ConvSpec &spec, Role role, int rank);

} // namespace orzo
