#!/usr/bin/env python3
"""wheel_licenses.py WHEEL DIRECTORY: writes the wheel again into DIRECTORY, with the licenses of all
that it carries; fails if it carries a library whose license is not known. Prints the new path.
"""

import base64
import hashlib
import re
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

PACKAGES = Path(sysconfig.get_path("platlib"))
PREFIX = PACKAGES / "cmeel.prefix"

DISTRIBUTIONS = {  # libraries of wheels that bring their licenses: where these lie
    "libpinocchio_default": "libpinocchio-*.dist-info/licenses",
    "libqhull_r": "cmeel_qhull-*.dist-info/licenses",
    "libmujoco": "mujoco_core-*.dist-info/licenses",
}
HEADERS = {  # libraries whose license is the comment that begins a header
    "libtinyxml2": "tinyxml2.h",
}
BOOST = ("Boost Software License 1.0, https://www.boost.org/LICENSE_1_0.txt: binaries need not carry "
         "its text.\n")
DEBIAN = ["libcli11-dev", "libeigen3-dev", "libtomlplusplus-dev", "nlohmann-json3-dev"]  # headers


def read_folder(pattern):
    files = sorted(f for folder in PACKAGES.glob(pattern) for f in folder.rglob("*") if f.is_file())
    if not files:
        sys.exit(f"wheel_licenses.py: no license in {pattern}")
    return "\n\n".join(f.read_text() for f in files)


def first_comment(header):
    text = (PREFIX / "include" / header).read_text(errors="replace").lstrip()
    comment = text[: text.find("*/")]
    if not text.startswith("/*") or not re.search("copyright|provided 'as-is'", comment, re.I):
        sys.exit(f"wheel_licenses.py: {header} does not begin with a license")
    return comment + "*/\n"


def debian_copyright(package):
    return Path(f"/usr/share/doc/{package}/copyright").read_text(errors="replace")


def owner(library):
    """The Debian package of a system library."""
    for folder in ("/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"):
        for path in sorted(Path(folder).glob(f"{library}.so*")):
            found = subprocess.run(["dpkg-query", "-S", str(path)], capture_output=True, text=True)
            found = found.stdout or subprocess.run(
                ["dpkg-query", "-S", "/usr" + str(path)], capture_output=True, text=True).stdout
            for line in found.splitlines():
                package = line.split(":")[0]
                if not package.endswith("-dev"):
                    return package
    return None


def license_of(library):
    if library in DISTRIBUTIONS:
        return read_folder(DISTRIBUTIONS[library])
    if library in HEADERS:
        return first_comment(HEADERS[library])
    if library.startswith("libboost_"):
        return BOOST
    package = owner(library)
    if package is None:
        sys.exit(f"wheel_licenses.py: the license of {library} is not known")
    return debian_copyright(package)


def licenses(names):
    """Texts by file name, for the libraries in the wheel and what is compiled into its own."""
    texts = {}
    for name in names:
        match = re.match(r"abut\.libs/(.+?)(-[0-9a-f]{8})?(\.so.*)", name)
        if match:
            texts[match[1] + ".txt"] = license_of(re.sub(r"-[\d.]+$", "", match[1]))
    for package in DEBIAN:
        texts[package + ".txt"] = debian_copyright(package)
    for package in sorted(Path("viewer/node_modules").glob("*/LICENSE*")):
        if package.parent.name in ("three", "uplot"):  # bundled into the browser page
            texts[package.parent.name + ".txt"] = package.read_text()
    texts["nanobind.txt"] = read_folder("nanobind-*.dist-info/licenses")
    return texts


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")


def main():
    source, directory = Path(sys.argv[1]), Path(sys.argv[2])
    target = directory / source.name
    with zipfile.ZipFile(source) as old:
        record = next(n for n in old.namelist() if n.endswith(".dist-info/RECORD"))
        folder = record.removesuffix("RECORD") + "licenses/third_party/"
        lines = old.read(record).decode().splitlines()
        texts = licenses(old.namelist())
        with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
            for entry in old.infolist():
                if entry.filename != record:
                    new.writestr(entry, old.read(entry), zipfile.ZIP_DEFLATED)
            for name, text in sorted(texts.items()):
                data = text.encode()
                new.writestr(folder + name, data)
                lines.append(f"{folder}{name},sha256={digest(data)},{len(data)}")
            new.writestr(record, "\n".join(lines) + "\n")
    print(target)


if __name__ == "__main__":
    main()
