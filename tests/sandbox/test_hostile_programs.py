"""Programs that try to get out, each against the wall and against the place where the wall was."""

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from affidavit.sandbox.bubblewrap import Bubblewrap
from affidavit.sandbox.job import Ended
from affidavit.sandbox.supervision import usage_of
from sandbox_walls import without_wall

Run = Callable[..., Ended]
HARMLESS = """
def tried(attempt):
    try:
        found = attempt()
    except Exception as error:
        print("held:", type(error).__name__, error)
    else:
        print("BREACH", found)
"""
SYSCALL = """
import ctypes, os, platform
libc = ctypes.CDLL(None, use_errno=True)
def call(*numbers):
    done = libc.syscall(*(ctypes.c_long(number) for number in numbers))
    if done < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return done
IS_X86 = platform.machine() == "x86_64"
"""


def program(text: str) -> str:
    return "import os, socket, sys\n" + HARMLESS + SYSCALL + text


CONNECT = program("""
def attempt():
    kind = socket.AF_INET if sys.argv[1].isdigit() else socket.AF_UNIX
    place = ("127.0.0.1", int(sys.argv[1])) if kind == socket.AF_INET else sys.argv[1].replace("@", chr(0))
    with socket.socket(kind, socket.SOCK_STREAM) as one:
        one.settimeout(5)
        one.connect(place)
        return one.recv(100)
tried(attempt)
""")
READ = program("tried(lambda: open(sys.argv[1]).read())")
ENVIRON = program('tried(lambda: os.environ["AFFIDAVIT_OUTSIDE"])')
OF_ANOTHER = program('tried(lambda: open(f"/proc/{sys.argv[1]}/cmdline").read())')
SIGNAL = program("tried(lambda: os.kill(int(sys.argv[1]), 0))")
WRITE = program('tried(lambda: open("/affidavit/source/written", "w"))')
WRITE_ROOT = program('tried(lambda: open("/written", "w"))')
WRITE_DEVICES = program('tried(lambda: open("/dev/written", "w"))')
KEYS = program("tried(lambda: call(250 if IS_X86 else 219, 0, -3, 0))")
HIDDEN_MEMORY = program("tried(lambda: call(319 if IS_X86 else 279, id(b'x'), 0))")
UNSHARE = program("tried(lambda: call(272 if IS_X86 else 97, 0x10000000))")
VIRTUAL_SOCKET = program("tried(lambda: socket.socket(40, socket.SOCK_STREAM))")
RIGHTS = program("""
status = dict(line.split(":", 1) for line in open("/proc/self/status"))
print("RIGHTS", status["NoNewPrivs"].strip(), int(status["CapEff"], 16), int(status["CapBnd"], 16))
for name in ("/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname"):
    tried(lambda: open(name, "a"))
""")


@pytest.fixture
def listener() -> Iterator[int]:
    """A service of this machine that greets whoever comes."""
    yield from _serve(socket.AF_INET, ("127.0.0.1", 0))


@pytest.fixture
def abstract_listener() -> Iterator[str]:
    name = f"affidavit-test-{os.getpid()}"
    for _ in _serve(socket.AF_UNIX, f"\0{name}"):
        yield f"@{name}"


@pytest.fixture
def socket_file(tmp_path: Path) -> Iterator[Path]:
    (tmp_path / "service").mkdir()
    place = tmp_path / "service" / "s"
    for _ in _serve(socket.AF_UNIX, str(place)):
        yield place


def _serve(kind: int, place: object) -> Iterator[int]:
    with socket.socket(kind, socket.SOCK_STREAM) as service:
        service.bind(place)
        service.listen()
        service.settimeout(0.1)
        over = threading.Event()

        def greet() -> None:
            while not over.is_set():
                try:
                    guest, _ = service.accept()
                except TimeoutError:
                    continue
                with guest:
                    guest.sendall(b"from outside")

        thread = threading.Thread(target=greet)
        thread.start()
        yield service.getsockname()[1] if kind == socket.AF_INET else 0
        over.set()
        thread.join()


def assert_held(ended: Ended) -> None:
    said = ended.output.decode(errors="replace")
    assert ended.state == "exited", (ended, said)
    assert "held:" in said
    assert "BREACH" not in said


def assert_breached(ended: Ended) -> None:
    assert "BREACH" in ended.output.decode(errors="replace"), ended


def test_a_service_of_the_machine_is_not_reached(sandbox: Bubblewrap, run: Run, listener: int) -> None:
    assert_held(run(sandbox, CONNECT, str(listener)))


def test_a_service_is_reached_where_the_network_is_shared(
    sandbox: Bubblewrap, run: Run, listener: int
) -> None:
    assert_breached(run(without_wall(sandbox, "--unshare-net"), CONNECT, str(listener)))


def test_an_abstract_socket_is_not_reached(sandbox: Bubblewrap, run: Run, abstract_listener: str) -> None:
    assert_held(run(sandbox, CONNECT, abstract_listener))


def test_an_abstract_socket_is_reached_where_the_network_is_shared(
    sandbox: Bubblewrap, run: Run, abstract_listener: str
) -> None:
    assert_breached(run(without_wall(sandbox, "--unshare-net"), CONNECT, abstract_listener))


def test_a_socket_file_is_not_there(sandbox: Bubblewrap, run: Run, socket_file: Path) -> None:
    assert_held(run(sandbox, CONNECT, str(socket_file)))


def test_a_socket_file_is_reached_where_its_folder_is_shown(
    sandbox: Bubblewrap, run: Run, socket_file: Path
) -> None:
    assert_breached(run(sandbox, CONNECT, str(socket_file), mounts=[socket_file.parent]))


def test_a_question_for_a_name_leaves_by_no_way(sandbox: Bubblewrap, run: Run) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as resolver:
        resolver.bind(("127.0.0.1", 0))
        resolver.settimeout(0.3)
        port = str(resolver.getsockname()[1])
        ask = program(
            "socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'?', ('127.0.0.1', int(sys.argv[1])))"
            "\ntried(lambda: socket.getaddrinfo('example.org', 80))"
        )
        assert_held(run(sandbox, ask, port))
        with pytest.raises(TimeoutError):
            resolver.recv(10)
        run(without_wall(sandbox, "--unshare-net"), ask, port)
        assert resolver.recv(10) == b"?"


def test_a_socket_to_the_host_of_a_virtual_machine_is_refused(sandbox: Bubblewrap, run: Run) -> None:
    ended = run(sandbox, VIRTUAL_SOCKET)
    assert_held(ended)
    assert b"Address family not supported" in ended.output


def test_a_file_of_the_user_is_not_there(sandbox: Bubblewrap, run: Run, tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "key").write_text("private")
    place = str(tmp_path / "home" / "key")
    assert_held(run(sandbox, READ, place))
    assert_breached(run(sandbox, READ, place, mounts=[tmp_path / "home"]))


@pytest.mark.parametrize(
    "place", ["/etc/shadow", "/etc/subuid", "/root/.bashrc", "/var/lib", "/sys/kernel", "/run"]
)
def test_no_file_of_the_machine_is_there_but_programs_and_libraries(
    sandbox: Bubblewrap, run: Run, place: str
) -> None:
    assert_held(run(sandbox, READ, place))


def test_the_users_of_the_machine_are_not_known(sandbox: Bubblewrap, run: Run) -> None:
    said = run(sandbox, "print(open('/etc/passwd').read(), 'READ')").output.decode()
    assert "READ" in said
    assert not [line for line in Path("/etc/passwd").read_text().splitlines() if line in said]


def test_the_environment_of_the_user_is_not_seen(sandbox: Bubblewrap, run: Run) -> None:
    assert_held(run(sandbox, ENVIRON))
    assert_breached(run(without_wall(sandbox, "--clearenv"), ENVIRON))


@pytest.mark.parametrize("text", [OF_ANOTHER, SIGNAL])
def test_no_other_process_is_seen_or_signalled(sandbox: Bubblewrap, run: Run, text: str) -> None:
    other = str(os.getpid())
    assert_held(run(sandbox, text, other))
    assert_breached(run(without_wall(sandbox, "--unshare-pid"), text, other, tasks=10**6, memory_mb=10**6))


@pytest.mark.parametrize(
    ("text", "instead"), [(WRITE, "--ro-bind"), (WRITE_ROOT, "--remount-ro"), (WRITE_DEVICES, "--remount-ro")]
)
def test_nothing_is_written_outside_of_its_own_places(
    sandbox: Bubblewrap, run: Run, text: str, instead: str
) -> None:
    assert_held(run(sandbox, text))
    assert_breached(run(without_wall(sandbox, instead), text))


@pytest.mark.parametrize("text", [KEYS, HIDDEN_MEMORY])
def test_what_namespaces_leave_open_is_shut(sandbox: Bubblewrap, run: Run, text: str) -> None:
    assert_held(run(sandbox, text))
    assert_breached(run(without_wall(sandbox, "--seccomp"), text))


def test_no_namespace_in_which_to_mount_something_can_be_made(sandbox: Bubblewrap, run: Run) -> None:
    assert_held(run(sandbox, UNSHARE))
    assert_held(run(without_wall(sandbox, "--seccomp"), UNSHARE))
    assert_breached(run(without_wall(sandbox, "--seccomp", "--disable-userns"), UNSHARE))


def test_there_are_no_rights_and_none_to_be_gained(sandbox: Bubblewrap, run: Run) -> None:
    ended = run(sandbox, RIGHTS)
    assert_held(ended)
    assert b"RIGHTS 1 0 0" in ended.output


@pytest.mark.skipif(os.getuid() != 0, reason="only where root runs it are the kernel's settings its own")
def test_without_their_wall_the_settings_of_the_kernel_can_be_written_where_we_are_root(
    sandbox: Bubblewrap, run: Run
) -> None:
    assert_breached(run(without_wall(sandbox, "--remount-ro"), RIGHTS))


def test_nothing_is_open_but_the_three_usual_files(sandbox: Bubblewrap, run: Run) -> None:
    ended = run(
        sandbox, "import os; print(sorted(os.listdir('/proc/self/fd'))[:3], len(os.listdir('/proc/self/fd')))"
    )
    assert ended.output == b"['0', '1', '2'] 4\n"


BOMB = """
import os, sys, time
started = 0
for _ in range(60):
    try:
        if os.fork() == 0:
            time.sleep(5)
            os._exit(0)
    except OSError:
        break
    started += 1
time.sleep(1)
print("started", started)
"""


def test_a_fork_bomb_is_held(sandbox: Bubblewrap, run: Run) -> None:
    ended = run(sandbox, BOMB, tasks=20)
    assert ended.state == "too_many_processes" or b"started 60" not in ended.output
    assert b"started 60" in run(sandbox, BOMB, tasks=200).output


def test_a_bomb_that_never_ends_is_ended(sandbox: Bubblewrap, run: Run) -> None:
    started = time.monotonic()
    text = "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        pass\n"
    ended = run(sandbox, text, seconds=1, tasks=40)
    assert ended.state in ("timed_out", "too_many_processes")
    assert time.monotonic() - started < 30


@pytest.mark.parametrize(
    "text",
    [
        "kept = bytes([1]) * (200 * 1024 * 1024)",
        "import mmap; kept = mmap.mmap(-1, 200 << 20, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)\n"
        "for at in range(0, 200 << 20, 4096): kept[at] = 1",
    ],
)
def test_memory_is_limited(sandbox: Bubblewrap, run: Run, text: str) -> None:
    text += "\nimport time; time.sleep(2); print('all of it')"
    assert run(sandbox, text, memory_mb=80).state == "out_of_memory"
    ended = run(sandbox, text, memory_mb=1000, seconds=60)
    assert ended.output == b"all of it\n", ended


SHARED_MEMORY = program("""
import mmap
def attempt():
    kept = mmap.mmap(-1, 1 << 20)
    kept[:] = b"x" * (1 << 20)
    kept.madvise(mmap.MADV_DONTNEED)
    return kept[5]
tried(attempt)
""")
SHARED_ZEROS = program("""
import mmap
tried(lambda: mmap.mmap(os.open("/dev/zero", os.O_RDWR), 1 << 20)[5])
""")


@pytest.mark.parametrize(("text", "wall"), [(SHARED_MEMORY, "--seccomp"), (SHARED_ZEROS, "--dev-bind")])
def test_no_memory_is_kept_that_belongs_to_no_process(
    sandbox: Bubblewrap, run: Run, text: str, wall: str
) -> None:
    assert_held(run(sandbox, text))
    assert_breached(run(without_wall(sandbox, wall), text))


def test_programs_of_several_processes_share_what_lies_in_files(sandbox: Bubblewrap, run: Run) -> None:
    text = """
from multiprocessing import Array, Process, Value, shared_memory
def add(number, numbers):
    with number.get_lock():
        number.value += 1
    numbers[0] += 1
number, numbers = Value("i", 0), Array("i", 2)
one = Process(target=add, args=(number, numbers))
one.start(), one.join()
shared = shared_memory.SharedMemory(create=True, size=100)
shared.unlink()
print(number.value, numbers[:], len(open("/dev/zero", "rb").read(3)))
"""
    assert run(sandbox, text).output == b"1 [1, 0] 3\n"


def test_what_is_swapped_out_or_kept_in_tables_is_counted(tmp_path: Path) -> None:
    sizes = {"VmRSS": 999, "RssAnon": 1, "RssFile": 999, "RssShmem": 2, "VmSwap": 4, "VmPTE": 8}
    lines = [f"{name}:\t{size:8} kB" for name, size in {**sizes, "HugetlbPages": 16}.items()]
    (tmp_path / "status").write_text("\n".join([*lines, "Threads:\t3"]))
    assert usage_of(tmp_path / "status") == (3, 31 * 1024)


@pytest.mark.parametrize("folder", ["/side", "/tmp", "/dev/shm"])
def test_disk_is_limited(sandbox: Bubblewrap, run: Run, folder: str) -> None:
    text = program(f"tried(lambda: open('{folder}/full', 'wb').write(bytes(48 * 1024 * 1024)))")
    assert_held(run(sandbox, text, disk_mb=16))
    assert_breached(run(sandbox, text, disk_mb=96))


def test_many_files_fill_no_more_than_one(sandbox: Bubblewrap, run: Run) -> None:
    text = program("""
def attempt():
    for number in range(12):
        with open(f"/side/part{number}", "wb") as file:
            file.write(bytes(4 * 1024 * 1024))
tried(attempt)
""")
    assert_held(run(sandbox, text, disk_mb=16))


def test_output_is_limited(sandbox: Bubblewrap, run: Run) -> None:
    text = "import sys\nfor _ in range(4000): sys.stdout.write('x' * 1000)"
    ended = run(sandbox, text, output_kb=64)
    assert ended.state == "flooded"
    assert len(ended.output) == 64 * 1024
    assert run(sandbox, text, output_kb=8000).state == "exited"


def _processes_named(mark: str) -> list[int]:
    found = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and mark.encode() in (place / "cmdline").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found


DAEMON = """
import os, sys, time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        for handle in (0, 1, 2):
            os.close(handle)
        os.execvp("sleep", ["sleep", sys.argv[1]])
    os._exit(0)
time.sleep(0.5)
print("left one behind")
"""


def test_a_process_that_outlives_its_parent_ends_with_the_run(sandbox: Bubblewrap, run: Run) -> None:
    mark = f"3{os.getpid()}.25"
    assert run(sandbox, DAEMON, mark).output == b"left one behind\n"
    assert _processes_named(mark) == []
    run(without_wall(sandbox, "--unshare-pid"), DAEMON, mark, tasks=10**6, memory_mb=10**6)
    left = _processes_named(mark)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert left


def test_a_process_that_ignores_signals_is_ended(sandbox: Bubblewrap, run: Run) -> None:
    mark = f"4{os.getpid()}.25"
    text = """
import os, signal, sys
for number in set(signal.Signals) - {signal.SIGKILL, signal.SIGSTOP}:
    signal.signal(number, signal.SIG_IGN)
if os.fork() == 0:
    os.setsid()
os.execvp("sleep", ["sleep", sys.argv[1]])
"""
    assert run(sandbox, text, mark, seconds=1).state == "timed_out"
    assert _processes_named(mark) == []


def test_a_program_that_closes_its_outputs_is_still_timed(sandbox: Bubblewrap, run: Run) -> None:
    text = "import os, time; os.close(1); os.close(2); time.sleep(60)"
    assert run(sandbox, text, seconds=0.5).state == "timed_out"


def test_a_program_cannot_say_that_it_was_ready_before_it_began(sandbox: Bubblewrap, run: Run) -> None:
    ended = run(sandbox, "print('affidavit-ready-0123456789abcdef01234567')")
    assert ended.output == b"affidavit-ready-0123456789abcdef01234567\n"


def test_what_a_run_writes_is_gone_afterwards(sandbox: Bubblewrap, run: Run) -> None:
    assert (
        run(sandbox, "open('a.txt', 'a').write('more'); print(open('a.txt').read())").output.count(b"more")
        == 1
    )
    assert b"more" not in run(sandbox, "print(open('a.txt').read())").output
