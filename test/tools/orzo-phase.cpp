// orzo-phase INPUT [--stop-after=PHASE] [--force-lowering=NAME] [--target=T] [--mlir] [--output=FILE]: one compilation
// through the compiler's entry table, for tests of its phases. INPUT is a conv.v1 or graph.v1 text, or with --mlir a
// file of MLIR. Prints the IR, or without --stop-after the artifact's size, and writes it to FILE; notes and errors to
// standard error; exits with the status's exit code.
#include "Compiler/Entry.h"
#include "orzo/Support/Status.h"

#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fstream>
#include <iostream>
#include <sstream>

int main(int argc, char **argv) {
  void *library = dlopen(ORZO_COMPILER_LIBRARY, RTLD_LAZY);
  auto entry = library ? reinterpret_cast<orzo_compiler_entry_fn>(dlsym(library, "orzo_compiler_entry")) : nullptr;
  if (!entry) {
    std::cerr << "orzo-phase: " << dlerror() << "\n";
    return 4;
  }
  orzo_compile_request request = {};
  std::string input, output;
  bool timing = false;
  request.input_name = "<command line>";
  request.target = "cpu";
  for (int i = 1; i < argc; ++i) {
    auto value = [&](const char *flag) -> const char * {
      size_t length = std::strlen(flag);
      return std::strncmp(argv[i], flag, length) == 0 ? argv[i] + length : nullptr;
    };
    if (const char *phase = value("--stop-after="))
      request.stop_after = phase;
    else if (const char *lowering = value("--force-lowering="))
      request.force_lowering = lowering;
    else if (const char *target = value("--target="))
      request.target = target;
    else if (const char *folder = value("--dump-ir="))
      request.dump_ir_dir = folder;
    else if (const char *file = value("--output="))
      output = file;
    else if (std::strcmp(argv[i], "--mlir") == 0)
      request.input_kind = ORZO_INPUT_MLIR;
    else if (std::strcmp(argv[i], "--timing") == 0)
      timing = true;
    else
      input = argv[i];
  }
  std::string source = input;
  if (request.input_kind == ORZO_INPUT_MLIR) {
    std::stringstream contents;
    contents << std::ifstream(input).rdbuf();
    source = contents.str();
    request.input_name = input.c_str();
  }
  request.input = source.c_str();
  orzo_compile_result result;
  entry()->compile(&request, &result);
  std::cerr << result.message;
  if (result.status != 0)
    std::cerr << "\n";
  else if (request.stop_after)
    std::cout.write(reinterpret_cast<const char *>(result.data), static_cast<std::streamsize>(result.size));
  else
    std::cout << "artifact of " << result.size << " bytes\n";
  if (result.status == 0 && !output.empty())
    std::ofstream(output, std::ios::binary)
        .write(reinterpret_cast<const char *>(result.data), static_cast<std::streamsize>(result.size));
  if (timing)
    std::cerr << "compile " << result.compile_ms << " ms, load " << result.load_ms << " ms\n";
  int code = orzo::exitCode(static_cast<orzo::StatusCode>(result.status));
  entry()->release(&result);
  return code;
}
