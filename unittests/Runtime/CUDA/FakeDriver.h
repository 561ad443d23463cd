// FakeDriver: a driver library of one imaginary sm_90 device, so that the CUDA runtime is tested where there is no GPU.
//
// It is built as libcuda.so.1 in a folder of its own, which the tests' LD_LIBRARY_PATH names. Device memory is host
// memory; every call that matters is logged; any call can be made to fail. "Assembling" keeps the PTX text; of a kernel
// it reads the name and the parameters' sizes. A launch runs a built-in kernel of that name:
//
//     fake_matmul            (x, w, y, n, k, c): y[n, k] = sum over c of x[n, c] * w[k, c], in bf16, one block
//     fake_matmul_overrun    and writes one element past the end of y
//     fake_matmul_underrun   and one before its beginning
//     fake_matmul_unsteady   and another last element every time
//
// and does nothing for others. x, w and y may be given by tensor maps too (a map holds its address).
#pragma once

namespace orzo::test {

/// What the tests find by dlsym under these names.
using FakeLog = const char *();                      // "fakeLog": the lines logged since the last fakeReset
using FakeReset = void();                            // "fakeReset": empties the log, ends failures, one device again
using FakeFail = void(const char *call, int result); // "fakeFail": from now on `call` fails
using FakeDevices = void(int count);                 // "fakeDevices"

} // namespace orzo::test
