"""What a rank takes from itself before it runs a learner's code: system calls, memory, files. Linux; elsewhere the rlimits alone.

The container's own limits stand behind this; here are those that an engine may lack (vsock, io_uring) and those that the local
backend would otherwise lack altogether.
"""

import contextlib
import ctypes
import os
import platform
import resource
import struct
import sys
from collections.abc import Iterator

GIB = 1 << 30
MAX_ADDRESS_SPACE_GROWTH = 3 * GIB
MAX_FILE_BYTES = 64 << 20
MAX_OPEN_FILES = 256
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_CHILD_SUBREAPER = 1, 4, 38, 36
_SIGKILL = 9
_EPERM, _ENOSYS = 1, 38

# name -> (x86_64 number, aarch64 number); None where the architecture has no such call
_REFUSED: dict[str, tuple[int | None, int | None]] = {
    "ptrace": (101, 117), "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272),
    "pidfd_getfd": (438, 438), "execve": (59, 221), "execveat": (322, 281), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "keyctl": (250, 219), "add_key": (248, 217), "request_key": (249, 218), "unshare": (272, 97), "setns": (308, 268),
    "mount": (165, 40), "umount2": (166, 39), "pivot_root": (155, 41), "chroot": (161, 51), "open_tree": (428, 428),
    "move_mount": (429, 429), "fsopen": (430, 430), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "shmget": (29, 194), "shmat": (30, 196), "msgget": (68, 186), "semget": (64, 190), "mq_open": (240, 180),
    "kexec_load": (246, 104), "reboot": (169, 142),
    "init_module": (175, 105), "finit_module": (313, 273), "delete_module": (176, 106),
    "swapon": (167, 224), "acct": (163, 89), "settimeofday": (164, 170), "clock_settime": (227, 112),
    "mount_setattr": (442, 442), "fsconfig": (431, 431), "fsmount": (432, 432), "fspick": (433, 433), "fanotify_init": (300, 262),
    "syslog": (103, 116), "quotactl": (179, 60), "modify_ldt": (154, None), "iopl": (172, None), "ioperm": (173, None),
    "personality": (135, 92), "io_setup": (206, 0),  # the machine has a bounded number of its contexts
}  # fmt: skip
_OF_OTHERS: dict[str, tuple[int, int]] = {
    "prlimit64": (302, 261), "sched_setscheduler": (144, 119), "sched_setparam": (142, 118), "sched_setattr": (314, 274),
}  # fmt: skip
"""Refused but for the caller itself, process 0: of their user's other processes they could starve the agent."""
_SOCKET = (41, 198)
_SECCOMP, _SET_MODE_FILTER, _ALL_THREADS = (317, 277), 1, 1
_CLONE, _CLONE3 = (56, 220), (435, 435)
_NEW_NAMESPACES = 0x7E020000
"""The flags of ``clone`` that make a user, mount, process, network, IPC, UTS or cgroup namespace."""
_UNIX, _INTERNET = 1, (2, 10)
"""AF_UNIX, AF_INET, AF_INET6: what gloo and NCCL use. Not AF_VSOCK, AF_ALG, AF_PACKET."""
_TRANSPORTS = (0, 6, 17)
"""Of the internet families TCP and UDP. Others (MPTCP, SCTP, DCCP) the kernel may have to load first, and they may outlive us."""
_NETLINK, _NETLINK_ROUTE = 16, 0
"""Of AF_NETLINK only the protocol by which ``getifaddrs`` lists interfaces: gloo asks for them whenever a subgroup is formed."""
_ARCHITECTURES = {"x86_64": (0, 0xC000003E), "aarch64": (1, 0xC00000B7)}


def _prctl(option: int, value: int, extra: object = 0) -> int:
    if not sys.platform.startswith("linux"):
        return -1
    return int(ctypes.CDLL(None, use_errno=True).prctl(option, value, extra, 0, 0))


def die_with_parent() -> None:
    """Linux: killed when the process that forked this one goes."""
    _prctl(_PR_SET_PDEATHSIG, _SIGKILL)


def hide_memory() -> None:
    """Linux: other processes of the same user can't read this one's memory, environment or descriptors."""
    _prctl(_PR_SET_DUMPABLE, 0)


def adopt_orphans() -> None:
    """Linux: descendants whose parent died become this process's children, so that none is left behind."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


@contextlib.contextmanager
def acting_as(uid: int) -> Iterator[None]:
    """Linux, for root: what is made meanwhile belongs to that user and group."""
    group, user = os.getegid(), os.geteuid()
    os.setegid(uid)
    os.seteuid(uid)
    try:
        yield
    finally:
        os.seteuid(user)
        os.setegid(group)
        die_with_parent()  # is forgotten with each change of the user


def become(uid: int) -> None:
    """Linux, for root: this process is that user and group from now on, has no capability, and is the first to go when memory is
    short. There is no way back.

    Raises:
        OSError: the system refuses. RuntimeError: something is left of what it was.
    """
    with open("/proc/self/oom_score_adj", "w", encoding="ascii") as file:
        file.write("1000")
    os.setgroups([])
    os.setresgid(uid, uid, uid)
    os.setresuid(uid, uid, uid)
    with open("/proc/self/status", encoding="ascii", errors="replace") as file:
        told = dict(line.split(":", 1) for line in file)
    left = [name for name in ("CapInh", "CapPrm", "CapEff", "CapAmb") if int(told[name], 16)]
    if left or os.getresuid() != (uid,) * 3 or os.getresgid() != (uid,) * 3 or os.getgroups():
        raise RuntimeError(f"the user {uid} has more rights than it should: {', '.join(left) or 'a user or group of before'}")


def _filter_program(column: int, architecture: int) -> bytes:
    """A classic BPF program over ``seccomp_data``: EPERM for what is refused, the rest allowed."""
    load, equal, at_least, any_bit, ret = 0x20, 0x15, 0x35, 0x45, 0x06
    allow, refuse, kill = 0x7FFF0000, 0x00050000 | _EPERM, 0x80000000
    code: list[tuple[int, int, int, int]] = [(load, 0, 0, 4), (equal, 1, 0, architecture), (ret, 0, 0, kill), (load, 0, 0, 0)]
    if column == 0:
        code += [(at_least, 0, 1, 0x40000000), (ret, 0, 0, kill)]  # the x32 table would be a way round
    for number in (numbers[column] for numbers in _REFUSED.values()):
        if number is not None:
            code += [(equal, 0, 1, number), (ret, 0, 0, refuse)]
    for numbers in _OF_OTHERS.values():
        code += [(equal, 0, 4, numbers[column]), (load, 0, 0, 16), (equal, 1, 0, 0), (ret, 0, 0, refuse), (ret, 0, 0, allow)]
    # clone3 keeps its flags in memory, where no filter sees them; without it the C library falls back on clone.
    code += [(equal, 0, 1, _CLONE3[column]), (ret, 0, 0, 0x00050000 | _ENOSYS)]
    code += [
        (equal, 0, 4, _CLONE[column]),
        (load, 0, 0, 16),
        (any_bit, 0, 1, _NEW_NAMESPACES),
        (ret, 0, 0, refuse),
        (ret, 0, 0, allow),
    ]
    code += [(equal, 0, 12, _SOCKET[column]), (load, 0, 0, 16), (equal, 10, 0, _UNIX)]
    code += [(equal, 4 - index, 0, family) for index, family in enumerate(_INTERNET)]
    code += [(equal, 0, 6, _NETLINK), (load, 0, 0, 32), (equal, 5, 4, _NETLINK_ROUTE), (load, 0, 0, 32)]
    code += [(equal, 3 - index, 0, transport) for index, transport in enumerate(_TRANSPORTS)]
    code += [(ret, 0, 0, refuse), (ret, 0, 0, allow)]
    return b"".join(struct.pack("<HBBI", *instruction) for instruction in code)


def refuse_system_calls() -> bool:
    """Installs the filter for this process and all it starts. ``False`` where the platform has no such filter."""
    known = _ARCHITECTURES.get(platform.machine())
    if not sys.platform.startswith("linux") or known is None or sys.byteorder != "little":
        return False
    program = _filter_program(*known)
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("filter", ctypes.c_void_p))

    structure = Program(len(program) // 8, ctypes.addressof(buffer))
    if _prctl(_PR_SET_NO_NEW_PRIVS, 1) != 0:
        return False
    # For the threads that gloo or NCCL has started already, too.
    libc = ctypes.CDLL(None, use_errno=True)
    return int(libc.syscall(_SECCOMP[known[0]], _SET_MODE_FILTER, _ALL_THREADS, ctypes.byref(structure))) == 0


def _lower(limit: int, value: int) -> None:
    _, hard = resource.getrlimit(limit)
    bounded = value if hard == resource.RLIM_INFINITY else min(value, hard)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(limit, (bounded, bounded))


def _address_space() -> int | None:
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return None


def confine(cuda: bool) -> bool:
    """Applies every limit to this rank. Irreversible. With CUDA the address space stays unlimited: it reserves terabytes.

    Returns:
        Whether system calls are refused.
    """
    _lower(resource.RLIMIT_CORE, 0)
    _lower(resource.RLIMIT_FSIZE, MAX_FILE_BYTES)
    _lower(resource.RLIMIT_NOFILE, MAX_OPEN_FILES if not cuda else 4096)
    current = _address_space()
    if current is not None and not cuda:
        _lower(resource.RLIMIT_AS, current + MAX_ADDRESS_SPACE_GROWTH)
    hide_memory()
    return refuse_system_calls()
