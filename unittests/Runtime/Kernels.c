// Kernels with the interface that ArtifactStep describes, for the runtime's tests.
#include <stdint.h>

enum { columns = 37 };

// slots {x[columns], w[rows * columns], y[rows]}: y[i] = sum over j of x[j] * w[i, j], unit i. The products go through
// scratch (columns floats) and are read back, so that two threads sharing one scratch would be noticed.
void rows_times_x(void *const *slots, int64_t begin, int64_t end, void *scratch) {
  const float *x = slots[0], *w = slots[1];
  float *y = slots[2];
  volatile float *products = scratch;
  for (int64_t i = begin; i < end; ++i) {
    for (int j = 0; j < columns; ++j)
      products[j] = x[j] * w[i * columns + j];
    float sum = 0;
    for (int j = 0; j < columns; ++j)
      sum += products[j];
    y[i] = sum;
  }
}

// slots {y[units]}: adds 1 to y[i] for unit i.
void count_units(void *const *slots, int64_t begin, int64_t end, void *scratch) {
  float *y = slots[0];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i)
    y[i] += 1;
}

// slots {y[1]}: y[0] = 1 when called at all.
void mark_call(void *const *slots, int64_t begin, int64_t end, void *scratch) {
  (void)begin, (void)end, (void)scratch;
  ((float *)slots[0])[0] = 1;
}

// slots {y[2 * units]}: y[2 i] and y[2 i + 1] together become the address of the scratch that unit i got.
void note_scratch(void *const *slots, int64_t begin, int64_t end, void *scratch) {
  for (int64_t i = begin; i < end; ++i)
    ((void **)slots[0])[i] = scratch;
}

// slots {y[stageUnits], between[stageUnits]}: unit i of the first stageUnits sets between[i] to i + 1, later ones the
// more slowly; unit stageUnits + i sets y[i] to the sum of all that lies between, and each unit y[i] of a third stage
// to 1 more. A unit that does not wait for the stage before it finds something else there.
enum { stageUnits = 24 };
void three_stages(void *const *slots, int64_t begin, int64_t end, void *scratch) {
  float *y = slots[0], *between = slots[1];
  (void)scratch;
  for (int64_t i = begin; i < end; ++i) {
    if (i < stageUnits) {
      volatile int64_t delay = 0;
      while (delay < i * 200)
        ++delay;
      between[i] = (float)(i + 1);
    } else if (i < 2 * stageUnits) {
      float sum = 0;
      for (int j = 0; j < stageUnits; ++j)
        sum += between[j];
      y[i - stageUnits] = sum;
    } else {
      y[3 * stageUnits - 1 - i] += 1;
    }
  }
}
