"""The filter of system calls, carried out as the kernel would; attacks try it in rooms."""

from __future__ import annotations

import errno
import struct

import pytest

from mlebench.sandbox.system_calls import filter_program

ALLOWED = 0x7FFF0000
REFUSED = 0x00050000
ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
I386 = 0x40000003


def answer(program: bytes, number: int, architecture: int, argument: int = 0) -> int:
    """What the filter says to a call."""
    steps = list(struct.iter_unpack("=HBBI", program))
    call = struct.pack("=iIQ6Q", number, architecture, 0, argument, 0, 0, 0, 0, 0)
    held, place = 0, 0
    while True:
        code, if_so, if_not, value = steps[place]
        place += 1
        if code == 0x06:
            return int(value)
        if code == 0x20:
            (held,) = struct.unpack_from("=I", call, value)
        elif code == 0x15:
            place += if_so if held == value else if_not
        elif code == 0x35:
            place += if_so if held >= value else if_not
        else:
            raise AssertionError(code)


@pytest.mark.parametrize(
    ("machine", "keyctl", "memory_file", "affinity", "socket", "read"),
    [("x86_64", 250, 319, 203, 41, 0), ("aarch64", 219, 279, 122, 198, 63)],
)
def test_filter(
    machine: str, keyctl: int, memory_file: int, affinity: int, socket: int, read: int
) -> None:
    program, own = filter_program(machine), ARCHITECTURES[machine]
    strict = filter_program(machine, keeps_processors=True)
    assert program is not None
    assert strict is not None
    assert answer(program, keyctl, own) == REFUSED | errno.EPERM
    assert answer(program, memory_file, own) == REFUSED | errno.ENOSYS
    assert answer(program, affinity, own) == ALLOWED
    assert answer(strict, affinity, own) == REFUSED | errno.EPERM
    assert answer(program, read, own) == ALLOWED
    for family, expected in ((1, ALLOWED), (2, ALLOWED), (40, REFUSED | errno.EAFNOSUPPORT)):
        assert answer(program, socket, own, family) == expected
        assert answer(program, socket, own, family | 1 << 32) == expected  # the kernel cuts it
    assert answer(program, read, I386) == REFUSED | errno.ENOSYS


def test_calls_by_another_convention_are_refused() -> None:
    program = filter_program("x86_64")
    assert program is not None
    for number in (0x40000000, 0x40000000 + 250, 0xFFFFFFFF - (1 << 32)):
        assert answer(program, number, ARCHITECTURES["x86_64"]) == REFUSED | errno.ENOSYS


def test_other_machines_have_no_filter() -> None:
    assert filter_program("riscv64") is None


@pytest.mark.parametrize(
    ("machine", "keyctl", "memory_file"), [("x86_64", 250, 319), ("aarch64", 219, 279)]
)
def test_where_memory_is_counted_its_hiding_places_stay(
    machine: str, keyctl: int, memory_file: int
) -> None:
    program, own = filter_program(machine, is_memory_counted=True), ARCHITECTURES[machine]
    assert program is not None
    assert answer(program, memory_file, own) == ALLOWED
    assert answer(program, keyctl, own) == REFUSED | errno.EPERM
