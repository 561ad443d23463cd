// Kernels emitted for a test, built and run on the calling thread.
#pragma once

#include "Codegen/CPU/KernelEmitter.h"
#include "Pipeline/KernelLowering.h"
#include "Target/CPU/SharedObject.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <sys/mman.h>
#include <unistd.h>

namespace orzo::cpu {

using KernelFunction = void (*)(void *const *, int64_t, int64_t, void *);

/// A shared object in memory, open while it lives.
class OpenObject {
public:
  explicit OpenObject(const std::vector<uint8_t> &object) : descriptor(memfd_create("kernel", MFD_CLOEXEC)) {
    EXPECT_EQ(write(descriptor, object.data(), object.size()), static_cast<ssize_t>(object.size()));
    library = dlopen(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), RTLD_NOW | RTLD_LOCAL);
    EXPECT_NE(library, nullptr) << dlerror();
  }
  OpenObject(const OpenObject &) = delete;
  OpenObject &operator=(const OpenObject &) = delete;
  ~OpenObject() {
    if (library)
      dlclose(library);
    close(descriptor);
  }

  /// Runs the kernel over all its units.
  void run(const KernelInfo &info, std::vector<void *> slots) const {
    ASSERT_NE(library, nullptr);
    auto kernel = reinterpret_cast<KernelFunction>(dlsym(library, info.symbol.c_str()));
    ASSERT_NE(kernel, nullptr);
    std::unique_ptr<void, decltype(&std::free)> scratch(std::aligned_alloc(64, (info.scratchBytes + 63) / 64 * 64),
                                                        &std::free);
    kernel(slots.data(), 0, std::accumulate(info.unitRanges.begin(), info.unitRanges.end(), int64_t(0)), scratch.get());
  }

private:
  int descriptor;
  void *library = nullptr;
};

class KernelTest : public ::testing::Test {
protected:
  KernelTest() {
    registerKernelDialects(registry);
    context.appendDialectRegistry(registry);
    context.disableMultithreading();
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> newModule() {
    return mlir::OwningOpRef<mlir::ModuleOp>(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  }

  /// Lowers and compiles what was emitted into `module`.
  Expected<std::vector<uint8_t>> build(mlir::ModuleOp module, Isa isa, TargetListing *listing = nullptr) {
    EXPECT_TRUE(mlir::succeeded(mlir::verify(module)));
    mlir::PassManager passes(&context);
    addKernelLowering(passes);
    EXPECT_TRUE(mlir::succeeded(passes.run(module)));
    return buildSharedObject(module, isa, listing);
  }

  /// The body of a function whose arguments, of f32, are those of an epilogue.
  mlir::Region *parseEpilogue(const std::string &body, const std::string &arguments = "%acc: f32") {
    source = mlir::parseSourceString<mlir::ModuleOp>("func.func @e(" + arguments + ") -> f32 {" + body + "}", &context);
    return source ? &(*source->getOps<mlir::func::FuncOp>().begin()).getBody() : nullptr;
  }

  mlir::DialectRegistry registry;
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> source;
};

} // namespace orzo::cpu
