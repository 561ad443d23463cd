#include "Runtime/CUDA/KernelImage.h"

#include <array>
#include <charconv>

namespace orzo::cuda {
namespace {

size_t byteSize(CudaParameter::Kind kind) {
  switch (kind) {
  case CudaParameter::Kind::TensorMap:
    return sizeof(TensorMap);
  case CudaParameter::Kind::Integer32:
    return sizeof(int32_t);
  default:
    return sizeof(DevicePointer);
  }
}

/// The driver reads as many bytes as the kernel declares, whatever it is given.
Status checkParameters(const DriverTable &driver, FunctionHandle function, const CudaLaunch &launch) {
  if (!driver.functionGetParameter)
    return {};
  size_t offset = 0, bytes = 0, count = 0;
  while (driver.functionGetParameter(function, count, &offset, &bytes) == result::success) {
    if (count < launch.parameters.size() && bytes != byteSize(launch.parameters[count].kind))
      return Status::invalidArgument("parameter " + std::to_string(count) + " of the kernel has " +
                                     std::to_string(bytes) + " bytes, the launch gives " +
                                     std::to_string(byteSize(launch.parameters[count].kind)));
    ++count;
  }
  if (count != launch.parameters.size())
    return Status::invalidArgument("the kernel takes " + std::to_string(count) + " parameters, the launch gives " +
                                   std::to_string(launch.parameters.size()));
  return {};
}

} // namespace

bool runsOn(std::string_view isa, int major, int minor) {
  if (!isa.starts_with("sm_"))
    return false;
  int number = 0;
  auto [end, error] = std::from_chars(isa.data() + 3, isa.data() + isa.size(), number);
  if (error != std::errc())
    return false;
  std::string_view suffix(end, isa.data() + isa.size());
  int device = major * 10 + minor;
  return suffix.empty() ? device >= number : suffix == "a" && device == number;
}

Status KernelImage::loadCode(const ArtifactImage &image) {
  const DriverTable &driver = *device->driver;
  std::array<char, 8192> log = {};
  std::array<int, 2> names = {jit::errorLogBuffer, jit::errorLogBufferBytes};
  std::array<void *, 2> values = {log.data(), reinterpret_cast<void *>(log.size())};
  std::string text(image.code.begin(), image.code.end()); // Ends in a zero, as the driver wants it.
  Status status = driver.check(
      driver.moduleLoadDataEx(&module, text.c_str(), names.size(), names.data(), values.data()), "cuModuleLoadDataEx");
  return status.ok() || !log[0] ? status
                                : Status(status.code(), status.message() + "; the assembler says:\n" + log.data());
}

Status KernelImage::findKernels(const ArtifactImage &image) {
  const DriverTable &driver = *device->driver;
  for (const ArtifactStep &step : image.steps) {
    if (step.kind != ArtifactStep::Kind::Dispatch) {
      functions.push_back(nullptr);
      continue;
    }
    FunctionHandle function = nullptr;
    auto where = [&](const Status &status) { return status.within("step '" + step.name + "', kernel " + step.symbol); };
    if (Status status =
            driver.check(driver.moduleGetFunction(&function, module, step.symbol.c_str()), "cuModuleGetFunction");
        !status.ok())
      return where(status);
    if (Status status = checkParameters(driver, function, *step.cuda); !status.ok())
      return where(status);
    int shared = step.cuda->sharedBytes;
    if (shared > device->maxSharedBytes)
      return where(Status::unsupported("it needs " + std::to_string(shared) + " bytes of shared memory, " +
                                       device->name + " has " + std::to_string(device->maxSharedBytes)));
    if (Status status =
            driver.check(driver.functionSetAttribute(function, attribute::functionMaxDynamicSharedBytes, shared),
                         "cuFuncSetAttribute");
        !status.ok())
      return where(status);
    functions.push_back(function);
  }
  return {};
}

Expected<KernelImage> KernelImage::load(const Device &device, const ArtifactImage &image) {
  const DeviceState &state = *device.shared();
  if (!runsOn(image.isa, state.major, state.minor))
    return Status::unsupported("kernels for " + image.isa + " do not run on " + state.name + " (" + state.architecture +
                               "); compile for it with --target=cuda:" + state.architecture);
  CurrentContext context(state);
  if (!context.status().ok())
    return context.status();
  KernelImage result(device.shared());
  if (image.code.empty()) {
    // Nothing is dispatched (the artifact was checked).
    result.functions.resize(image.steps.size());
    return result;
  }
  if (Status status = result.loadCode(image); !status.ok())
    return status;
  if (Status status = result.findKernels(image); !status.ok())
    return status;
  return result;
}

KernelImage::~KernelImage() {
  if (!module)
    return;
  CurrentContext context(*device);
  if (context.status().ok())
    device->driver->moduleUnload(module);
}

} // namespace orzo::cuda
