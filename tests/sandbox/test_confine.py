"""What a rank takes from itself: the filter's program read as the kernel would, and what really happens once it holds."""

import json
import platform
import struct
import subprocess
import sys
import textwrap

import pytest

from quizapp_sandbox import confine

linux = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in ("x86_64", "aarch64"), reason="seccomp filters of Linux"
)
ALLOW, KILL, EPERM, ENOSYS = 0x7FFF0000, 0x80000000, 0x00050001, 0x00050026


def verdict(program: bytes, architecture: int, number: int, *arguments: int) -> int:
    """What a filter says of a system call: a classic BPF machine for the instructions that the program uses."""
    words = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number & 0xFFFFFFFF, architecture, 0, *words)
    code = list(struct.iter_unpack("<HBBI", program))
    at, accumulator = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        match operation:
            case 0x20:
                (accumulator,) = struct.unpack_from("<I", data, value)
            case 0x15:
                at += yes if accumulator == value else no
            case 0x35:
                at += yes if accumulator >= value else no
            case 0x45:
                at += yes if accumulator & value else no
            case 0x06:
                return value
            case _:
                raise AssertionError(f"an instruction that this machine doesn't know: {operation:#x}")


@pytest.mark.parametrize(("machine", "column"), [("x86_64", 0), ("aarch64", 1)])
class TestProgram:
    def test_refused_calls(self, machine: str, column: int) -> None:
        index, architecture = confine._ARCHITECTURES[machine]
        program = confine._filter_program(index, architecture)
        assert index == column
        for name, numbers in confine._REFUSED.items():
            if numbers[column] is not None:
                assert verdict(program, architecture, numbers[column]) == EPERM, name

    def test_everyday_calls(self, machine: str, column: int) -> None:
        architecture = confine._ARCHITECTURES[machine][1]
        program = confine._filter_program(column, architecture)
        everyday = {
            "read": (0, 63),
            "write": (1, 64),
            "futex": (202, 98),
            "mmap": (9, 222),
            "exit_group": (231, 94),
            "kill": (62, 129),
        }
        for name, numbers in everyday.items():
            assert verdict(program, architecture, numbers[column]) == ALLOW, name

    def test_sockets_by_family(self, machine: str, column: int) -> None:
        architecture = confine._ARCHITECTURES[machine][1]
        program = confine._filter_program(column, architecture)
        number = (41, 198)[column]
        for family in range(50):
            for protocol in (0, 1, 6, 15, 16, 17, 132, 136, 262):
                internet = family in (2, 10) and protocol in (0, 6, 17)
                allowed = family == 1 or internet or (family, protocol) == (16, 0)
                assert verdict(program, architecture, number, family, 3, protocol) == (ALLOW if allowed else EPERM), (
                    family,
                    protocol,
                )

    def test_namespaces_by_clone(self, machine: str, column: int) -> None:
        architecture = confine._ARCHITECTURES[machine][1]
        program = confine._filter_program(column, architecture)
        number = (56, 220)[column]
        thread, fork = 0x3D0F00, 0x1200011
        assert verdict(program, architecture, number, thread) == ALLOW
        assert verdict(program, architecture, number, fork) == ALLOW
        for flag in (0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000):
            assert verdict(program, architecture, number, fork | flag) == EPERM, hex(flag)
        assert verdict(program, architecture, 435) == ENOSYS

    def test_limits_and_scheduling_of_itself_alone(self, machine: str, column: int) -> None:
        architecture = confine._ARCHITECTURES[machine][1]
        program = confine._filter_program(column, architecture)
        for name, numbers in confine._OF_OTHERS.items():
            assert verdict(program, architecture, numbers[column], 0) == ALLOW, name
            for process in (1, 4711, 0xFFFFFFFF):
                assert verdict(program, architecture, numbers[column], process) == EPERM, name

    def test_another_architectures_table_is_no_way_round(self, machine: str, column: int) -> None:
        architecture = confine._ARCHITECTURES[machine][1]
        program = confine._filter_program(column, architecture)
        assert verdict(program, 0x40000003, 11) == KILL
        if column == 0:
            assert verdict(program, architecture, 0x40000000 | 520) == KILL


def confined(code: str) -> object:
    """What a confined process found out, as JSON."""
    text = "import json\nfrom quizapp_sandbox import confine\nconfine.confine(cuda=False)\n" + textwrap.dedent(code)
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout)


@linux
class TestConfined:
    def test_limits(self) -> None:
        assert confined("""
            import resource
            names = ("CORE", "FSIZE", "NOFILE")
            print(json.dumps([resource.getrlimit(getattr(resource, f"RLIMIT_{name}"))[1] for name in names]))
        """) == [0, 64 << 20, 256]  # fmt: skip

    def test_memory(self) -> None:
        assert confined("""
            try:
                bytearray(4 << 30)
            except MemoryError:
                print(json.dumps("refused"))
        """) == "refused"  # fmt: skip

    def test_no_programs_no_namespaces_and_threads_as_ever(self) -> None:
        assert confined("""
            import ctypes, os, subprocess, threading
            found = []
            try:
                subprocess.run(["true"])
            except PermissionError:
                found.append("no programs")
            if ctypes.CDLL(None, use_errno=True).unshare(0x10000000) == -1:
                found.append("no namespaces")
            thread = threading.Thread(target=found.append, args=("threads",))
            thread.start()
            thread.join()
            child = os.fork()
            if child == 0:
                os._exit(7)
            found.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
            print(json.dumps(found))
        """) == ["no programs", "no namespaces", "threads", 7]  # fmt: skip

    def test_the_filter_holds_for_threads_that_run_already(self) -> None:
        code = """
            import socket, threading
            from quizapp_sandbox import confine
            go, found = threading.Event(), []

            def late():
                go.wait()
                try:
                    socket.socket(17, socket.SOCK_RAW)
                except PermissionError as error:
                    found.append(error.errno)

            thread = threading.Thread(target=late)
            thread.start()
            assert confine.refuse_system_calls()
            go.set()
            thread.join()
            assert found == [1], found
            import json
            print(json.dumps("held"))
        """
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(code)], capture_output=True, text=True, timeout=240, check=False
        )
        assert done.stdout.strip() == '"held"', done.stderr[-2000:]
