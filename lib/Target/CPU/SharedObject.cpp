#include "Target/CPU/SharedObject.h"

#include "lld/Common/Driver.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/SHA256.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>
#include <utility>

LLD_HAS_DRIVER(elf)

namespace orzo::cpu {

/// The x86-64 psABI level whose guarantees the ISA level is, and what it adds to them.
static std::pair<const char *, const char *> processorOf(Isa isa) {
  switch (isa) {
  case Isa::AVX2:
    return {"x86-64-v3", ""};
  case Isa::AVX512:
    return {"x86-64-v4", ""};
  case Isa::AVX512BF16:
    break;
  }
  return {"x86-64-v4", "+avx512bf16"};
}

static Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(Isa isa) {
  static std::once_flag registered;
  std::call_once(registered, [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
  });
  llvm::Triple triple("x86_64-unknown-linux-gnu");
  std::string error;
  const llvm::Target *target = llvm::TargetRegistry::lookupTarget(triple, error);
  if (!target)
    return Status::internal("LLVM has no x86-64 target: " + error);
  auto [processor, features] = processorOf(isa);
  return std::unique_ptr<llvm::TargetMachine>(
      target->createTargetMachine(triple, processor, features, llvm::TargetOptions(), llvm::Reloc::PIC_,
                                  llvm::CodeModel::Small, llvm::CodeGenOptLevel::Aggressive));
}

static void optimise(llvm::Module &module, llvm::TargetMachine &machine) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

static Status emitFile(llvm::Module &module, llvm::TargetMachine &machine, llvm::CodeGenFileType type,
                       llvm::SmallVectorImpl<char> &bytes) {
  llvm::raw_svector_ostream out(bytes);
  llvm::legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type))
    return Status::internal("LLVM cannot emit this kind of file for x86-64");
  passes.run(module);
  return Status::success();
}

namespace {

/// A file descriptor, closed at the end of its scope or before.
struct Descriptor {
  int number = -1;

  void reset() {
    if (number >= 0)
      ::close(std::exchange(number, -1));
  }
  /// A name under which this process can open it again.
  std::string path() const { return "/proc/self/fd/" + std::to_string(number); }
  ~Descriptor() { reset(); }
};

} // namespace

/// Everything up to the end of the stream.
static std::vector<uint8_t> readToEnd(int stream) {
  std::vector<uint8_t> bytes;
  uint8_t piece[1 << 14];
  while (true) {
    ssize_t got = ::read(stream, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return bytes;
    bytes.insert(bytes.end(), piece, piece + got);
  }
}

/// lld knows files only. Its input is one in memory and its output a pipe, so that nothing depends on a temporary
/// folder and nothing is left behind, however the process ends.
static Expected<std::vector<uint8_t>> link(llvm::StringRef object) {
  Descriptor input{memfd_create("orzo-kernel.o", MFD_CLOEXEC)}, readEnd, writeEnd;
  if (input.number < 0)
    return Status::unavailable(std::string("no memory file for the linker: ") + std::strerror(errno));
  {
    llvm::raw_fd_ostream file(input.number, /*shouldClose=*/false);
    file << object;
    file.flush();
    if (file.has_error()) {
      std::string reason = file.error().message();
      file.clear_error();
      return Status::unavailable("no memory for the linker's input: " + reason);
    }
  }
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    return Status::unavailable(std::string("no pipe for the linker: ") + std::strerror(errno));
  readEnd.number = ends[0];
  writeEnd.number = ends[1];

  std::string inputPath = input.path(), outputPath = writeEnd.path();
  const char *arguments[] = {
      "ld.lld", "-shared",     "--no-undefined",   "--build-id=none", "--threads=1", "--strip-all",
      "-z",     "noexecstack", "--hash-style=gnu", inputPath.c_str(), "-o",          outputPath.c_str()};
  std::string messages;
  llvm::raw_string_ostream messageStream(messages);
  static std::mutex oneLink; // lld keeps global state.
  std::lock_guard<std::mutex> lock(oneLink);
  std::vector<uint8_t> linked;
  std::thread reader([&] { linked = readToEnd(readEnd.number); }); // A pipe holds less than a kernel may be.
  lld::Result result = lld::lldMain(arguments, llvm::nulls(), messageStream, {{lld::Gnu, &lld::elf::link}});
  writeEnd.reset();
  reader.join();
  // Only code that was written by others calls functions of the C library.
  if (size_t begin = messages.find("undefined symbol: "); result.retCode != 0 && begin != std::string::npos) {
    begin += std::strlen("undefined symbol: ");
    return Status::unsupported("it computes '" + messages.substr(begin, messages.find('\n', begin) - begin) +
                               "', a function of a library that kernels do not have");
  }
  if (result.retCode != 0)
    return Status::internal("lld failed on the kernel's object: " + messages);
  if (linked.empty())
    return Status::internal("lld wrote nothing for the kernel's object: " + messages);
  return linked;
}

Expected<std::vector<uint8_t>> buildSharedObject(mlir::ModuleOp kernels, Isa isa, TargetListing *listing) {
  mlir::registerBuiltinDialectTranslation(*kernels.getContext());
  mlir::registerLLVMDialectTranslation(*kernels.getContext());
  llvm::LLVMContext context;
  std::unique_ptr<llvm::Module> module = mlir::translateModuleToLLVMIR(kernels, context, "kernels");
  if (!module)
    return Status::internal("the emitted kernel does not translate to LLVM IR");
  Expected<std::unique_ptr<llvm::TargetMachine>> machine = createTargetMachine(isa);
  if (!machine.ok())
    return machine.status();
  module->setTargetTriple((*machine)->getTargetTriple());
  module->setDataLayout((*machine)->createDataLayout());
  for (llvm::Function &function : *module) {
    if (function.isDeclaration())
      continue;
    // The kernel's vectors are as wide as it wants them: no narrower "preferred" width for this processor.
    function.addFnAttr("prefer-vector-width", isa == Isa::AVX2 ? "256" : "512");
    function.addFnAttr("min-legal-vector-width", isa == Isa::AVX2 ? "256" : "512");
    function.addFnAttr("no-builtins"); // A loop stays a loop: there is no C library to call memset from.
    function.addFnAttr(llvm::Attribute::NoUnwind);
  }
  optimise(*module, **machine);
  if (listing) {
    llvm::raw_string_ostream(listing->llvm) << *module;
    llvm::SmallString<0> assembly;
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
    if (Status status = emitFile(*copy, **machine, llvm::CodeGenFileType::AssemblyFile, assembly); !status.ok())
      return status;
    listing->assembly = assembly.str();
  }
  llvm::SmallString<0> object;
  if (Status status = emitFile(*module, **machine, llvm::CodeGenFileType::ObjectFile, object); !status.ok())
    return status;
  return link(object);
}

std::string kernelHash(const std::vector<uint8_t> &sharedObject) {
  return llvm::toHex(llvm::SHA256::hash(sharedObject), /*LowerCase=*/true);
}

} // namespace orzo::cpu
