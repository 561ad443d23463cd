// Entry: the one door of liborzo-compiler.so, a C table found by dlsym.
//
// The tools and the API dlopen the library on a cache miss and never link it, so that help, parsing, canonicalising and
// cached runs load no LLVM. The structs are plain C; strings are UTF-8 and owned by the side that made them.
#pragma once

#include <stddef.h>
#include <stdint.h>

// NOLINTBEGIN(modernize-use-using,modernize-redundant-void-arg): C.
#ifdef __cplusplus
extern "C" {
#endif

#define ORZO_COMPILER_ENTRY_VERSION 1

enum { ORZO_INPUT_PROBLEM = 0 /* a canonical text, conv.v1 ... */, ORZO_INPUT_MLIR = 1 /* MLIR source */ };

typedef struct orzo_compile_request {
  int32_t input_kind;
  const char *input;      /* NUL-terminated. */
  const char *input_name; /* For diagnostics: a file name or "<command line>". */
  /* "cpu" (the ISA of this machine) or "cpu:avx2,avx512,avx512_bf16" (several images). */
  const char *target;
  int32_t threads;             /* The planner's hint of how many threads will run; 0 = this machine's cores. */
  const char *force_lowering;  /* NULL, or "contract", "implicit", "wgrad", "zero-insert". */
  const char *plan;            /* NULL, or the text of a plan to use instead of the cost model's. */
  int32_t count_multiply_adds; /* Nonzero: the kernel takes one more slot, int64_t[2], and adds to it the valid (0) and
                                  register-tile tail (1) multiply-adds that it performs. For tests. */
  /* NULL, or a phase ("import", "conv", "dispatch", "kernel", "target") whose IR is the result, or "llvm", "asm", or
     "plans" (of one CPU ISA: a line a plan, its text, bytes of workspace and reason, separated by tabs), or a text for
     other compilers: "torch", "linalg", "linalg-source", "iree". */
  const char *stop_after;
  const char *dump_ir_dir; /* NULL, or a folder that receives the IR after every phase. */
} orzo_compile_request;

typedef struct orzo_compile_result {
  int32_t status;      /* 0, or orzo::StatusCode. */
  const char *message; /* Empty on success; notes, one a line, may be present on success. */
  const uint8_t *data; /* The artifact file's bytes, or the IR's text with stop_after. */
  size_t size;
  double compile_ms; /* From parsed input to artifact bytes. */
  double load_ms;    /* Loading the library's dependencies is not in it; registering dialects and targets is. */
} orzo_compile_result;

typedef struct orzo_compiler_table {
  int32_t version; /* ORZO_COMPILER_ENTRY_VERSION. */
  /* Identifies the compiler in cache keys: a hash of its sources and of LLVM's version. */
  const char *(*build_id)(void);
  /* Fills `result`, which the caller hands to release() whatever the status. Thread-safe. */
  void (*compile)(const orzo_compile_request *request, orzo_compile_result *result);
  void (*release)(orzo_compile_result *result);
  /* `orzo opt`: mlir-opt with orzo's dialects and passes; the exit code. */
  int (*opt_main)(int argc, char **argv);
} orzo_compiler_table;

/* dlsym name: "orzo_compiler_entry". */
typedef const orzo_compiler_table *(*orzo_compiler_entry_fn)(void);

#ifdef __cplusplus
}
#endif
// NOLINTEND(modernize-use-using,modernize-redundant-void-arg)
