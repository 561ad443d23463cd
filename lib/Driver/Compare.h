// Compare: are two inputs the same problem, and if not, in what do they differ?
//
// Meaning and spelling are kept apart. Meaning is what is computed: two inputs mean the same when their canonical texts
// are equal, or when both are one matrix product over the same memory. Spelling is everything else: the order of
// arguments, the shapes that one memory is given, transposes that move nothing, zeros by fill or by constant.
#pragma once

#include "Driver/SharedOptions.h"

namespace orzo::driver {

struct CompareOptions {
  SharedOptions shared;
};

/// Compares the two problems that the input is and prints it, as text or as one JSON object. Both run on the same bytes
/// where their tensors are alike, each is verified against what it computes, and they are timed in turns. Exit code 0:
/// equivalent, and the numbers are right; 1: not equivalent, or wrong numbers; otherwise an input's failure.
int compareCommand(const CompareOptions &options);

} // namespace orzo::driver
