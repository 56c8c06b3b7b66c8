"""Like `python -m NAME …`, in a fork of a process that has loaded it: stands in for it until it ends."""

import json
import os
import signal
import socket
import sys


def main(address: str, name: str, *arguments: str) -> int:
    """The exit code of the module."""
    with socket.socket(socket.AF_UNIX) as asking:
        asking.connect(address)
        given = _given_files(asking.fileno())
        socket.send_fds(asking, [b"."], given)
        for number in given:
            os.close(number)
        request = {
            "module": name,
            "command": [name, *arguments],
            "cwd": os.getcwd(),  # noqa: PTH109 - pathlib takes longer to load than all of this
            "env": dict(os.environ),
            "numbers": given,
            "is_own_session": True,
            "python": None,
        }
        asking.sendall(json.dumps(request).encode() + b"\n")
        with asking.makefile("r") as lines:
            process = int(lines.readline())
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                signal.signal(number, lambda number, _: os.kill(process, number))
            return int(lines.readline())


def _given_files(own: int) -> list[int]:
    """All that was opened before this began; where one of them is closed, it is closed for the other, too."""
    numbers = [int(name) for name in os.listdir("/proc/self/fd")]  # noqa: PTH208 - as above
    return [number for number in numbers if number != own and _is_open(number)]


def _is_open(number: int) -> bool:
    """The folder that lists them is listed and closed again."""
    try:
        os.fstat(number)
    except OSError:
        return False
    return True


if __name__ == "__main__":
    code = main(sys.argv[1], *sys.argv[3:])
    if code < 0:
        os.kill(os.getpid(), -code)
    os._exit(code)
