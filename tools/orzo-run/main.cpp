#include "Driver/Main.h"

int main(int argc, char **argv) { return orzo::driver::orzoRunMain(argc, argv); }
