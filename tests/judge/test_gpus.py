"""GPUs as far as a machine without any can tell: what is chosen, and what a container is asked for. With some, the real thing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quizapp.bank.find import builtin_folder
from quizapp.judge.runner import docker
from quizapp.judge.runner.gpus import Gpus, choose, visible

WITH_RUNTIME = {"Runtimes": {"runc": {"path": "runc"}, "nvidia": {"path": "nvidia-container-runtime"}}}
WITHOUT = {"Runtimes": {"runc": {"path": "runc"}}}


class TestVisible:
    @pytest.mark.parametrize(
        ("value", "wanted"),
        [
            (None, Gpus()),
            ("", None),
            ("-1", None),
            ("NoDevFiles", None),
            ("0", Gpus(("0",))),
            ("2, 3", Gpus(("2", "3"))),
            ("1,-1,2", Gpus(("1",))),
            ("0,0", Gpus(("0",))),
            ("GPU-8f6a,MIG-77", Gpus(("GPU-8f6a", "MIG-77"))),
        ],
    )
    def test_as_cuda_reads_it(self, value: str | None, wanted: Gpus | None) -> None:
        assert visible({} if value is None else {"CUDA_VISIBLE_DEVICES": value}) == wanted

    @given(st.text(alphabet="0123456789,-G PUMI", max_size=12))
    def test_never_a_device_that_was_not_named(self, value: str) -> None:
        found = visible({"CUDA_VISIBLE_DEVICES": value})
        assert found is None or (found.devices and set(found.devices) <= {part.strip() for part in value.split(",")})


class TestChosen:
    def test_for_submissions_where_the_engine_has_the_runtime(self) -> None:
        assert choose("submission", WITH_RUNTIME, {}) == Gpus()
        assert choose("submission", WITH_RUNTIME, {"CUDA_VISIBLE_DEVICES": "1"}) == Gpus(("1",))
        assert choose("submission", WITH_RUNTIME, {"CUDA_VISIBLE_DEVICES": ""}) is None
        assert choose("submission", WITHOUT, {}) is None
        assert choose("submission", {}, {}) is None

    def test_never_for_the_oracle(self) -> None:
        assert choose("oracle", WITH_RUNTIME, {}) is None


class TestConfiguration:
    def test_all_gpus(self) -> None:
        assert docker.host_options(Gpus())["device_requests"] == [
            {"Driver": "nvidia", "Count": -1, "Capabilities": [["gpu", "compute", "utility"]]}
        ]

    def test_those_that_were_given(self) -> None:
        (request,) = docker.host_options(Gpus(("0", "GPU-8f6a")))["device_requests"]
        assert (request["DeviceIDs"], request.get("Count")) == (["0", "GPU-8f6a"], None)

    def test_as_the_sdk_sends_it(self) -> None:
        """The SDK takes all of it, and none of the hardening is lost with GPUs."""
        import docker as sdk

        api = sdk.APIClient(version="1.41", base_url="tcp://127.0.0.1:1")
        bare = api.create_host_config(auto_remove=True, **docker.host_options())
        with_gpus = api.create_host_config(auto_remove=True, **docker.host_options(Gpus()))
        assert "DeviceRequests" not in bare
        assert with_gpus["DeviceRequests"][0]["Count"] == -1
        wider = {"Memory", "MemorySwap", "PidsLimit", "IpcMode", "ShmSize", "Tmpfs", "Ulimits", "DeviceRequests"}
        assert {key for key in bare.keys() | with_gpus.keys() if bare.get(key) != with_gpus.get(key)} == wider
        assert with_gpus["NetworkMode"] == "none"
        assert with_gpus["ReadonlyRootfs"] is True
        assert with_gpus["CapDrop"] == ["ALL"]
        assert with_gpus["IpcMode"] == "private"
        assert {"Name": "memlock", "Soft": -1, "Hard": -1} in with_gpus["Ulimits"]


@pytest.mark.engine
@pytest.mark.gpu(ranks=2)
def test_a_verdict_with_nccl() -> None:
    """Two ranks with a GPU each: the same verdicts as with gloo, and the collectives are NCCL's."""
    from quizapp.cli.bank import library
    from quizapp.cli.items import find_item
    from quizapp.cli.submit import lab_of
    from quizapp.judge.bench import Bench

    loaded = find_item(library(()), "scale-local-loss")
    lab, folder = lab_of(loaded, loaded.item.parts[0])  # type: ignore[arg-type]
    lab = lab.model_copy(update={"world_sizes": (2,)})
    bench = Bench("docker")
    try:
        for name, outcome in (("solution.py", "pass"), ("wrong/mean-of-rank-means.py", "wrong")):
            source = (builtin_folder() / "intended-average" / "labs" / "scale-local-loss" / name).read_text("utf-8")
            verdict = bench.judge(lab, folder, source, "answer.py", points=1, titles={}, seed=7)
            assert (verdict.outcome, verdict.collectives, verdict.device) == (outcome, "nccl", "cuda")
    finally:
        bench.close()
