#include "CompilerLibrary.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

namespace orzo::conformance {

static const orzo_compiler_table *open() {
  void *library = dlopen(ORZO_COMPILER_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  auto entry = library ? reinterpret_cast<orzo_compiler_entry_fn>(dlsym(library, "orzo_compiler_entry"))
                       : orzo_compiler_entry_fn();
  if (!entry || entry()->version != ORZO_COMPILER_ENTRY_VERSION) {
    std::fprintf(stderr, "cannot use the compiler library: %s\n", library ? "another version" : dlerror());
    std::abort();
  }
  return entry();
}

const orzo_compiler_table &compilerTable() {
  static const orzo_compiler_table *table = open();
  return *table;
}

static const char *orNull(const std::string &text) { return text.empty() ? nullptr : text.c_str(); }

Expected<Compiled> compileText(const std::string &text, const CompileOptions &options) {
  orzo_compile_request request = {};
  request.input_kind = ORZO_INPUT_PROBLEM;
  request.input = text.c_str();
  request.input_name = "<conformance>";
  request.target = options.target.c_str();
  request.threads = options.threads;
  request.force_lowering = orNull(options.forceLowering);
  request.plan = orNull(options.plan);
  request.count_multiply_adds = options.countMultiplyAdds;
  orzo_compile_result result = {};
  compilerTable().compile(&request, &result);
  auto code = static_cast<StatusCode>(result.status);
  std::string message = result.message ? result.message : "";
  Compiled compiled;
  if (result.data)
    compiled.artifact.assign(result.data, result.data + result.size);
  compiled.compileMilliseconds = result.compile_ms;
  compilerTable().release(&result);
  if (result.data || result.message)
    return Status::internal("release() leaves what it freed in the result");
  if (code == StatusCode::Ok && compiled.artifact.empty())
    return Status::internal("the compiler reports success and hands out nothing");
  if (code == StatusCode::Ok)
    return compiled;
  if (message.empty() || !compiled.artifact.empty())
    return Status::internal("a failure without a message, or with an artifact: " + message);
  return Status(code, message);
}

} // namespace orzo::conformance
