# The sandbox image: torch, numpy and the agent. No bank, no oracle, no learner's file is ever built into it.
#
#   quizapp sandbox build                                    from the package index that pip uses
#   quizapp sandbox build --base IMAGE --wheels FOLDER       offline: another base, wheels from a folder
#
#   quizapp sandbox build --torch-build cpu|cu126|cu130|...  only with that build of torch; cuXYZ brings NCCL, for GPUs
#
# BASE         any image with python3 (3.11 or later), pip and venv; CUDA comes with torch's wheels, the driver with the engine
# TORCH        the version that the judge's messages and measurements were made with
# TORCH_BUILD  what must follow the + of torch's version; empty: whatever build pip finds
# PIP_ARGS     more arguments for pip: another index (PyTorch has one for each build), or --no-index --find-links /wheels
ARG BASE=python:3.12-slim

FROM ${BASE} AS build
ARG TORCH=2.13.0
ARG PIP_ARGS=""
COPY wheels/ /wheels/
RUN python3 -m venv /opt/venv \
 && /opt/venv/bin/python -m pip install --no-cache-dir --no-compile --disable-pip-version-check ${PIP_ARGS} "torch==${TORCH}" "numpy<3" \
 && /opt/venv/bin/python -m pip uninstall -y --quiet pip \
 && cd /opt/venv/lib/python3.*/site-packages \
 && rm -rf torch/test torch/include torch/share \
 && find torch/bin -type f ! -name torch_shm_manager -delete \
 && find . -name "*.pyi" -delete \
 && echo /opt/quizapp > quizapp.pth
ARG TORCH_BUILD=""
RUN /opt/venv/bin/python -c "import sys, torch; build = torch.__version__.partition('+')[2]; want = '${TORCH_BUILD}'; \
sys.exit(want not in ('', build) and f'torch {torch.__version__} is not the build {want}: name PyTorch\'s index for it with --pip-args')"
COPY sandbox/quizapp_sandbox /opt/quizapp/quizapp_sandbox
# The root is read-only when it runs: without bytecode made here, each start would compile for seconds.
RUN python3 -c "import compileall, sys, pathlib; \
ok = all(compileall.compile_dir(p, quiet=2, workers=0, invalidation_mode=__import__('py_compile').PycInvalidationMode.UNCHECKED_HASH) \
for p in ['/opt/venv/lib', '/opt/quizapp'])" \
 && OMP_NUM_THREADS=1 /opt/venv/bin/python -I -c "from quizapp_sandbox import agent; agent._warm_up(); print(agent._facts())"

FROM ${BASE}
LABEL quizapp.sandbox="1"
COPY --from=build /opt/venv /opt/venv
COPY --from=build /opt/quizapp /opt/quizapp
USER 65534:65534
WORKDIR /tmp
ENTRYPOINT ["/opt/venv/bin/python", "-I", "-m", "quizapp_sandbox"]
