#include "Runtime/CUDA/Program.h"
#include "Runtime/CUDA/TensorMaps.h"

#include <algorithm>

namespace orzo::cuda {

static int64_t scratchOffset(const ArtifactImage &image) {
  return (image.workspaceBytes + workspaceAlignment - 1) / workspaceAlignment * workspaceAlignment;
}

int64_t workspaceBytes(const ArtifactImage &image) {
  int64_t scratch = 0;
  for (const ArtifactStep &step : image.steps)
    if (step.cuda)
      scratch = std::max(scratch, step.cuda->scratchBytes);
  return scratch ? scratchOffset(image) + scratch : image.workspaceBytes;
}

Expected<Program::Dispatch> Program::bindDispatch(const DeviceState &device, const ArtifactStep &step,
                                                  FunctionHandle function, std::span<const DevicePointer> slots,
                                                  DevicePointer scratch) {
  const CudaLaunch &launch = *step.cuda;
  int64_t most = int64_t(device.multiprocessors) * launch.blocksPerMultiprocessor;
  int64_t blocks = launch.persistent ? std::min(launch.tiles, most) : launch.tiles;
  Dispatch dispatch{step.name,
                    function,
                    static_cast<unsigned>(blocks),
                    static_cast<unsigned>(launch.threads),
                    static_cast<unsigned>(launch.sharedBytes),
                    {},
                    std::make_unique<TensorMap[]>(launch.tensorMaps.size()),
                    std::make_unique<int64_t[]>(launch.parameters.size())};
  for (size_t i = 0; i < launch.tensorMaps.size(); ++i) {
    const TensorMapRecipe &recipe = launch.tensorMaps[i];
    Expected<TensorMap> map = encode(*device.driver, recipe, slots[recipe.slot]);
    if (!map)
      return map.status().within("tensor map " + std::to_string(i));
    dispatch.maps[i] = *map;
  }
  for (size_t i = 0; i < launch.parameters.size(); ++i) {
    const CudaParameter &parameter = launch.parameters[i];
    int64_t &word = dispatch.words[i];
    switch (parameter.kind) {
    case CudaParameter::Kind::TensorMap:
      dispatch.parameters.push_back(&dispatch.maps[parameter.index]);
      continue;
    case CudaParameter::Kind::Pointer:
      word = static_cast<int64_t>(slots[parameter.index]) + parameter.value;
      break;
    case CudaParameter::Kind::Integer32:
      // Little-endian: its low half is where an int32 is read.
      word = parameter.value;
      break;
    case CudaParameter::Kind::Workspace:
      word = static_cast<int64_t>(scratch) + parameter.value;
      break;
    }
    dispatch.parameters.push_back(&word);
  }
  return dispatch;
}

Expected<Program::Copy> Program::bindCopy(const ArtifactStep &step, DevicePointer source, DevicePointer target) {
  bool empty = std::ranges::any_of(step.copyDims, [](const ArtifactCopyDim &dim) { return dim.extent == 0; });
  if (empty)
    return Copy{step.name, source, target, 0};
  int64_t contiguous = 1;
  for (size_t dim = step.copyDims.size(); dim-- > 0;) {
    const ArtifactCopyDim &each = step.copyDims[dim];
    if (each.extent != 1 && (each.sourceStride != contiguous || each.targetStride != contiguous))
      return Status::unsupported("a strided copy on a CUDA device; only copies of one contiguous piece run there");
    contiguous *= each.extent;
  }
  return Copy{step.name, source + step.sourceOffset * step.elementBytes, target + step.targetOffset * step.elementBytes,
              static_cast<size_t>(contiguous * step.elementBytes)};
}

Expected<Program> Program::bind(const ArtifactImage &image, std::shared_ptr<const KernelImage> kernels,
                                std::span<void *const> bindings, void *workspace) {
  Program program(std::move(kernels));
  const DeviceState &device = *program.kernels->on();
  DevicePointer base = devicePointer(workspace), scratch = base + scratchOffset(image);
  auto memory = [&](int32_t index) {
    const ArtifactSlot &slot = image.slots[index];
    return slot.binding >= 0 ? devicePointer(bindings[slot.binding]) : base + slot.workspaceOffset;
  };
  CurrentContext context(device);
  if (!context.status().ok())
    return context.status();
  for (size_t i = 0; i < image.steps.size(); ++i) {
    const ArtifactStep &step = image.steps[i];
    auto where = [&](const Status &status) { return status.within("step '" + step.name + "'"); };
    std::vector<DevicePointer> slots;
    for (int32_t slot : step.slots)
      slots.push_back(memory(slot));
    switch (step.kind) {
    case ArtifactStep::Kind::Dispatch: {
      // Nothing to do: no launch, and no map of an empty tensor.
      if (step.cuda->tiles == 0)
        break;
      Expected<Dispatch> dispatch = bindDispatch(device, step, program.kernels->kernels()[i], slots, scratch);
      if (!dispatch)
        return where(dispatch.status());
      program.steps.emplace_back(dispatch.take());
      break;
    }
    case ArtifactStep::Kind::Fill:
      if (int64_t bytes = image.slots[step.slots[0]].bytes; bytes > 0)
        program.steps.emplace_back(Fill{step.name, slots[0], step.fillByte, static_cast<size_t>(bytes)});
      break;
    case ArtifactStep::Kind::Copy: {
      Expected<Copy> copy = bindCopy(step, slots[0], slots[1]);
      if (!copy)
        return where(copy.status());
      if (copy->bytes > 0)
        program.steps.emplace_back(copy.take());
      break;
    }
    }
  }
  return program;
}

Status Program::run(const Step &step, StreamHandle stream) const {
  const DriverTable &driver = *kernels->on()->driver;
  if (const auto *dispatch = std::get_if<Dispatch>(&step)) {
    Result result =
        driver.launchKernel(dispatch->function, dispatch->blocks, 1, 1, dispatch->threads, 1, 1, dispatch->sharedBytes,
                            stream, const_cast<void **>(dispatch->parameters.data()), nullptr);
    if (result == result::success)
      return {};
    return driver.check(result, "cuLaunchKernel")
        .within("step '" + dispatch->name + "', " + std::to_string(dispatch->blocks) + " blocks of " +
                std::to_string(dispatch->threads) + " threads, " + std::to_string(dispatch->sharedBytes) +
                " bytes of shared memory");
  }
  if (const auto *fill = std::get_if<Fill>(&step)) {
    Result result = driver.fillBytes(fill->target, fill->byte, fill->bytes, stream);
    return result == result::success ? Status::success()
                                     : driver.check(result, "cuMemsetD8Async").within("step '" + fill->name + "'");
  }
  const auto &copy = std::get<Copy>(step);
  Result result = driver.copyOnDevice(copy.target, copy.source, copy.bytes, stream);
  return result == result::success ? Status::success()
                                   : driver.check(result, "cuMemcpyDtoDAsync").within("step '" + copy.name + "'");
}

Status Program::run(Stream stream) const {
  CurrentContext context(*kernels->on());
  if (!context.status().ok())
    return context.status();
  for (const Step &step : steps)
    if (Status status = run(step, static_cast<StreamHandle>(stream.handle)); !status.ok())
      return status;
  return {};
}

} // namespace orzo::cuda
