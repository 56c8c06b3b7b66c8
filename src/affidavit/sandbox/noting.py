"""Provide the module that Python loads before a program, to note missing packages and unreachable hosts.

Code may catch a failed import or a refused connection and continue silently. The result then proves nothing
about code that has the package or the network.
"""

from affidavit.sandbox.following import IN_PYTHON, UNSURE
from affidavit.sandbox.job import SIDE, WATCH

PIPE = "noted"
MISSING, UNREACHED, REACHED = "missing", "unreached", "reached"
NOTING = f"""\
import os
import sys

HERE = {WATCH!r}
SIDE = {SIDE + "/"!r}
noted = set()
STARTS = ("subprocess.Popen", "os.system", "os.posix_spawn", "os.spawn", "os.exec", "os.forkpty")


class Missing:
    def find_spec(self, name, path=None, target=None):
        if path is None and is_of_interest(name, sys._getframe(1)) and not self.found_by_others(name, target):
            note({MISSING!r}, name)
        return None

    def found_by_others(self, name, target):
        finders = sys.meta_path[sys.meta_path.index(self) + 1 :]
        return any(one.find_spec(name, None, target) for one in finders if hasattr(one, "find_spec"))


class Hollow:
    # A folder without Python is found as a package of its name, and hides that the package is missing.
    def find_spec(self, name, path=None, target=None):
        if path is None and has_folder(name) and is_of_interest(name, sys._getframe(1)) and is_hollow(name):
            note({MISSING!r}, name)
        return None


def is_of_interest(name, frame):
    if ({MISSING!r}, name) in noted or name in getattr(sys, "stdlib_module_names", ()):
        return False
    while frame is not None:
        file = frame.f_code.co_filename
        if not file.startswith("<frozen ") and os.path.basename(os.path.dirname(file)) != "importlib":
            return file.startswith(SIDE) or not os.path.isabs(file)
        frame = frame.f_back
    return False


def has_folder(name):
    return any(os.path.isdir(os.path.join(SIDE, one, name)) for one in sys.path if isinstance(one, str))


def is_hollow(name):
    finder = next(one for one in sys.meta_path if getattr(one, "__name__", "") == "PathFinder")
    found = finder.find_spec(name)
    if found is None or found.loader is not None or found.submodule_search_locations is None:
        return False
    folders = [os.path.abspath(one) + "/" for one in found.submodule_search_locations]
    return all(one.startswith(SIDE) and not holds_python(one) for one in folders)


def holds_python(folder):
    for number, (_, _, files) in enumerate(os.walk(folder)):
        if number > 1000 or any(one.endswith((".py", ".pyc", ".so")) for one in files):
            return True
    return False


def hear(event, given):
    if WANTED and event in STARTS:
        note({UNSURE!r}, "child")
    if event.startswith("socket."):
        try:
            if event == "socket.__new__":
                look_before_connecting(sys.modules["socket"].socket)
            elif event in ("socket.connect", "socket.sendto"):
                look_at(given[0], given[1])
            elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
                look_up(given[0])
        except Exception:
            pass


def look_before_connecting(sockets):
    # A name that `connect` looks up itself fails before there is any event.
    for name in ("connect", "connect_ex"):
        if name not in vars(sockets):
            setattr(sockets, name, looking(getattr(sockets, name)))


def looking(connect):
    def looks(self, address):
        if isinstance(address, tuple) and address and isinstance(address[0], (str, bytes)):
            look_up(address[0])
        return connect(self, address)

    looks.__name__ = looks.__qualname__ = connect.__name__
    return looks


def look_up(host):
    name = host.decode("ascii", "replace") if isinstance(host, bytes) else host
    if name and name.rstrip(".") != "localhost" and not is_number(name):
        note({UNREACHED!r}, name.lower())


def look_at(socket, address):
    if not isinstance(address, tuple):
        place = os.fsdecode(address)
        if not place.startswith("\\0") and not os.path.exists(place):
            note({UNREACHED!r}, place)
        return
    host, port = address[:2]
    if not is_number(host):
        look_up(host)
    elif not host.startswith(("127.", "::1", "::ffff:127.", "0.0.0.0")) and host != "::":
        note({UNREACHED!r}, host)
        return
    # Datagrams are never refused.
    if socket.type == 1:
        # Ports of this range are drawn by lot.
        name = "localhost:%d" % port if port < 32768 else "localhost"
        if not listens(port):
            note({UNREACHED!r}, name)
        elif ({UNREACHED!r}, name) in noted:
            note({REACHED!r}, name)


def is_number(host):
    return ":" in host or not host.strip("0123456789.")


def listens(port):
    tables = [one for one in ("/proc/net/tcp", "/proc/net/tcp6") if os.path.exists(one)]
    for table in tables:
        with open(table) as file:
            for line in file:
                parts = line.split()
                if parts[3] == "0A" and int(parts[1].rpartition(":")[2], 16) == port:
                    return True
    return not tables


def note(kind, name):
    if (kind, name) in noted:
        return
    noted.add((kind, name))
    try:
        pipe = os.open(HERE + {"/" + PIPE!r}, os.O_WRONLY | os.O_NONBLOCK)
        try:
            os.write(pipe, (kind + " " + name + "\\n").encode("utf-8", "replace"))
        finally:
            os.close(pipe)
    except OSError:
        pass


{IN_PYTHON}

def begin():
    sys.path[:] = [one for one in sys.path if one != HERE]
    own = sys.modules.pop("sitecustomize", None)
    try:
        # Another one that the environment has is loaded as ever.
        import sitecustomize
    except ImportError:
        pass
    finally:
        if own is not None:
            sys.modules.setdefault("sitecustomize", own)
    sys.meta_path.insert(0, Hollow())
    sys.meta_path.append(Missing())
    if hasattr(sys, "addaudithook"):
        sys.addaudithook(hear)
    follow()


begin()
"""
