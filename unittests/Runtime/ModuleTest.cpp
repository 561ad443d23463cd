#include "orzo/Runtime/Module.h"
#include "TestArtifact.h"
#include "orzo/Runtime/Workspace.h"

#include <cstdio>
#include <filesystem>
#include <gmock/gmock.h>
#include <unistd.h>

using namespace orzo;
using namespace orzo::test;
using testing::HasSubstr;

namespace {

std::string loadError(const Artifact &artifact, StatusCode code, std::string_view isa = {}) {
  Expected<Module> module = Module::load(serialise(artifact), isa);
  EXPECT_FALSE(module.ok());
  if (module.ok())
    return "";
  EXPECT_EQ(module.status().code(), code) << module.status().message();
  return module.status().message();
}

TEST(Module, SaysWhatToProvide) {
  Expected<Module> module = Module::load(serialise(rowsTimesX(readFile(ORZO_TEST_KERNELS))));
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(module->problem(), "conv.v1 test");
  EXPECT_EQ(module->isa(), "avx2");
  ASSERT_EQ(module->bindings().size(), 3u);
  EXPECT_EQ(module->bindings()[1].name, "w");
  EXPECT_EQ(module->bindings()[1].bytes, rows * columns * 4);
  EXPECT_TRUE(module->bindings()[2].isResult);
  // 37 floats of scratch a thread, in steps of 64 bytes.
  EXPECT_EQ(module->workspaceBytes(1), 192);
  EXPECT_EQ(module->workspaceBytes(3), 3 * 192);
}

TEST(Module, LoadsManyAtOnce) {
  std::vector<uint8_t> bytes = serialise(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
  std::vector<Module> modules;
  for (int i = 0; i < 50; ++i) {
    Expected<Module> module = Module::load(bytes);
    ASSERT_TRUE(module.ok()) << module.status().message();
    modules.push_back(module.take());
  }
}

TEST(Module, LoadsFilesAndNamesThemInErrors) {
  std::string path = testing::TempDir() + "module_" + std::to_string(getpid()) + ".orzo";
  std::vector<uint8_t> bytes = serialise(rowsTimesX(readFile(ORZO_TEST_KERNELS)));
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char *>(bytes.data()), bytes.size());
  EXPECT_TRUE(Module::loadFile(path).ok());
  std::filesystem::resize_file(path, bytes.size() / 2);
  Expected<Module> half = Module::loadFile(path);
  ASSERT_FALSE(half.ok());
  EXPECT_EQ(half.status().code(), StatusCode::InvalidArgument);
  EXPECT_THAT(half.status().message(), HasSubstr(path + ": artifact is truncated"));
  std::filesystem::remove(path);
  Expected<Module> absent = Module::loadFile(path);
  ASSERT_FALSE(absent.ok());
  EXPECT_EQ(absent.status().code(), StatusCode::Unavailable);
  EXPECT_THAT(absent.status().message(), HasSubstr(path + ": cannot be read: No such file"));
  Expected<Module> folder = Module::loadFile(testing::TempDir());
  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.status().code(), StatusCode::Unavailable);
}

TEST(Module, RefusesAnIsaItHasNoImageFor) {
  Artifact artifact = rowsTimesX(readFile(ORZO_TEST_KERNELS));
  EXPECT_THAT(loadError(artifact, StatusCode::Unsupported, "avx512"), HasSubstr("the artifact has images for avx2;"));
  artifact.images[0].isa = "gfx942";
  EXPECT_THAT(loadError(artifact, StatusCode::Unsupported), HasSubstr("the artifact has images for gfx942;"));
}

TEST(Module, RefusesCodeThatCannotRun) {
  std::vector<uint8_t> code = readFile(ORZO_TEST_KERNELS);
  Artifact artifact = rowsTimesX({'n', 'o', 't', ' ', 'c', 'o', 'd', 'e'});
  EXPECT_THAT(loadError(artifact, StatusCode::InvalidArgument), HasSubstr("not an ELF file"));

  artifact.images[0].code = code;
  artifact.images[0].code[18] = 0xb7; // e_machine: AArch64
  EXPECT_THAT(loadError(artifact, StatusCode::InvalidArgument), HasSubstr("not a shared object for x86-64"));

  artifact = rowsTimesX(code);
  artifact.images[0].steps[0].symbol = "absent_kernel";
  EXPECT_THAT(loadError(artifact, StatusCode::InvalidArgument), HasSubstr("no symbol 'absent_kernel'"));

  EXPECT_THAT(loadError(rowsTimesX(readFile(ORZO_TEST_DANGLING)), StatusCode::InvalidArgument),
              HasSubstr("orzo_test_defined_nowhere"));
}

TEST(Module, RefusesCodeCutAnywhereInItsSegments) {
  std::vector<uint8_t> code = readFile(ORZO_TEST_KERNELS);
  // What the loader maps begins at the front; a cut within the first half always takes some of it.
  for (size_t length = 1; length < code.size() / 2; length += 7)
    loadError(rowsTimesX({code.begin(), code.begin() + length}), StatusCode::InvalidArgument);
}

TEST(Workspace, IsAlignedAndWritable) {
  for (int64_t bytes : {int64_t(1), int64_t(63), int64_t(4096), int64_t(5) << 20}) {
    Expected<Workspace> workspace = Workspace::allocate(bytes);
    ASSERT_TRUE(workspace.ok());
    Buffer buffer = workspace->buffer();
    EXPECT_EQ(buffer.bytes, bytes);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(buffer.data) % (bytes >= (2 << 20) ? 2 << 20 : 64), 0u);
    static_cast<char *>(buffer.data)[bytes - 1] = 1;
  }
  EXPECT_EQ(Workspace::allocate(0)->buffer().data, nullptr);
  EXPECT_EQ(Workspace::allocate(-1).status().code(), StatusCode::InvalidArgument);
  Expected<Workspace> huge = Workspace::allocate(int64_t(1) << 60);
  ASSERT_FALSE(huge.ok());
  EXPECT_EQ(huge.status().code(), StatusCode::Unavailable);
}

} // namespace
