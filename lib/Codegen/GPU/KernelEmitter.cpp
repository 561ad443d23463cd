#include "Codegen/GPU/KernelEmitter.h"

#include "Codegen/GPU/EpilogueWriter.h"
#include "Codegen/GPU/GridKernel.h"
#include "Codegen/GPU/KernelParts.h"
#include "Target/CUDA/Rules.h"

using namespace mlir;

namespace orzo::gpu {

int64_t partialBytes(const Tables &tables, const Plan &plan) {
  return plan.splits > 1 ? plan.splits * tables.rows[0] * tables.columnBlocks() * 64 * 4 : 0;
}

namespace {

class FrameWriter {
public:
  FrameWriter(ModuleOp module, const std::string &symbol, Kernel &kernel)
      : builder(module.getContext()), w(builder, builder.getUnknownLoc(), symbol + "_phases"), module(module),
        kernel(kernel) {
    info.symbol = symbol;
    info.launch.threads = 384;
    info.launch.persistent = true;
    info.launch.tiles = kernel.plan.tiles(kernel.tables);
    info.launch.sharedBytes = static_cast<int32_t>(kernel.plan.sharedBytes());
  }

  KernelInfo emit() {
    describeParameters();
    builder.setInsertionPointToEnd(module.getBody());
    SmallVector<Type> types;
    for (const CudaParameter &parameter : info.launch.parameters)
      types.push_back(w.pointer(parameter.kind == CudaParameter::Kind::TensorMap ? 0 : 1));
    auto function = LLVM::LLVMFuncOp::create(
        builder, w.loc, info.symbol, LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(module.getContext()), types));
    function->setAttr("nvvm.kernel", builder.getUnitAttr());
    function->setAttr("nvvm.maxntid", builder.getDenseI32ArrayAttr({info.launch.threads}));
    function->setAttr("nvvm.minctasm", builder.getI32IntegerAttr(1));
    for (unsigned i = 0; i < types.size(); ++i)
      if (info.launch.parameters[i].kind == CudaParameter::Kind::TensorMap)
        markAsMap(function, i);
    Block *entry = function.addEntryBlock(builder);
    builder.setInsertionPointToStart(entry);
    takeParameters(entry);
    emitBody();
    LLVM::ReturnOp::create(builder, w.loc, ValueRange());
    w.emitTable(module);
    countFlops();
    return std::move(info);
  }

private:
  void describeParameters() {
    const Tables &tables = kernel.tables;
    int32_t slot = 0;
    for (const Access *access : {&tables.lhs, &tables.rhs, &tables.out}) {
      if (access->isGathered)
        info.launch.parameters.push_back({CudaParameter::Kind::Pointer, slot, 0});
      for (TensorMapRecipe map : access->isGathered ? std::vector<TensorMapRecipe>() : access->maps) {
        map.slot = slot;
        auto index = static_cast<int32_t>(info.launch.tensorMaps.size());
        info.launch.tensorMaps.push_back(map);
        info.launch.parameters.push_back({CudaParameter::Kind::TensorMap, index, 0});
      }
      ++slot;
    }
    if (tables.out.maps.empty())
      info.launch.parameters.push_back({CudaParameter::Kind::Pointer, 2, 0});
    for (const ExtraAccess &extra : kernel.access.extras) {
      addExtra(extra, kernel.epilogue.extras[slot - 3].type, slot);
      ++slot;
    }
  }

  void addExtra(const ExtraAccess &extra, ElementType type, int32_t slot) {
    if (extra.kind != ExtraAccess::Kind::Staged) {
      info.launch.parameters.push_back({CudaParameter::Kind::Pointer, slot, 0});
      return;
    }
    for (TensorMapRecipe map : kernel.tables.out.maps) {
      map.slot = slot;
      map.type = *toDataType(type);
      auto index = static_cast<int32_t>(info.launch.tensorMaps.size());
      info.launch.tensorMaps.push_back(map);
      info.launch.parameters.push_back({CudaParameter::Kind::TensorMap, index, 0});
    }
  }

  /// A tensor map is passed by value and stays in parameter memory: without grid_constant it would be copied to the
  /// stack, which the copy engine cannot read.
  void markAsMap(LLVM::LLVMFuncOp function, unsigned argument) {
    auto bytes = LLVM::LLVMArrayType::get(builder.getI8Type(), cuda::tensorMapBytes);
    function.setArgAttr(argument, LLVM::LLVMDialect::getByValAttrName(), TypeAttr::get(bytes));
    function.setArgAttr(argument, LLVM::LLVMDialect::getAlignAttrName(), builder.getI64IntegerAttr(64));
    function.setArgAttr(argument, "nvvm.grid_constant", builder.getUnitAttr());
  }

  void takeParameters(Block *entry) {
    unsigned argument = 0;
    auto take = [&](const Access &access, std::vector<Value> &maps, Value &memory) {
      if (access.isGathered)
        memory = entry->getArgument(argument++);
      else
        for (size_t i = 0; i < access.maps.size(); ++i)
          maps.push_back(entry->getArgument(argument++));
    };
    take(kernel.tables.lhs, kernel.lhsMaps, kernel.lhsMemory);
    take(kernel.tables.rhs, kernel.rhsMaps, kernel.rhsMemory);
    take(kernel.tables.out, kernel.outMaps, kernel.target);
    if (kernel.outMaps.empty())
      kernel.target = entry->getArgument(argument++);
    for (const ExtraAccess &extra : kernel.access.extras) {
      bool isStaged = extra.kind == ExtraAccess::Kind::Staged;
      std::vector<Value> &maps = kernel.extraMaps.emplace_back();
      for (size_t i = 0; isStaged && i < kernel.tables.out.maps.size(); ++i)
        maps.push_back(entry->getArgument(argument++));
      kernel.extraMemory.push_back(isStaged ? Value() : entry->getArgument(argument++));
    }
  }

  void emitBody() {
    const Plan &plan = kernel.plan;
    kernel.thread = NVVM::ThreadIdXOp::create(builder, w.loc, w.i32());
    kernel.firstTile = NVVM::BlockIdXOp::create(builder, w.loc, w.i32());
    kernel.tileStep = NVVM::GridDimXOp::create(builder, w.loc, w.i32());
    Value shared = sharedMemory(w, module);
    Value address = LLVM::PtrToIntOp::create(builder, w.loc, w.i32(), shared);
    kernel.ring = w.bitAnd(w.add(address, 1023), -1024); // The swizzle repeats every 1024 bytes.
    kernel.buffers = w.add(kernel.ring, plan.stages * plan.stageBytes());
    kernel.full = w.add(kernel.buffers, 2 * plan.storeBuffers * 8192);
    kernel.empty = w.add(kernel.full, 8 * plan.stages);
    kernel.turn = w.add(kernel.empty, 8 * plan.stages);
    w.when(w.equal(kernel.thread, 0), [&] { emitInit(); });
    NVVM::BarrierOp::create(builder, w.loc);
    cuda::Registers registers = cuda::registersOf(kernel.tables.gathers());
    Value group = w.laneZero(w.shiftRight(kernel.thread, 7));
    w.when(
        w.equal(group, 0),
        [&] {
          w.setRegisters(registers.producer, false);
          if (kernel.tables.gathers())
            return emitProducer(w, kernel);
          w.when(w.equal(w.shiftRight(kernel.thread, 5), 0), [&] {
            Value elected = NVVM::ElectSyncOp::create(builder, w.loc, w.i1(), Value());
            w.when(elected, [&] { emitProducer(w, kernel); });
          });
        },
        [&] {
          w.setRegisters(registers.consumer, true);
          emitConsumer(w, kernel, w.sub(group, w.integer(1)));
        });
  }

  void emitInit() {
    for (int64_t stage = 0; stage < kernel.plan.stages; ++stage) {
      w.initBarrier(w.add(kernel.full, 8 * stage), kernel.fullArrivals());
      w.initBarrier(w.add(kernel.empty, 8 * stage), 2);
    }
    if (kernel.plan.lead > 0)
      w.initBarrier(kernel.turn, 1);
    NVVM::FenceMbarrierInitOp::create(builder, w.loc);
    std::vector<std::vector<Value>> all = kernel.extraMaps;
    all.insert(all.begin(), {kernel.lhsMaps, kernel.rhsMaps, kernel.outMaps});
    for (const std::vector<Value> &maps : all)
      for (Value map : maps)
        NVVM::PrefetchOp::create(builder, w.loc, NVVM::PrefetchCacheLevelAttr(), NVVM::CacheEvictionPriorityAttr(), map,
                                 Value(), builder.getUnitAttr());
  }

  void countFlops() {
    const Tables &tables = kernel.tables;
    int64_t columns = tables.innerColumns;
    for (int64_t extent : tables.columnExtents)
      columns *= extent;
    for (int64_t phase = 0; phase < tables.phaseCount; ++phase) {
      int64_t executed = 2 * tables.rows[phase] * columns * tables.depth[phase];
      int64_t tiles = kernel.plan.rowTiles(tables, phase) * kernel.plan.columnTiles(tables);
      info.flopsExecuted += executed;
      info.flopsTile +=
          2 * tiles * kernel.plan.tileRows * kernel.plan.tileColumns * 64 * tables.depthBlocks[phase] - executed;
    }
  }

  OpBuilder builder;
  Writer w;
  ModuleOp module;
  Kernel &kernel;
  KernelInfo info;
};

} // namespace

Expected<KernelInfo> emitKernel(ModuleOp kernels, const std::string &symbol, const Tables &tables, const Plan &plan,
                                const Epilogue &epilogue) {
  if (Status status = checkEpilogue(epilogue, tables.result); !status.ok())
    return status;
  Epilogue ownEpilogue = plan.splits > 1 ? Epilogue() : epilogue;
  EpilogueAccess access = accessOf(ownEpilogue, opsOf(ownEpilogue.body), tables, plan);
  Tables ownTables = access.isByRows ? tablesByRows(tables) : tables;
  Kernel kernel{ownTables, plan, ownEpilogue, access};
  KernelInfo info = FrameWriter(kernels, symbol, kernel).emit();
  if (Status status = cuda::checkLaunch(info.launch); !status.ok())
    return status;
  return info;
}

} // namespace orzo::gpu
