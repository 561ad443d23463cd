#!/usr/bin/env python3
"""Each rule of scripts/check_layering.py fires on a breach and keeps still on the nearest thing that is right."""

import os
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../scripts"))
import check_layering


def check(tree):
    """The breaches in a source tree given as {path: text}."""
    with tempfile.TemporaryDirectory() as root:
        for path, text in tree.items():
            os.makedirs(os.path.join(root, os.path.dirname(path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return check_layering.check(root)


class Layering(unittest.TestCase):
    def assertBreach(self, tree, expected):
        breaches = check(tree)
        self.assertEqual(len(breaches), 1, breaches)
        self.assertIn(expected, breaches[0])

    def assertFine(self, tree):
        self.assertEqual(check(tree), [])

    def test_the_arrows_name_rooms_and_have_no_cycle(self):
        for room, below in check_layering.ARROWS.items():
            for each in below:
                self.assertIn(check_layering.known(each), check_layering.ARROWS)
            self.assertNotIn(room, check_layering.reachable(room))

    def test_includes_point_down(self):
        self.assertBreach({"lib/Spec/A.cpp": '\n#include "Reference/B.h"\n'}, "lib/Spec/A.cpp:2: Spec includes")
        self.assertBreach({"include/orzo/Spec/A.h": '#include "orzo/Runtime/B.h"\n'}, "of Runtime")
        self.assertBreach({"lib/Reference/A.cpp": '#include "Runtime/Core/B.h"\n'}, "of Runtime/Core")
        self.assertBreach({"lib/Conversion/X/A.cpp": '#include "Codegen/CPU/B.h"\n'}, "of Codegen/CPU")
        self.assertBreach({"tools/orzo/A.cpp": '#include "Compiler/Compile.h"\n'}, "of Compiler")
        self.assertFine({"lib/Reference/A.cpp": '#include "orzo/Spec/B.h"\n#include "orzo/Support/C.h"\n'})
        self.assertFine({"lib/Compiler/A.cpp": '#include "Dialect/Conv/B.h"\n#include "Runtime/Core/C.h"\n'})
        self.assertFine({"tools/orzo/A.cpp": '#include "Driver/B.h"\n#include "Measure/C.h"\n'})

    def test_single_headers_open_no_more_than_themselves(self):
        self.assertFine({"lib/Driver/A.cpp": '#include "Compiler/Entry.h"\n'})
        self.assertFine({"lib/Codegen/CPU/A.cpp": '#include "Runtime/CPU/Isa.h"\n'})
        self.assertBreach({"lib/Driver/A.cpp": '#include "Compiler/Compile.h"\n'}, "of Compiler")
        self.assertBreach({"lib/Codegen/CPU/A.cpp": '#include "Runtime/CPU/Threads.h"\n'}, "of Runtime/CPU")
        self.assertBreach({"lib/Codegen/Common/A.cpp": '#include "Runtime/CPU/Isa.h"\n'}, "of Runtime/CPU")

    def test_backends_of_one_family_do_not_know_each_other(self):
        self.assertBreach({"lib/Runtime/Core/A.cpp": '#include "Runtime/CPU/B.h"\n'}, "of Runtime/CPU")
        self.assertBreach({"lib/Runtime/CUDA/A.cpp": '#include "Runtime/CPU/B.h"\n'}, "of Runtime/CPU")
        self.assertFine({"lib/Runtime/CPU/A.cpp": '#include "Runtime/Core/B.h"\n#include "Runtime/CPU/C.h"\n'})

    def test_libraries_point_down(self):
        spec = {"lib/Spec/CMakeLists.txt": "orzo_library(Spec A.cpp DEPS orzoSupport)\n",
                "lib/Support/CMakeLists.txt": "orzo_library(Support A.cpp)\n"}
        self.assertFine(spec)
        self.assertBreach(spec | {"lib/Support/CMakeLists.txt": "orzo_library(Support A.cpp\n  DEPS orzoSpec)\n"},
                          "lib/Support/CMakeLists.txt:2: Support links orzoSpec of Spec")
        self.assertBreach({"lib/Driver/CMakeLists.txt": "orzo_library(Driver A.cpp DEPS orzoCompiler)\n",
                           "lib/Compiler/CMakeLists.txt": "orzo_mlir_library(Compiler A.cpp)\n"}, "links orzoCompiler")
        isa = {"lib/Runtime/CPU/CMakeLists.txt": "orzo_library(Isa A.cpp)\norzo_library(RuntimeCPU B.cpp DEPS orzoIsa)\n"}
        self.assertFine(isa | {"lib/Compiler/CMakeLists.txt": "orzo_mlir_library(Compiler A.cpp DEPS orzoIsa)\n"})
        self.assertBreach(isa | {"lib/Compiler/CMakeLists.txt": "orzo_mlir_library(Compiler A.cpp DEPS orzoRuntimeCPU)\n"},
                          "links orzoRuntimeCPU")

    def test_mlir_only_in_its_rooms(self):
        self.assertBreach({"lib/Cache/A.cpp": "#include <llvm/ADT/StringRef.h>\n"}, "Cache includes llvm/")
        self.assertBreach({"include/orzo/Graph/A.h": '#include "mlir/IR/Value.h"\n'}, "a public header includes mlir/")
        self.assertBreach({"lib/Graph/CMakeLists.txt": "orzo_mlir_library(Graph A.cpp)\n"}, "is built with MLIR")
        self.assertFine({"lib/Dialect/Conv/A.h": '#include "mlir/IR/Value.h"\n'})

    def test_public_headers_include_public_headers(self):
        self.assertBreach({"include/orzo/Runtime/A.h": '#include "Runtime/Core/B.h"\n'}, "the private")

    def test_one_file_reads_the_environment(self):
        call = 'const char *home = std::getenv("HOME");\n'
        self.assertBreach({"lib/Cache/A.cpp": call}, "calls getenv")
        self.assertFine({"lib/Support/Environment.cpp": call})
        self.assertFine({"lib/Cache/A.cpp": "// Nothing here calls getenv.\n/* getenv\n */\n"})

    def test_spec_dialect_and_import_name_no_target(self):
        self.assertBreach({"lib/Spec/A.cpp": "bool hasAVX512 = avx512();\n"}, "names the target 'avx512'")
        self.assertBreach({"lib/Dialect/Gemm/A.td": 'let summary = "for CUDA";\n'}, "names the target 'CUDA'")
        self.assertBreach({"lib/Import/Torch/A.cpp": 'if (device == "gpu")\n'}, "names the target 'gpu'")
        self.assertFine({"lib/Spec/A.cpp": "// Unlike on a GPU.\n", "lib/Target/CPU/A.cpp": "avx512();\n"})

    def test_driver_letters_stay_in_command(self):
        self.assertBreach({"lib/Measure/A.cpp": 'note("--in_layout");\n'}, "spells a driver command")
        self.assertBreach({"lib/Import/Spec/A.cpp": 'run("convbfp16 -n 1");\n'}, "spells a driver command")
        self.assertFine({"lib/Command/A.cpp": 'flag("--in_layout");\n', "lib/Driver/Help.cpp": '"orzo run -- convbfp16"\n'})

    def test_no_global_options(self):
        self.assertBreach({"lib/Compiler/A.cpp": "llvm::cl::opt<bool> fast;\n"}, "cl::opt")

    def test_no_utils_folder(self):
        self.assertBreach({"lib/Dialect/Conv/Utils/A.h": "\n"}, "a Utils folder")

    def test_quotes_and_comment_signs_in_literals(self):
        self.assertFine({"lib/Spec/A.cpp": "char q = '\"'; // getenv\n"})
        self.assertBreach({"lib/Spec/A.cpp": 'auto s = "http://"; getenv("A");\n'}, "calls getenv")

    def test_this_tree(self):
        root = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../..")
        self.assertEqual(check_layering.check(root), [])


if __name__ == "__main__":
    unittest.main()
