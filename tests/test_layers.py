"""The layers of the package: who may import whom, checked in the source and in a running interpreter."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "memtui"

PURE = frozenset(
    {
        "__future__", "abc", "base64", "binascii", "bisect", "codecs", "collections", "contextlib", "copy",
        "dataclasses", "difflib", "enum", "functools", "hashlib", "heapq", "html", "itertools", "json",
        "math", "operator", "quopri", "re", "string", "struct", "textwrap", "tomllib", "types", "typing",
        "unicodedata", "urllib.parse", "zlib",
    }
)  # fmt: skip
"""The part of the standard library that reads no file, clock, environment or random source."""


@dataclass(frozen=True)
class Layer:
    """What the modules of one layer may import and do."""

    own: tuple[str, ...]
    """Modules of the package."""
    third: frozenset[str] = frozenset()
    is_pure: bool = False


FOLDERS = frozenset({"core", "disk", "tool", "view", "tui", "cli"})


def layer_named(name: str) -> str:
    """The layer of what has this name at the top of the package; what is no other's is the store's."""
    return name if name in FOLDERS or name.startswith("__") else "store"


NAMES = sorted(path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py"))
TOP = [(name, layer_named(name)) for name in NAMES]
STORE = tuple(f"memtui.{name}" for name, layer in TOP if layer == "store")
"""The store, and the modules and packages that work on it without a face."""
TOOL = ("memtui.tool",)

LAYERS = {
    "core": Layer(own=("memtui.core",), is_pure=True),
    "disk": Layer(
        own=("memtui.core", "memtui.disk"),
        third=frozenset({"filelock", "watchfiles", "yaml", "platformdirs"}),
    ),
    "store": Layer(own=("memtui.core", "memtui.disk", *STORE)),
    "tool": Layer(own=("memtui.core", "memtui.disk", *TOOL, *STORE)),
    "view": Layer(own=("memtui.core", "memtui.view")),
    "cli": Layer(
        own=("memtui.core", "memtui.disk", "memtui.view", "memtui.cli", *TOOL, *STORE),
        third=frozenset({"click"}),
    ),
    "tui": Layer(
        own=("memtui.core", "memtui.disk", "memtui.view", "memtui.tui", *STORE),
        third=frozenset({"textual", "rich"}),
    ),
    "__init__": Layer(own=("memtui",)),
    "__main__": Layer(own=("memtui.cli",)),
}
LAZY_ONLY = frozenset({"filelock", "watchfiles", "yaml", "platformdirs"})
"""Third parties that a look at a file must not pay for: imported inside functions."""

FILE_CALLS = frozenset(
    {
        "read_text", "read_bytes", "write_text", "write_bytes", "unlink", "mkdir", "rmdir", "touch",
        "chmod", "symlink_to", "hardlink_to", "makedirs", "listdir", "scandir", "iterdir", "rglob",
        "mkstemp", "mkdtemp", "rmtree", "copytree",
    }
)  # fmt: skip


WITH_DATA = ("memtui.core.threats",)
SHIPPED_DATA = frozenset({"importlib.resources"})
"""The rules and tables of the scanner lie in the package as data; nothing else of core reads anything."""
SHIPPED_DATA_CALLS = frozenset({"read_text", "read_bytes", "iterdir"})


@dataclass(frozen=True)
class Import:
    """One import statement of a module."""

    module: str
    line: int
    is_lazy: bool
    is_for_types: bool


def layer_of(path: Path) -> str:
    return layer_named(path.relative_to(PACKAGE).with_suffix("").parts[0])


def modules(*layers: str) -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if not layers or layer_of(path) in layers)


def dotted(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def named(node: ast.AST) -> list[str]:
    """The modules that a statement imports; `from a import b` gives `a.b`, since b may be a module."""
    if isinstance(node, ast.Import):
        return [alias.name for alias in node.names]
    if isinstance(node, ast.ImportFrom):
        return [f"{'.' * node.level}{node.module or ''}.{alias.name}" for alias in node.names]
    return []


def imports(path: Path) -> Iterator[Import]:
    def walk(node: ast.AST, is_lazy: bool, is_for_types: bool) -> Iterator[Import]:
        for module in named(node):
            yield Import(module, node.lineno, is_lazy, is_for_types)  # type: ignore[attr-defined]
        is_lazy = is_lazy or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        guarded = isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
        for child in ast.iter_child_nodes(node):
            yield from walk(child, is_lazy, is_for_types or guarded)

    yield from walk(ast.parse(path.read_text(encoding="utf-8")), False, False)


def is_under(module: str, prefixes: tuple[str, ...] | frozenset[str]) -> bool:
    return any(module == prefix or module.startswith(f"{prefix}.") for prefix in prefixes)


def fault_of(path: Path, found: Import) -> str:
    """Why a module of this layer may not have this import; empty when it may."""
    layer = LAYERS[layer_of(path)]
    if found.module == "memtui.__version__":
        return ""
    if found.module.startswith("."):
        return "relative imports hide which layer is meant"
    if is_under(found.module, ("memtui",)):
        return "" if found.is_for_types or is_under(found.module, layer.own) else "another layer"
    if found.module.split(".")[0] in sys.stdlib_module_names:
        pure = PURE | SHIPPED_DATA if is_under(dotted(path), WITH_DATA) else PURE
        return "not a pure module" if layer.is_pure and not is_under(found.module, pure) else ""
    if is_under(found.module, ("re2",)):
        return "" if is_under(dotted(path), ("memtui.core.threats",)) else "only core/threats scans"
    if not is_under(found.module, layer.third):
        return "a third party that this layer does not know"
    if is_under(found.module, LAZY_ONLY) and not (found.is_lazy or found.is_for_types):
        return "to be imported inside the function that needs it"
    return ""


@pytest.mark.parametrize("path", modules(), ids=dotted)
def test_a_module_imports_only_what_its_layer_may(path: Path) -> None:
    tui_in_cli = layer_of(path) == "cli"

    faults = [
        f"line {found.line}: {found.module}: {fault}"
        for found in imports(path)
        if not (tui_in_cli and is_under(found.module, ("memtui.tui",)))
        if (fault := fault_of(path, found))
    ]

    assert faults == []


def test_the_command_line_imports_the_app_in_one_place_and_inside_a_function() -> None:
    found = [one for path in modules("cli") for one in imports(path) if is_under(one.module, ("memtui.tui",))]

    assert [one.is_lazy for one in found] == [True]


@pytest.mark.parametrize("path", [p for p in modules() if layer_of(p) != "disk"], ids=dotted)
def test_only_disk_touches_files(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    file_calls = FILE_CALLS - SHIPPED_DATA_CALLS if is_under(dotted(path), WITH_DATA) else FILE_CALLS

    touched = [
        f"line {call.lineno}: {ast.unparse(call.func)}"
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        if (isinstance(call.func, ast.Name) and call.func.id == "open")
        or (isinstance(call.func, ast.Attribute) and call.func.attr in file_calls)
    ]

    assert touched == []


HEADLESS = [dotted(path) for path in modules() if layer_of(path) not in ("tui", "__main__")]


def test_everything_but_the_app_loads_without_textual_and_rich() -> None:
    code = f"""
import importlib, sys
for name in {HEADLESS!r}:
    importlib.import_module(name)
    assert not {{"textual", "rich"}} & set(sys.modules), name
"""

    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert run.returncode == 0, run.stderr


@pytest.mark.parametrize(
    ("layer", "forbidden"),
    [
        ("core", ("memtui.disk", "memtui.store", "memtui.view", "memtui.cli", "memtui.tool")),
        ("disk", ("memtui.store", "memtui.view", "memtui.cli", "memtui.tool")),
        ("view", ("memtui.disk", "memtui.store", "memtui.cli", "memtui.tool")),
        ("store", ("memtui.view", "memtui.cli", "memtui.tool")),
    ],
)
def test_a_layer_loads_without_the_ones_above_it(layer: str, forbidden: tuple[str, ...]) -> None:
    names = [dotted(path) for path in modules(layer)]
    code = f"""
import importlib, sys
for name in {names!r}:
    importlib.import_module(name)
print([m for m in sys.modules if m.startswith({forbidden!r})])
"""

    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=60)

    assert (run.returncode, run.stdout.strip()) == (0, "[]"), run.stderr


def test_the_import_check_sees_what_it_must_refuse(tmp_path: Path) -> None:
    sample = tmp_path / "sample.py"
    sample.write_text("import os\nfrom memtui import store\ndef f():\n    import textual.app\n")

    found = list(imports(sample))

    assert [fault_of(PACKAGE / "core/sample.py", one) for one in found] == [
        "not a pure module",
        "another layer",
        "a third party that this layer does not know",
    ]
