// A kernel that calls a function which nobody defines.
#include <stdint.h>

void orzo_test_defined_nowhere(int64_t);

void rows_times_x(void *const *slots, int64_t begin, int64_t end, void *scratch) {
  (void)slots, (void)end, (void)scratch;
  orzo_test_defined_nowhere(begin);
}
