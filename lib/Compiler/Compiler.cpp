#include "Compiler/Compiler.h"

#include "Compiler/BuildCudaImage.h"
#include "Compiler/BuildId.h"
#include "Compiler/BuildImage.h"
#include "Compiler/Diagnostics.h"
#include "Compiler/Handback.h"
#include "Compiler/PlanList.h"
#include "Compiler/ReadModule.h"
#include "Compiler/TargetList.h"
#include "Conversion/ConvToGemm/Lowering.h"
#include "Conversion/LinalgToConv/Passes.h"
#include "Dialect/Conv/Transforms/Passes.h"
#include "Dialect/Dispatch/DispatchDialect.h"
#include "Dialect/Nest/NestDialect.h"
#include "Import/Graph/ImportGraph.h"
#include "Import/Spec/ImportSpec.h"
#include "Pipeline/Registry.h"
#include "Runtime/Core/Artifact.h"
#include "orzo/Support/Sha256.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/FileSystem.h"

#include <chrono>

namespace orzo {

const char *buildId() { return ORZO_BUILD_ID; }

namespace {

double millisecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

std::string print(mlir::ModuleOp module) {
  std::string out;
  llvm::raw_string_ostream stream(out);
  module.print(stream);
  return out;
}

std::string hashOf(const std::string &text) {
  return toHex(sha256({reinterpret_cast<const uint8_t *>(text.data()), text.size()}));
}

/// One compilation: a context, the module as it goes through the phases, and where the IR is wanted on the way.
class Compilation {
public:
  Compilation(const CompileRequest &request, mlir::MLIRContext &context)
      : request(request), context(context), diagnostics(&context, request.inputName) {}

  Expected<CompileOutput> run() {
    if (Status status = readRequest(); !status.ok())
      return status;
    if (isHandback(request.stopAfter) && request.kind == CompileRequest::Input::Mlir)
      return handBackSource();
    if (Status status = import(); !status.ok())
      return status;
    auto start = std::chrono::steady_clock::now();
    if (isHandback(request.stopAfter) && isGraph)
      return Status::unsupported("--emit=" + request.stopAfter + " writes convolutions; this is a graph");
    if (isHandback(request.stopAfter))
      return commented(handBack(context, conv::problemOf(*module).getSpec(), request.stopAfter), start);
    for (Phase phase : {Phase::Import, Phase::Conv, Phase::Dispatch}) {
      if (Status status = runPhase(phase); !status.ok())
        return status;
      if (stopPhase == phase)
        return textOutput(print(*module), start);
    }
    return buildImages(start);
  }

private:
  Status readRequest() {
    if (request.stopAfter.empty() || request.stopAfter == "llvm" || request.stopAfter == "asm" ||
        request.stopAfter == "plans" || isHandback(request.stopAfter))
      return Status::success();
    Expected<Phase> phase = parsePhase(request.stopAfter);
    if (!phase)
      return Status::invalidArgument(phase.status().message() + ", or llvm, asm, torch, linalg, iree")
          .within("stop-after");
    stopPhase = *phase;
    return Status::success();
  }

  Status import() {
    if (request.kind == CompileRequest::Input::Mlir) {
      Expected<ImportedModule> imported = readModule(context, diagnostics, request.input, request.inputName);
      if (!imported)
        return imported.status();
      module = std::move(imported->module);
      auto problem = module->lookupSymbol<mlir::func::FuncOp>("problem");
      isGraph = problem && problem->hasAttr("orzo.graph");
      return Status::success();
    }
    if (isGraphText(request.input)) {
      Expected<GraphSpec> graph = parseGraphSpec(request.input);
      if (!graph)
        return graph.status();
      module = importGraph(context, *graph);
      isGraph = true;
      return Status::success();
    }
    Expected<ConvSpec> spec = parseConvSpec(request.input);
    if (!spec)
      return spec.status();
    if (Status status = validate(*spec); !status.ok())
      return status;
    module = importSpec(context, *spec);
    return Status::success();
  }

  Status runPhase(Phase phase) {
    if (phase == Phase::Dispatch)
      if (Status status = haveProblem(); !status.ok())
        return status;
    // Asked here as well as in the pass: only here can the answer be an InvalidArgument.
    if (phase == Phase::Dispatch && !isGraph && !raised.refusal)
      if (Expected<LoweringChoice> choice = chooseLowering(conv::problemOf(*module).getSpec(), request.forceLowering);
          !choice)
        return choice.status();
    mlir::PassManager passes(&context, mlir::ModuleOp::getOperationName());
    if (phase == Phase::Dispatch && raised.refusal) {
      describeLinalg();
      addLinalgDispatch(passes);
    } else {
      addPhase(passes, phase, {request.forceLowering, &raised});
    }
    if (mlir::failed(passes.run(*module)))
      return diagnostics.status(StatusCode::Unsupported,
                                "phase " + std::string(name(phase)) + " failed without a message");
    return dump(phase, print(*module));
  }

  /// Whether the conv phase has left the one problem that the rest compiles.
  Status haveProblem() {
    if (isGraph)
      return Status::success();
    if (raised.refusal)
      return compilesLinalg();
    auto functions = llvm::to_vector(module->getOps<mlir::func::FuncOp>());
    if (functions.size() > 1) {
      std::string all;
      for (mlir::func::FuncOp function : functions)
        all += "\n  " + text(conv::problemOf(function).getSpec());
      return Status::unsupported(request.inputName + ": unsupported: " + std::to_string(functions.size()) +
                                 " convolutions in one function; one is compiled at a time. They are" + all);
    }
    return Status::success();
  }

  /// Whether what stays linalg can be compiled as asked.
  Status compilesLinalg() {
    std::string why = diagnostics.locationText(raised.refusal->location) +
                      "unsupported: not one convolution: " + raised.refusal->reason;
    Expected<TargetList> targets = parseTargets(request.target);
    if (targets && targets->cuda)
      return Status::unsupported(why + "; what stays linalg is compiled for a CPU only");
    if (!request.forceLowering.empty() || !request.plan.empty())
      return Status::unsupported(why + "; what stays linalg has no lowering or plan to choose");
    auto functions = module->getOps<mlir::func::FuncOp>();
    if (!llvm::hasSingleElement(functions) || (*functions.begin()).getName() != "problem")
      return Status::unsupported(why + "; one function of linalg is compiled at a time");
    mlir::FunctionType type = (*functions.begin()).getFunctionType();
    for (mlir::Type each : llvm::concat<const mlir::Type>(type.getInputs(), type.getResults())) {
      auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(each);
      if (tensor && tensor.hasStaticShape() && nest::elementType(tensor.getElementType()) != ElementType::NotSet)
        continue;
      std::string got;
      llvm::raw_string_ostream(got) << each;
      return Status::unsupported(why + "; and it takes or makes '" + got +
                                 "': what stays linalg is compiled for tensors of static shape of f64, f32, f16, bf16, "
                                 "i64, i32, i16, i8, ui8 and i1");
    }
    return Status::success();
  }

  /// Marks the function that stays linalg for the passes that compile it.
  void describeLinalg() {
    auto function = *module->getOps<mlir::func::FuncOp>().begin();
    mlir::Builder builder(&context);
    isLinalg = true;
    function->setAttr("orzo.linalg", builder.getStringAttr("linalg.v1 " + hashOf(print(*module))));
    function->setAttr("orzo.reason", builder.getStringAttr("it is not one convolution: " + raised.refusal->reason +
                                                           "; it is compiled as it is written"));
    // The caller's memory is read, never written.
    for (unsigned argument = 0; argument < function.getNumArguments(); ++argument)
      function.setArgAttr(argument, "bufferization.writable", builder.getBoolAttr(false));
  }

  /// Writes <n>-<phase>.mlir into the dump folder, when there is one.
  Status dump(Phase phase, const std::string &text, std::string_view suffix = "") {
    if (request.dumpIrDirectory.empty())
      return Status::success();
    if (std::error_code error = llvm::sys::fs::create_directories(request.dumpIrDirectory))
      return Status::unavailable("dump-ir: cannot make folder " + request.dumpIrDirectory + ": " + error.message());
    std::string path = request.dumpIrDirectory + "/" + std::to_string(int(phase)) + "-" + std::string(name(phase)) +
                       std::string(suffix) + ".mlir";
    std::error_code error;
    llvm::raw_fd_ostream file(path, error);
    if (error)
      return Status::unavailable("dump-ir: cannot write " + path + ": " + error.message());
    file << text;
    return Status::success();
  }

  /// The source's own names and border are wanted: what it computes is read beside it, not in its place.
  Expected<CompileOutput> handBackSource() {
    auto start = std::chrono::steady_clock::now();
    Expected<ReadProblems> read = readProblems(request.input, request.inputName);
    if (!read)
      return read.status();
    auto source = mlir::parseSourceString<mlir::ModuleOp>(request.input, &context, request.inputName);
    if (!source)
      return diagnostics.status(StatusCode::InvalidArgument, "the parser failed without a message");
    return commented(handBack(*source, read->binding, request.stopAfter), start);
  }

  /// The text with its notes as comments in front.
  Expected<CompileOutput> commented(const Expected<HandedBack> &handed, std::chrono::steady_clock::time_point start) {
    if (!handed)
      return handed.status();
    std::string comments;
    for (const std::string &note : handed->notes)
      comments += "// orzo: " + note + "\n";
    return textOutput(comments + handed->text, start);
  }

  Expected<CompileOutput> buildImages(std::chrono::steady_clock::time_point start) {
    Artifact artifact;
    describe(artifact);
    ImageRequest imageRequest{
        .threads = request.threads, .plan = request.plan, .countMultiplyAdds = request.countMultiplyAdds};
    Expected<TargetList> targets = parseTargets(request.target);
    if (!targets)
      return targets.status();
    if (request.stopAfter == "plans")
      return plans(*targets, imageRequest, start);
    for (Isa isa : targets->isas) {
      imageRequest.isa = isa;
      if (Status status = addImage(artifact, std::string(name(isa)), imageRequest, buildImage); !status.ok())
        return status;
    }
    if (targets->cuda)
      if (Status status = addImage(artifact, cudaIsa, imageRequest, buildCudaImage); !status.ok())
        return status;
    if (!request.stopAfter.empty())
      return textOutput(listing, start);
    artifact.compileMilliseconds = millisecondsSince(start);
    artifact.notes = notes();
    CompileOutput output;
    output.bytes = serialise(artifact);
    for (const std::string &note : artifact.notes)
      output.notes += note + "\n";
    output.compileMilliseconds = millisecondsSince(start);
    return output;
  }

  Expected<CompileOutput> plans(const TargetList &targets, ImageRequest imageRequest,
                                std::chrono::steady_clock::time_point start) {
    if (targets.isas.size() != 1 || targets.cuda)
      return Status::unsupported("plans are listed for one instruction set of CPUs; the target is '" + request.target +
                                 "'");
    imageRequest.isa = targets.isas[0];
    Expected<std::string> lines = listPlans(*module, imageRequest);
    return lines ? textOutput(*lines, start) : Expected<CompileOutput>(lines.status());
  }

  Status addImage(Artifact &artifact, const std::string &isa, const ImageRequest &imageRequest, auto build) {
    ImageText text;
    text.wantKernel = stopPhase == Phase::Kernel || !request.dumpIrDirectory.empty();
    text.wantTarget = stopPhase == Phase::Target || !request.dumpIrDirectory.empty();
    text.wantListing = request.stopAfter == "asm" || request.stopAfter == "llvm";
    Expected<ArtifactImage> image = build(*module, imageRequest, text);
    if (!image) {
      // An error of a pass is in the diagnostics, with its location.
      return diagnostics.error.empty() ? image.status() : image.status().within(diagnostics.error);
    }
    for (auto [phase, ir] : {std::pair(Phase::Kernel, &text.kernel), std::pair(Phase::Target, &text.target)})
      if (Status status = dump(phase, *ir, "-" + isa); !status.ok())
        return status;
    listing += "// " + isa + "\n" +
               (stopPhase == Phase::Kernel    ? text.kernel
                : stopPhase == Phase::Target  ? text.target
                : request.stopAfter == "llvm" ? text.llvm
                                              : text.assembly);
    artifact.images.push_back(image.take());
    return Status::success();
  }

  /// The diagnostics' notes, one each, without the input's name: whoever compiles the same problem gets the same ones.
  std::vector<std::string> notes() const {
    std::vector<std::string> lines;
    std::string own = request.inputName + ": ";
    for (llvm::StringRef line : llvm::split(diagnostics.notes, '\n')) {
      line.consume_front(own);
      if (!line.empty())
        lines.push_back(line.str());
    }
    return lines;
  }

  /// The parts of the artifact that no image owns, from the program.
  void describe(Artifact &artifact) {
    auto program = *module->getOps<dispatch::ProgramOp>().begin();
    artifact.problem = program.getProblem().str();
    artifact.lowering = program.getLowering().str();
    artifact.reason = program.getReason().str();
    artifact.compilerBuild = buildId();
    for (auto binding : program.getOps<dispatch::BindingOp>()) {
      auto role = static_cast<Role>(artifact.bindings.size()); // A convolution's bindings are in role order.
      auto type = mlir::cast<mlir::MemRefType>(binding.getSlot().getType());
      artifact.bindings.push_back({binding.getName().str(), isGraph || isLinalg ? std::nullopt : std::optional(role),
                                   binding.getResult(), nest::elementType(type.getElementType()),
                                   binding.getLayout().str(), type.getShape().vec()});
    }
  }

  CompileOutput textOutput(const std::string &text, std::chrono::steady_clock::time_point start) {
    CompileOutput output;
    output.bytes.assign(text.begin(), text.end());
    output.notes = diagnostics.notes;
    output.compileMilliseconds = millisecondsSince(start);
    return output;
  }

  const CompileRequest &request;
  mlir::MLIRContext &context;
  Diagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  RaiseReport raised;
  bool isGraph = false, isLinalg = false;
  std::optional<Phase> stopPhase;
  std::string listing;
};

} // namespace

Expected<CompileOutput> compile(const CompileRequest &request) {
  auto start = std::chrono::steady_clock::now();
  mlir::DialectRegistry registry;
  registerAllDialects(registry);
  // One compilation is one thread: its caller may run many at once.
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadDialect<conv::ConvDialect, dispatch::DispatchDialect, mlir::func::FuncDialect>();
  double loadMilliseconds = millisecondsSince(start);
  Expected<CompileOutput> output = Compilation(request, context).run();
  if (output)
    output->loadMilliseconds = loadMilliseconds;
  return output;
}

} // namespace orzo
