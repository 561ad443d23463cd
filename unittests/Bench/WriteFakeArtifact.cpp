// Writes an artifact that runs on the fake driver: usage: orzo-write-fake-artifact KERNEL FILE
#include "FakeCuda.h"

#include <fstream>

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  std::vector<uint8_t> bytes = orzo::serialise(orzo::test::fakeMatmul(argv[1]));
  std::ofstream file(argv[2], std::ios::binary);
  file.write(reinterpret_cast<const char *>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file.flush() ? 0 : 1;
}
