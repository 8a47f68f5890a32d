"""llama-server of llama.cpp as its package of PyPI has it, with the flags that internal/test/llamatest and
tools/scripts/model use."""

import argparse
import signal

import xllamacpp

parser = argparse.ArgumentParser(prog="llama-server")
parser.add_argument("--model", required=True)
parser.add_argument("--alias", required=True)
parser.add_argument("--host", required=True)
parser.add_argument("--port", required=True, type=int)
parser.add_argument("--ctx-size", required=True, type=int)
parser.add_argument("--threads", required=True, type=int)
parser.add_argument("--temp", type=float)
parser.add_argument("--api-key")
parser.add_argument("--pooling", choices=["mean"])
parser.add_argument("--embeddings", action="store_true")
parser.add_argument("--offline", action="store_true")
parser.add_argument("--no-warmup", action="store_true")
flags = parser.parse_args()

params = xllamacpp.CommonParams()
params.model.path = flags.model
params.model_alias = {flags.alias}
params.hostnames = [flags.host]
params.port = flags.port
params.n_ctx = flags.ctx_size
params.cpuparams.n_threads = flags.threads
params.offline = flags.offline
params.warmup = not flags.no_warmup
params.embedding = flags.embeddings
params.use_jinja = True
if flags.temp is not None:
    params.sampling.temp = flags.temp
if flags.pooling:
    params.pooling_type = xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
if flags.api_key:
    params.api_keys = [flags.api_key]

server = xllamacpp.Server(params)  # it answers from here on, in threads of its own
signal.pause()
