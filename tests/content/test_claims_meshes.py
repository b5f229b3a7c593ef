"""What items of the sharded bank claim of FSDP2 and hybrid meshes, on real gloo ranks."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

Found = dict[str, Any]


@pytest.fixture(scope="session")
def found(tmp_path_factory: pytest.TempPathFactory) -> Found:
    folder = tmp_path_factory.mktemp("meshes")
    script = Path(__file__).with_name("mesh_ranks.py")
    ran = subprocess.run([sys.executable, str(script), str(folder)], capture_output=True, text=True, timeout=300, check=False)
    assert ran.returncode == 0, ran.stderr[-4000:]
    return {**json.loads((folder / "two.json").read_text("utf-8")), **json.loads((folder / "four.json").read_text("utf-8"))}


@pytest.mark.parametrize(
    ("experiment", "gradient"),
    [
        ("one axis", (1 + 2) / 2),
        ("one axis, factor 1", 1 + 2),
        ("hybrid", (1 + 2 + 3 + 4) / 4),
        ("hybrid, factor 5", (1 + 2 + 3 + 4) / 5),
        # One shard per replica, sums forced: the factor is applied twice.
        ("one shard per replica, factor 4", (1 + 2) / 4 / 4),
        # Accumulated before the all-reduce between replicas: both microbatches are averaged.
        ("replicas meet last", (2 + 6) / 2 + (10 + 4) / 2),
    ],
)
def test_what_fsdp2_divides_by(found: Found, experiment: str, gradient: float) -> None:
    assert found[experiment] == pytest.approx([gradient] * 2)


def test_sharded_gradients_are_clipped_by_the_norm_of_the_whole(found: Found) -> None:
    assert found["norm of the shards"] == pytest.approx(5.0)
    assert found["clipped shards"] == pytest.approx([0.6, 0.8], rel=1e-5)


def test_a_factor_on_gloo_needs_forced_sums(found: Found) -> None:
    assert "PREMUL_SUM" in found["premultiplied sum"]
