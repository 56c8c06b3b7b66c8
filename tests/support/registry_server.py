"""A small registry of packages over TLS on loopback: a Python index, npm, and a proxy of Go modules."""

import base64
import hashlib
import http.server
import io
import json
import socket
import ssl
import tarfile
import threading
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from affidavit.sandbox.registries import Registries
from certificates import write_certificates

HOST = "registry.test"
URL = f"https://{HOST}"


def wheel(name: str, files: Mapping[str, str]) -> bytes:
    described = f"{name}-1.0.dist-info"
    all_files = {
        f"{described}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n",
        f"{described}/WHEEL": "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        **files,
    }
    rows = "".join(f"{path},,\n" for path in all_files)
    return _zip({**all_files, f"{described}/RECORD": f"{rows}{described}/RECORD,,\n"})


def _zip(files: Mapping[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for path, text in files.items():
            archive.writestr(path, text)
    return made.getvalue()


def tarball(files: Mapping[str, str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        for path, text in files.items():
            member = tarfile.TarInfo(path)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


@dataclass
class Registry:
    """What it serves by path, what it was asked for, and which connections were asked of the network."""

    authority: Path
    port: int = 0
    served: dict[str, bytes] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    connections: list[tuple[str, int]] = field(default_factory=list)

    @property
    def registries(self) -> Registries:
        return Registries((f"{URL}/simple",), (("registry", f"{URL}/npm"),), (f"{URL}/go",), self.authority)

    def connect(self, address: tuple[str, int], seconds: float) -> socket.socket:
        """Connect to this server for its name, and to nothing for any other."""
        self.connections.append(address)
        if address != (HOST, 443):
            raise OSError(f"{address} is not reached in tests")
        return socket.create_connection(("127.0.0.1", self.port), seconds)

    def add_python(self, name: str, file: str, data: bytes) -> dict[str, str]:
        """Serve a wheel or a source distribution; return its entry in a lock."""
        self.served[f"/files/{file}"] = data
        digest = sha256(data)
        link = f'<a href="{URL}/files/{file}#sha256={digest}">{file}</a>'.encode()
        self.served[f"/simple/{name}/"] = link
        return {"url": f"{URL}/files/{file}", "hash": f"sha256:{digest}"}

    def add_npm(self, name: str, files: Mapping[str, str], **described: object) -> dict[str, str]:
        """Serve a package of npm; return its entry in a lock."""
        own = {"name": name, "version": "1.0.0", **described}
        data = tarball(
            {
                "package/package.json": json.dumps(own),
                **{f"package/{one}": text for one, text in files.items()},
            }
        )
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(data).digest()).decode()
        place = f"/npm/{name}/-/{name}-1.0.0.tgz"
        self.served[place] = data
        version = {**own, "dist": {"tarball": URL + place, "integrity": integrity}}
        packument = {"name": name, "dist-tags": {"latest": "1.0.0"}, "versions": {"1.0.0": version}}
        self.served[f"/npm/{name}"] = json.dumps(packument).encode()
        return {"version": "1.0.0", "resolved": URL + place, "integrity": integrity}

    def add_go(self, name: str, files: Mapping[str, str]) -> str:
        """Serve a Go module; return its lines of go.sum."""
        module = f"module {name}\n\ngo 1.20\n"
        inside = {f"{name}@v1.0.0/{path}": text for path, text in {"go.mod": module, **files}.items()}
        root = f"/go/{name}/@v/v1.0.0"
        self.served[f"{root}.info"] = b'{"Version":"v1.0.0","Time":"2020-01-01T00:00:00Z"}'
        self.served[f"{root}.mod"] = module.encode()
        self.served[f"{root}.zip"] = _zip(inside)
        return f"{name} v1.0.0 {_h1(inside)}\n{name} v1.0.0/go.mod {_h1({'go.mod': module})}\n"


def _h1(files: Mapping[str, str]) -> str:
    lines = "".join(f"{sha256(files[path].encode())}  {path}\n" for path in sorted(files))
    return "h1:" + base64.b64encode(hashlib.sha256(lines.encode()).digest()).decode()


@contextmanager
def opened_registry(folder: Path) -> Iterator[Registry]:
    authority, own = write_certificates(folder, HOST)
    registry = Registry(authority)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(is_head=True)

        def do_GET(self) -> None:
            self._answer()

        def _answer(self, *, is_head: bool = False) -> None:
            registry.asked.append(self.path)
            data = registry.served.get(self.path)
            self.send_response(200 if data is not None else 404)
            kind = "text/html" if self.path.startswith("/simple") else "application/octet-stream"
            self.send_header("content-type", kind)
            self.send_header("content-length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(b"" if is_head else data or b"")

        def log_message(self, *_: object) -> None:
            return

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(own)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    registry.port = server.server_address[1]
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield registry
    finally:
        server.shutdown()
        server.server_close()
