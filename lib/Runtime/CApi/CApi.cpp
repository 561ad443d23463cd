#include "Runtime/CPU/Isa.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Runtime/PreparedCall.h"
#include "orzo/Runtime/orzo.h"

#include <algorithm>

using namespace orzo;

struct OrzoModule {
  Module module;
};

struct OrzoCall {
  PreparedCall call;
  DeviceKind kind;
};

namespace {

thread_local std::string lastError;

OrzoStatus report(const Status &status) {
  if (!status.ok())
    lastError = status.message();
  return static_cast<OrzoStatus>(exitCode(status.code()));
}

OrzoStatus missing(const char *what) {
  return report(Status::invalidArgument(std::string(what) + " is a null pointer"));
}

int threadsOr(int threads) { return threads == 0 ? std::max(1, coreCount()) : threads; }

OrzoStatus keep(Expected<Module> loaded, OrzoModule **module) {
  if (!loaded)
    return report(loaded.status());
  *module = new OrzoModule{loaded.take()};
  return ORZO_OK;
}

OrzoType typeOf(ElementType type) {
  switch (type) {
  case ElementType::BFloat16:
    return ORZO_BF16;
  case ElementType::Half:
    return ORZO_F16;
  case ElementType::Double:
    return ORZO_F64;
  case ElementType::Uint8:
    return ORZO_U8;
  case ElementType::Int8:
    return ORZO_I8;
  case ElementType::Int16:
    return ORZO_I16;
  case ElementType::Int32:
    return ORZO_I32;
  case ElementType::Int64:
    return ORZO_I64;
  case ElementType::Boolean:
    return ORZO_BOOL;
  case ElementType::Float:
  case ElementType::NotSet: // Loading refuses it.
    break;
  }
  return ORZO_F32;
}

Expected<PreparedCall> bind(const Module &module, std::span<const BufferView> views, Buffer workspace, int threads) {
  if (module.deviceKind() == DeviceKind::CUDA)
    return PreparedCall::bind(module, views, workspace);
  Expected<ThreadPool> pool = ThreadPool::create(threadsOr(threads));
  if (!pool)
    return pool.status();
  return PreparedCall::bind(module, views, workspace, *pool);
}

} // namespace

int orzo_abi_version(void) { return ORZO_ABI_VERSION; }

const char *orzo_last_error(void) { return lastError.c_str(); }

OrzoStatus orzo_load_file(const char *path, const char *isa, OrzoModule **module) {
  if (!path || !module)
    return missing(path ? "module" : "path");
  return keep(Module::loadFile(path, isa ? isa : ""), module);
}

OrzoStatus orzo_load(const void *bytes, size_t size, const char *isa, OrzoModule **module) {
  if (!module || (!bytes && size > 0))
    return missing(module ? "bytes" : "module");
  return keep(Module::load({static_cast<const uint8_t *>(bytes), size}, isa ? isa : ""), module);
}

void orzo_module_destroy(OrzoModule *module) { delete module; }

const char *orzo_problem(const OrzoModule *module) { return module->module.problem().c_str(); }
const char *orzo_lowering(const OrzoModule *module) { return module->module.artifact().lowering.c_str(); }
const char *orzo_isa(const OrzoModule *module) { return module->module.isa().c_str(); }
const char *orzo_plan(const OrzoModule *module) { return module->module.image().plan.c_str(); }
const char *orzo_kernel_hash(const OrzoModule *module) { return module->module.image().kernelHash.c_str(); }

OrzoDevice orzo_device(const OrzoModule *module) {
  return module->module.deviceKind() == DeviceKind::CUDA ? ORZO_CUDA : ORZO_CPU;
}

OrzoCounters orzo_counters(const OrzoModule *module) {
  OrzoCounters counters = {};
  for (const ArtifactStep &step : module->module.image().steps) {
    counters.dispatches += step.kind == ArtifactStep::Kind::Dispatch;
    counters.fills += step.kind == ArtifactStep::Kind::Fill;
    counters.copies += step.kind == ArtifactStep::Kind::Copy;
    counters.flops_executed += step.flopsExecuted;
    counters.flops_tile += step.flopsTile;
  }
  return counters;
}

int orzo_binding_count(const OrzoModule *module) { return static_cast<int>(module->module.bindings().size()); }

OrzoStatus orzo_binding(const OrzoModule *module, int index, OrzoBinding *binding) {
  if (!module || !binding)
    return missing(module ? "binding" : "module");
  int count = orzo_binding_count(module);
  if (index < 0 || index >= count)
    return report(Status::invalidArgument("binding " + std::to_string(index) + " of " + std::to_string(count)));
  const TensorBinding &from = module->module.bindings()[index];
  *binding = {.name = from.name.c_str(),
              .layout = from.layout.c_str(),
              .role = from.role ? static_cast<OrzoRole>(*from.role) : ORZO_NO_ROLE,
              .type = typeOf(from.type),
              .is_result = from.isResult,
              .rank = static_cast<int32_t>(from.shape.size()),
              .shape = from.shape.data(),
              .bytes = from.bytes};
  return ORZO_OK;
}

int64_t orzo_workspace_bytes(const OrzoModule *module, int threads) {
  return module->module.workspaceBytes(threadsOr(threads));
}

OrzoStatus orzo_bind(const OrzoModule *module, void *const *tensors, int count, void *workspace,
                     int64_t workspace_bytes, int threads, OrzoCall **call) {
  if (!module || !call || (!tensors && count > 0))
    return missing(!module ? "module" : !call ? "call" : "tensors");
  const std::vector<TensorBinding> &bindings = module->module.bindings();
  if (count != static_cast<int>(bindings.size()))
    return report(Status::invalidArgument("got " + std::to_string(count) + " tensors, expected " +
                                          std::to_string(bindings.size())));
  std::vector<BufferView> views;
  for (int i = 0; i < count; ++i)
    views.push_back(bindings[i].view({tensors[i], bindings[i].bytes}));
  Expected<PreparedCall> bound = bind(module->module, views, {workspace, workspace_bytes}, threads);
  if (!bound)
    return report(bound.status());
  *call = new OrzoCall{bound.take(), module->module.deviceKind()};
  return ORZO_OK;
}

OrzoStatus orzo_run(OrzoCall *call, void *stream) {
  if (!call)
    return missing("call");
  if (call->kind == DeviceKind::CUDA || stream)
    return report(call->call.run(Stream{stream}));
  return report(call->call.run());
}

void orzo_call_destroy(OrzoCall *call) { delete call; }
