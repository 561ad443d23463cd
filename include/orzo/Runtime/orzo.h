/* orzo.h: the runtime's C interface - load an artifact, ask what it takes, bind memory, run.
 *
 *     OrzoModule *module; OrzoCall *call;
 *     if (orzo_load_file("dgrad.orzo", NULL, &module)) fail(orzo_last_error());
 *     void *tensors[3] = {dx, w, dy};                       // device pointers where orzo_device(module) is ORZO_CUDA
 *     if (orzo_bind(module, tensors, 3, workspace, orzo_workspace_bytes(module, 0), 0, &call)) ...
 *     for (...) if (orzo_run(call, stream)) ...
 *     orzo_call_destroy(call); orzo_module_destroy(module);
 *
 * Functions that can fail return an OrzoStatus; orzo_last_error() then says what, where, and what would work. No
 * function keeps a pointer that it is given beyond the call, but for memory that is bound. A module may be used from
 * several threads; a call by one thread at a time. Structures only grow at their end, with ORZO_ABI_VERSION. */
#ifndef ORZO_RUNTIME_ORZO_H
#define ORZO_RUNTIME_ORZO_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ORZO_ABI_VERSION = 1 };

/* The same numbers as the tools' exit codes. */
typedef enum OrzoStatus {
  ORZO_OK = 0,
  ORZO_INVALID_ARGUMENT = 2,
  ORZO_UNSUPPORTED = 3,
  ORZO_UNAVAILABLE = 4, /* No device, driver, file or memory. */
  ORZO_INTERNAL = 5     /* A bug in orzo. */
} OrzoStatus;

typedef enum OrzoDevice { ORZO_CPU = 0, ORZO_CUDA = 1 } OrzoDevice;
typedef enum OrzoType {
  ORZO_F32 = 0,
  ORZO_BF16 = 1,
  ORZO_F16 = 2,
  ORZO_F64 = 3,
  ORZO_U8 = 4,
  ORZO_I8 = 5,
  ORZO_I16 = 6,
  ORZO_I32 = 7,
  ORZO_I64 = 8,
  ORZO_BOOL = 9 /* One byte, 0 or 1. */
} OrzoType;
typedef enum OrzoRole { ORZO_X = 0, ORZO_W = 1, ORZO_Y = 2, ORZO_NO_ROLE = 3 /* A graph's tensor. */ } OrzoRole;

typedef struct OrzoModule OrzoModule;
typedef struct OrzoCall OrzoCall;

/* A tensor that a call takes: packed, outermost dim first. Strings and shape live as long as the module. */
typedef struct OrzoBinding {
  const char *name;   /* "x", "w", "y"; in a graph the number of the value in orzo_problem(): "%0" */
  const char *layout; /* one letter a dim: "nhc"; "" in a graph */
  OrzoRole role;
  OrzoType type;
  int32_t is_result; /* 1: written, never read before it is written */
  int32_t rank;
  const int64_t *shape;
  int64_t bytes;
} OrzoBinding;

/* What the loaded program does, counted from its steps. */
typedef struct OrzoCounters {
  int64_t dispatches, fills, copies;
  int64_t flops_executed; /* 2 per multiply-add */
  int64_t flops_tile;     /* further ones in tile tails */
} OrzoCounters;

/* The ORZO_ABI_VERSION of this library. */
int orzo_abi_version(void);

/* Of this thread's last function that failed; "" before. Valid until the next failure on this thread. */
const char *orzo_last_error(void);

/* Loads an artifact from a file or from memory (which may go away). `isa` chooses an image ("avx2", "sm_90a" ...); NULL
 * or
 * "": the best of this machine. CUDA images are loaded on the device current on this thread. */
OrzoStatus orzo_load_file(const char *path, const char *isa, OrzoModule **module);
OrzoStatus orzo_load(const void *bytes, size_t size, const char *isa, OrzoModule **module);
/* Calls that were bound stay valid. NULL is fine. */
void orzo_module_destroy(OrzoModule *module);

/* Strings live as long as the module. */
const char *orzo_problem(const OrzoModule *module);     /* canonical text */
const char *orzo_lowering(const OrzoModule *module);    /* "contract", "implicit" ... */
const char *orzo_isa(const OrzoModule *module);         /* of the chosen image */
const char *orzo_plan(const OrzoModule *module);        /* for people */
const char *orzo_kernel_hash(const OrzoModule *module); /* SHA-256 of code and constants */
OrzoDevice orzo_device(const OrzoModule *module);
OrzoCounters orzo_counters(const OrzoModule *module);

int orzo_binding_count(const OrzoModule *module);
OrzoStatus orzo_binding(const OrzoModule *module, int index, OrzoBinding *binding);

/* Bytes of workspace that a call needs. `threads` as in orzo_bind; it does not matter on a CUDA device. */
int64_t orzo_workspace_bytes(const OrzoModule *module, int threads);

/* Binds `count` tensors, in the order of the bindings, each of its binding's bytes, and a workspace (a multiple of 64;
 * on a CUDA device of 256; NULL where none is needed). `threads`: of a call on a CPU; 0: every core. */
OrzoStatus orzo_bind(const OrzoModule *module, void *const *tensors, int count, void *workspace,
                     int64_t workspace_bytes, int threads, OrzoCall **call);

/* On a CPU: returns when done; `stream` must be NULL. On a CUDA device: puts the program on `stream` (CUstream or
 * cudaStream_t; NULL is the default stream) and returns; may be captured into a graph. */
OrzoStatus orzo_run(OrzoCall *call, void *stream);
void orzo_call_destroy(OrzoCall *call);

#ifdef __cplusplus
}
#endif

#endif
