"""The Python reference: Markdown pages made of the package's stub, which the build writes from the
docstrings of the compiled part, and of the package's own files.
"""

import ast
import inspect
import re
from pathlib import Path

from cpp_reference import cell, prose


def annotation(node):
    """A type as a reader wants it: an array's with its shape, without the modules' names."""
    if node is None:
        return ""
    text = ast.unparse(node)
    text = re.sub(r"Annotated\[NDArray(?:\[numpy\.(\w+)\])?, dict\(((?:[^()]|\([^()]*\))*)\)\]", array, text)
    return re.sub(r"\b(?:numpy\.typing|numpy|collections\.abc|typing|os)\.", "", text)


def array(match):
    shape = re.search(r"shape=\(?([\w, ]+)", match[2])
    sizes = shape[1].rstrip(", ").replace("None", "n").replace(", writable", "") if shape else "n"
    return f"{match[1] or 'any'} array ({sizes})"


def signature(function):
    """`name(arguments) -> type`, without self."""
    a = function.args
    words, positional = [], a.posonlyargs + a.args
    defaults = [None] * (len(positional) - len(a.defaults)) + a.defaults
    for i, (argument, default) in enumerate(zip(positional, defaults)):
        if not (i == 0 and argument.arg in ("self", "cls")):
            words.append(parameter(argument, default))
    if a.vararg:
        words.append(f"*{a.vararg.arg}")
    elif a.kwonlyargs:
        words.append("*")
    words += [parameter(argument, default) for argument, default in zip(a.kwonlyargs, a.kw_defaults)]
    if a.kwarg:
        words.append(f"**{a.kwarg.arg}")
    result = annotation(function.returns)
    arrow = f" -> {result}" if result and result != "None" else ""
    line = f"{function.name}({', '.join(words)}){arrow}"
    if len(line) <= 88:
        return line
    return f"{function.name}(\n    " + ",\n    ".join(words) + f"){arrow}"


def parameter(argument, default):
    text = argument.arg
    if argument.annotation is not None:
        text += f": {annotation(argument.annotation)}"
    return text if default is None else f"{text} = {ast.unparse(default)}"


def documentation(node):
    text = ast.get_docstring(node)
    return prose(inspect.cleandoc(text).split("\n")) if text else ""


def decorated(node, name):
    return any(ast.unparse(d).split(".")[-1] == name for d in node.decorator_list)


def render_function(function, prefix=""):
    static = "static " if decorated(function, "staticmethod") else ""
    return ["", "```python", static + prefix + signature(function), "```", "", documentation(function), ""]


def render_class(node, level):
    bases = ", ".join(ast.unparse(base) for base in node.bases)
    out = [f"{level} {node.name}", "", f"Base: `{bases}`" if bases else "", "", documentation(node), ""]
    members = [m for m in node.body if isinstance(m, ast.FunctionDef)]
    writable = {m.name for m in members if decorated(m, "setter")}
    rows = []
    for member in node.body:
        if isinstance(member, ast.FunctionDef) and decorated(member, "property"):
            kind, note = annotation(member.returns), documentation(member)
        elif isinstance(member, ast.AnnAssign):
            kind, note = annotation(member.annotation), ""
        else:
            continue
        name = member.name if isinstance(member, ast.FunctionDef) else ast.unparse(member.target)
        if not name.startswith("_"):
            access = "" if name in writable or isinstance(member, ast.AnnAssign) else "read-only"
            rows.append(f"| `{name}` | {cell(kind)} | {cell(note)} | {access} |")
    if rows:
        out += ["| attribute | type | | |", "|---|---|---|---|", *rows, ""]
    for member in members:
        if decorated(member, "property") or decorated(member, "setter"):
            continue
        if member.name == "__init__":
            made = ast.parse(ast.unparse(member)).body[0]
            made.name, made.returns = node.name, None
            if ast.get_docstring(member) or len(member.args.args) > 1 or member.args.kwonlyargs:
                out += render_function(made)
        elif not member.name.startswith("_"):
            out += render_function(member)
    return out


def render_module(path, title, text=None):
    tree = ast.parse(path.read_text())
    out = [f"# {title}", "", documentation(tree) if text is None else text, ""]
    functions = [n for n in tree.body if isinstance(n, ast.FunctionDef) and not n.name.startswith("_")]
    classes = [n for n in tree.body if isinstance(n, ast.ClassDef) and not n.name.startswith("_")]
    for node in classes:
        out += render_class(node, "##")
    if functions:
        out += ["## Functions", ""]
        for function in functions:
            out += [f"### {function.name}", *render_function(function)]
    return "\n".join(out)


def pages(root):
    """Pages by their names; none if the package was not built."""
    stub = root / "build" / "release" / "bindings" / "python" / "abut" / "_core.pyi"
    package = root / "bindings" / "python" / "abut"
    if not stub.exists() or not package.exists():
        return {}
    text = documentation(ast.parse((package / "__init__.py").read_text()))
    result = {"abut": render_module(stub, "abut", text)}
    for path in sorted(package.glob("*.py")):
        if not path.name.startswith("_") and path.name != "demo.py":
            result[path.stem] = render_module(path, f"abut.{path.stem}")
    return result


if __name__ == "__main__":
    for name, page in pages(Path(__file__).parents[2]).items():
        print(f"===== {name}\n{page}")
