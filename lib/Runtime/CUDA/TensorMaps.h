// TensorMaps: recipes of tensor maps made into tensor maps, once the memory is known.
#pragma once

#include "Runtime/CUDA/DriverTable.h"
#include "Runtime/Core/CudaLaunch.h"

namespace orzo::cuda {

/// The map of `recipe`, which is of a checked artifact, over a slot at `slot` (a multiple of 16). Internal, naming the
/// call, when the driver refuses it. Loads past the tensor's ends read zeros.
Expected<TensorMap> encode(const DriverTable &driver, const TensorMapRecipe &recipe, DevicePointer slot);

} // namespace orzo::cuda
