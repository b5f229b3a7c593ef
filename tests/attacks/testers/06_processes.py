# ruff: noqa
"""Opens what /proc has of every other process, and traces and reads them; it raises where one lets it."""

import ctypes
import os
import signal

LIBC = ctypes.CDLL(None, use_errno=True)


def _open(process):
    for name in ("mem", "maps", "environ", "fd/3", "fd/4", "fd/5", "syscall", "stack", "auxv"):
        try:
            with open(f"/proc/{process}/{name}", "rb") as file:
                if name == "mem":
                    return name
                if file.read(1):
                    return name
        except OSError:
            pass
    if LIBC.ptrace(16, process, 0, 0) == 0:  # PTRACE_ATTACH
        return "ptrace"
    buffer = ctypes.create_string_buffer(8)
    local = (ctypes.c_void_p * 2)(ctypes.addressof(buffer), 8)
    remote = (ctypes.c_void_p * 2)(id(LIBC), 8)
    if LIBC.process_vm_readv(process, local, 1, remote, 1, 0) > 0:
        return "process_vm_readv"
    descriptor = LIBC.syscall(434, process, 0)  # pidfd_open
    if descriptor >= 0 and LIBC.syscall(438, descriptor, 3, 0) >= 0:  # pidfd_getfd
        return "pidfd_getfd"
    return None


def is_right(train_step, group):
    others = [int(name) for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()]
    opened = {process: way for process in others if (way := _open(process)) is not None}
    if opened or not others:
        raise AssertionError(f"of {others} these can be read: {opened}")
    return True
