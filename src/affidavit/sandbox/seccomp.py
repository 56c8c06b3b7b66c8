"""Filter the kernel calls of a program, in the form that the kernel reads.

Namespaces leave some doors open: sockets to the machine's host (vsock), the user's keyrings, memory that
belongs to no process, and parts of the kernel in which many errors were found. They are shut here. Anonymous
memory that processes share is such memory: a program can take its pages out of its own account and keep them.
"""

import platform
import struct
from dataclasses import dataclass

EPERM, ENOSYS, EAFNOSUPPORT = 1, 38, 97
UNIX, INET, INET6, NETLINK = 1, 2, 10, 16
SOCKETS = (UNIX, INET, INET6, NETLINK)
"""Kinds of sockets that end at the sandbox's own network."""
FORGE_INPUT = (0x5412, 0x541C)
"""Requests that fake the user's typing in a terminal."""
X32 = 0x40000000
"""The calls of x86's second interface, which the filter of numbers would miss."""
ALLOW, KILL, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
LOAD, JUMP_IF, JUMP_FROM, RETURN = 0x20, 0x15, 0x35, 0x06
MASK = 0x54
NUMBER, ARCHITECTURE, FIRST, SECOND, FOURTH = 0, 4, 16, 24, 40
SHARED_ANONYMOUS, KIND_OF_MAPPING = 0x21, 0x2F
"""The flags of shared memory without a file, and the mask for them."""

REFUSED = (
    "add_key request_key keyctl bpf perf_event_open kexec_load kexec_file_load open_by_handle_at mount "
    "umount2 pivot_root move_mount open_tree fsopen fsconfig fsmount mount_setattr setns unshare syslog "
    "acct swapon reboot init_module finit_module delete_module quotactl "
    "ptrace process_vm_writev"
)
UNKNOWN = (
    "memfd_create memfd_secret shmget msgget userfaultfd io_uring_setup io_uring_enter io_uring_register"
)
"""Answered as by an older kernel, so that programs use something else."""


@dataclass(frozen=True)
class Machine:
    """The numbers of the calls on one kind of processor."""

    mark: int
    numbers: dict[str, int]


SAME_EVERYWHERE = {
    "memfd_secret": 447,
    "io_uring_setup": 425,
    "io_uring_enter": 426,
    "io_uring_register": 427,
    "open_tree": 428,
    "move_mount": 429,
    "fsopen": 430,
    "fsconfig": 431,
    "fsmount": 432,
    "mount_setattr": 442,
}
NAMES = (
    "socket ioctl add_key request_key keyctl memfd_create shmget msgget bpf perf_event_open userfaultfd "
    "kexec_load kexec_file_load open_by_handle_at mount umount2 pivot_root setns unshare syslog acct swapon "
    "reboot init_module finit_module delete_module quotactl ptrace process_vm_writev mmap"
)
X86_64 = (
    "41 16 248 249 250 319 29 68 321 298 323 246 320 304 165 166 155 308 272 103 163 167 169 175 313 176 179 "
    "101 311 9"
)
AARCH64 = (
    "198 29 217 218 219 279 194 186 280 241 282 104 294 265 40 39 41 268 97 116 89 224 142 105 273 106 60 "
    "117 271 222"
)


def _machine(mark: int, numbers: str) -> Machine:
    own = dict(zip(NAMES.split(), (int(number) for number in numbers.split()), strict=True))
    return Machine(mark, {**SAME_EVERYWHERE, **own})


MACHINES = {"x86_64": _machine(0xC000003E, X86_64), "aarch64": _machine(0xC00000B7, AARCH64)}


def filter_program(machine: str | None = None) -> bytes | None:
    """Return the filter for a kind of processor, this one by default; None if none is known."""
    known = MACHINES.get(machine or platform.machine())
    if known is None:
        return None
    rules = [
        _load(ARCHITECTURE),
        _unless(known.mark, 1, _return(KILL)),
        _load(NUMBER),
    ]
    steps = b"".join(rules)
    if known is MACHINES["x86_64"]:
        steps += _step(JUMP_FROM, 0, 1, X32) + _return(ERRNO | ENOSYS)
    for name in REFUSED.split():
        steps += _answer(known.numbers[name], EPERM)
    for name in UNKNOWN.split():
        steps += _answer(known.numbers[name], ENOSYS)
    return steps + _shared_memory(known) + _sockets(known) + _requests(known) + _return(ALLOW)


def _shared_memory(machine: Machine) -> bytes:
    """Refuse shared mappings without a file."""
    asked = _load(FOURTH) + _step(MASK, 0, 0, KIND_OF_MAPPING)
    body = asked + _step(JUMP_IF, 0, 1, SHARED_ANONYMOUS) + _return(ERRNO | EPERM) + _return(ALLOW)
    return _step(JUMP_IF, 0, len(body) // 8, machine.numbers["mmap"]) + body


def _sockets(machine: Machine) -> bytes:
    """Refuse sockets of other kinds, as if this machine lacked them."""
    allowed = b"".join(_step(JUMP_IF, len(SOCKETS) - at, 0, kind) for at, kind in enumerate(SOCKETS))
    body = _load(FIRST) + allowed + _return(ERRNO | EAFNOSUPPORT) + _return(ALLOW)
    return _step(JUMP_IF, 0, len(body) // 8, machine.numbers["socket"]) + body


def _requests(machine: Machine) -> bytes:
    refused = b"".join(_step(JUMP_IF, len(FORGE_INPUT) - at, 0, one) for at, one in enumerate(FORGE_INPUT))
    body = _load(SECOND) + refused + _return(ALLOW) + _return(ERRNO | EPERM)
    return _step(JUMP_IF, 0, len(body) // 8, machine.numbers["ioctl"]) + body


def _answer(number: int, error: int) -> bytes:
    return _step(JUMP_IF, 0, 1, number) + _return(ERRNO | error)


def _unless(value: int, skip: int, otherwise: bytes) -> bytes:
    return _step(JUMP_IF, skip, 0, value) + otherwise


def _load(offset: int) -> bytes:
    return _step(LOAD, 0, 0, offset)


def _return(value: int) -> bytes:
    return _step(RETURN, 0, 0, value)


def _step(code: int, if_true: int, if_false: int, value: int) -> bytes:
    return struct.pack("=HBBI", code, if_true, if_false, value)
