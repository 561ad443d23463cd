# lit's configuration: tests repeat the paths of lib/; a pass's test is named after the pass.
import os
import sys

import lit.formats

config.name = "orzo"
config.test_format = lit.formats.ShTest(execute_external=True)
config.suffixes = [".mlir", ".test"]
config.excludes = ["tools", "Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = config.orzo_obj
config.substitutions.append(("FileCheck", config.filecheck))
config.substitutions.append(("%python", sys.executable))
config.environment["PATH"] = os.path.pathsep.join((config.orzo_bin, config.environment.get("PATH", "")))
