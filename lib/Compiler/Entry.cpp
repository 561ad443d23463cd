#include "Compiler/Entry.h"

#include "Compiler/Compiler.h"
#include "Pipeline/Registry.h"

#include "mlir/Tools/mlir-opt/MlirOptMain.h"

#include <cstring>

namespace {

std::string textOrEmpty(const char *text) { return text ? text : ""; }

orzo::CompileRequest readRequest(const orzo_compile_request &request) {
  orzo::CompileRequest out;
  out.kind =
      request.input_kind == ORZO_INPUT_MLIR ? orzo::CompileRequest::Input::Mlir : orzo::CompileRequest::Input::Problem;
  out.input = textOrEmpty(request.input);
  if (request.input_name)
    out.inputName = request.input_name;
  if (request.target)
    out.target = request.target;
  out.threads = request.threads;
  out.forceLowering = textOrEmpty(request.force_lowering);
  out.plan = textOrEmpty(request.plan);
  out.countMultiplyAdds = request.count_multiply_adds != 0;
  out.stopAfter = textOrEmpty(request.stop_after);
  out.dumpIrDirectory = textOrEmpty(request.dump_ir_dir);
  return out;
}

/// A NUL-terminated copy that release() frees.
char *ownedText(const std::string &text) {
  auto *copy = new char[text.size() + 1];
  std::memcpy(copy, text.c_str(), text.size() + 1);
  return copy;
}

const char *entryBuildId() { return orzo::buildId(); }

void entryCompile(const orzo_compile_request *request, orzo_compile_result *result) {
  *result = {};
  if (request->input_kind != ORZO_INPUT_PROBLEM && request->input_kind != ORZO_INPUT_MLIR) {
    result->status = static_cast<int32_t>(orzo::StatusCode::InvalidArgument);
    result->message = ownedText("unknown input kind " + std::to_string(request->input_kind));
    return;
  }
  orzo::Expected<orzo::CompileOutput> output = orzo::compile(readRequest(*request));
  result->status = static_cast<int32_t>(output.status().code());
  if (!output) {
    result->message = ownedText(output.status().message());
    return;
  }
  result->message = ownedText(output->notes);
  auto *data = new uint8_t[output->bytes.size()];
  std::copy(output->bytes.begin(), output->bytes.end(), data);
  result->data = data;
  result->size = output->bytes.size();
  result->compile_ms = output->compileMilliseconds;
  result->load_ms = output->loadMilliseconds;
}

void entryRelease(orzo_compile_result *result) {
  delete[] result->message;
  delete[] result->data;
  *result = {};
}

int entryOptMain(int argc, char **argv) {
  mlir::DialectRegistry registry;
  orzo::registerAllDialects(registry);
  orzo::registerPasses();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "orzo opt: orzo's dialects and passes\n", registry));
}

constexpr orzo_compiler_table table = {ORZO_COMPILER_ENTRY_VERSION, entryBuildId, entryCompile, entryRelease,
                                       entryOptMain};

} // namespace

extern "C" __attribute__((visibility("default"))) const orzo_compiler_table *orzo_compiler_entry() { return &table; }
