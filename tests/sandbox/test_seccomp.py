"""The filter of kernel calls, step by step, as the kernel would read it."""

import struct

import pytest

from affidavit.sandbox.seccomp import ALLOW, ERRNO, KILL, MACHINES, REFUSED, UNKNOWN, filter_program


def decide(machine: str, number: int, *arguments: int, mark: int | None = None) -> int:
    """What the kernel's own small machine would answer."""
    rules = filter_program(machine)
    assert rules is not None
    steps = list(struct.iter_unpack("=HBBI", rules))
    seen = {0: number, 4: MACHINES[machine].mark if mark is None else mark}
    seen |= {16 + 8 * at: value for at, value in enumerate([*arguments, 0, 0, 0, 0][:6])}
    at = register = 0
    while True:
        code, if_true, if_false, value = steps[at]
        at += 1
        if code == 0x20:
            register = seen[value]
        elif code == 0x54:
            register &= value
        elif code == 0x06:
            return value
        else:
            holds = register == value if code == 0x15 else register >= value
            at += if_true if holds else if_false


@pytest.mark.parametrize("machine", MACHINES)
def test_every_call_that_is_named_is_refused(machine: str) -> None:
    numbers = MACHINES[machine].numbers
    assert {decide(machine, numbers[name]) for name in REFUSED.split()} == {ERRNO | 1}
    assert {decide(machine, numbers[name]) for name in UNKNOWN.split()} == {ERRNO | 38}


@pytest.mark.parametrize("machine", MACHINES)
def test_sockets_that_could_leave_the_sandbox_do_not_exist(machine: str) -> None:
    socket = MACHINES[machine].numbers["socket"]
    allowed = [kind for kind in range(64) if decide(machine, socket, kind) == ALLOW]
    assert allowed == [1, 2, 10, 16]
    assert decide(machine, socket, 40) == ERRNO | 97


@pytest.mark.parametrize("machine", MACHINES)
def test_nothing_can_be_typed_into_a_terminal(machine: str) -> None:
    ioctl = MACHINES[machine].numbers["ioctl"]
    assert decide(machine, ioctl, 0, 0x5412) == ERRNO | 1
    assert decide(machine, ioctl, 0, 0x541C) == ERRNO | 1
    assert decide(machine, ioctl, 0, 0x5401) == ALLOW


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    ("flags", "is_refused"),
    [
        (0x21, True),
        (0x1 | 0x20 | 0x40000, True),
        (0x22, False),
        (0x1, False),
        (0x2, False),
        (0x22 | 0x4000, False),
    ],
)
def test_memory_that_is_shared_and_of_no_file_is_refused(machine: str, flags: int, is_refused: bool) -> None:
    mmap = MACHINES[machine].numbers["mmap"]
    assert decide(machine, mmap, 0, 4096, 3, flags) == (ERRNO | 1 if is_refused else ALLOW)


def test_ordinary_calls_are_allowed() -> None:
    assert {decide("x86_64", number) for number in (0, 1, 2, 9, 56, 57, 59, 61, 231)} == {ALLOW}


def test_calls_by_the_numbers_of_another_machine_end_the_program() -> None:
    assert decide("x86_64", 1, mark=0x40000003) == KILL
    assert decide("x86_64", 0x40000000 + 41, 40) == ERRNO | 38


def test_there_is_no_filter_for_a_machine_that_is_not_known() -> None:
    assert filter_program("sparc64") is None
