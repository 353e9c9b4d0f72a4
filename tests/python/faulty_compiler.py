"""A C++ compiler with a defect: it changes one place of the source, then compiles as asked.

Set as CXX, it stands for a code generator that is wrong there. FAULT names a JSON file with a
`pattern` (a regular expression, which must fit exactly `places` times, 1 when left out) and a `replacement`.
"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def main():
    arguments = sys.argv[1:]
    compiler = shutil.which("c++") or shutil.which("g++") or "clang++"
    source = next((a for a in arguments if a.endswith("source.cc")), None)
    if source is None:
        return subprocess.run([compiler, *arguments]).returncode
    fault = json.loads(pathlib.Path(os.environ["FAULT"]).read_text())
    text = pathlib.Path(source).read_text()
    changed, count = re.subn(fault["pattern"], fault["replacement"], text)
    places = fault.get("places", 1)
    if count != places:
        print(f"the fault fits {count} places, not {places}: {fault['pattern']}\n{text}", file=sys.stderr)
        return 1
    with tempfile.TemporaryDirectory() as folder:
        place = pathlib.Path(folder) / "source.cc"
        place.write_text(changed)
        command = [compiler, *(str(place) if a == source else a for a in arguments)]
        return subprocess.run(command).returncode


sys.exit(main())
