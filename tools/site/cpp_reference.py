"""The C++ reference: one Markdown page for each folder of src/abut, made of the declarations of its
headers and the `///` comments above and beside them.

Headers of sub-folders are parts of one algorithm or file format, and left out; so is what is private.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import tree_sitter
import tree_sitter_cpp

# Compiled once per instruction set, in namespaces of their own: not for use from outside.
INTERNAL = {"front_elimination.hpp", "front_solves.hpp", "front_strips.hpp", "kernel_functions.hpp",
            "pivot_block.hpp", "small_factor.hpp", "simd.hpp", "sincos.hpp", "triples.hpp"}
ESCAPES = {"*": "\\*", "_": "\\_", "<": "&lt;"}
TYPES = {"class_specifier", "struct_specifier", "enum_specifier"}
PARSER = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cpp.language()))


@dataclass
class Declaration:
    """One declaration: its text without body, its comment, and what stands in a type's braces."""

    node: tree_sitter.Node
    text: str
    above: list = field(default_factory=list)   # lines of `///`
    beside: list = field(default_factory=list)  # lines of `///<`
    members: list = field(default_factory=list)
    kind: str = "value"  # or function, type, enum
    joined: bool = False  # no comment of its own, on the line after the one before


def parse(path):
    """The header's tree. What the grammar does not know is replaced by as many bytes."""
    text = path.read_text()
    known = re.sub(r"= \{\}(?=[,)])", "= 00", text)
    known = re.sub(r"\bABUT_\w+(?= )", lambda m: " " * len(m[0]), known)
    root = PARSER.parse(known.encode()).root_node
    if root.has_error:
        raise SystemExit(f"{path}: the reference cannot read this header")
    return root, text.encode()


def comment_line(text):
    return re.sub(r"^///<? ?", "", text)


def declarations(body, source):
    """What a namespace or a type's braces declare, in order, with its comments."""
    found, above, public, last_row = [], [], body.parent.type != "class_specifier", -2
    for node in body.children:
        text = source[node.start_byte:node.end_byte].decode()
        row = node.start_point[0]
        if node.type == "comment":
            if text.startswith("///<") and found:
                found[-1].beside.append(comment_line(text))
            elif text.startswith("///") and not (row == last_row and found):
                above.append(comment_line(text))
            else:
                above = []
            continue
        if node.type == "access_specifier":
            public = text == "public"
        elif node.type == ";":
            continue
        elif public and node.is_named and not node.type.startswith("preproc"):
            declaration = read(node, text, source, above)
            if declaration:
                declaration.joined = not above and row == last_row + 1
                found.append(declaration)
        above, last_row = [], node.end_point[0]
    return found


def inner(node, *types):
    """The first of `node` and what it wraps (templates, attributes) that is of one of `types`."""
    while node and node.type not in types:
        node = next((c for c in reversed(node.named_children)
                     if c.type in types or c.type.endswith(("_declaration", "_definition"))), None)
    return node


def read(node, text, source, above):
    if node.type in ("using_declaration", "friend_declaration", "static_assert_declaration"):
        return None
    if node.type == "namespace_definition":
        return None
    type_node = inner(node, *TYPES) if node.type in TYPES or node.type == "template_declaration" else None
    if type_node is None and node.type == "field_declaration":
        nested = node.child_by_field_name("type")
        type_node = nested if nested is not None and nested.type in TYPES else None
    if type_node is not None:
        body = type_node.child_by_field_name("body")
        if body is None:
            return None  # a forward declaration
        head = source[node.start_byte:body.start_byte].decode().strip()
        kind = "enum" if type_node.type == "enum_specifier" else "type"
        members = (enumerators(body, source) if kind == "enum" else declarations(body, source))
        return Declaration(node, head, above, members=members, kind=kind)
    function = inner(node, "function_definition")
    if function is not None and function.child_by_field_name("body") is not None:
        text = source[node.start_byte:function.child_by_field_name("body").start_byte].decode()
        text = re.split(r"\n?\s*:\s(?=\w+[({])", text)[0]  # a constructor's initializers
    is_function = function is not None or has_parameters(node)
    return Declaration(node, text.strip().rstrip(";"), above,
                       kind="function" if is_function else "value")


def has_parameters(node):
    return any(c.type == "function_declarator" or (c.type.endswith(("declarator", "_declaration"))
               and has_parameters(c)) for c in node.named_children)


def enumerators(body, source):
    found = []
    for node in body.children:
        text = source[node.start_byte:node.end_byte].decode()
        if node.type == "enumerator":
            found.append(Declaration(node, text))
        elif node.type == "comment" and found and text.startswith("///"):
            found[-1].beside.append(comment_line(text))
    return found


def prose(lines):
    """A comment as Markdown: lines indented by four are formulas, `@throws` a paragraph."""
    out = []
    for line in lines:
        formula = line.startswith("    ")
        if formula and out and out[-1] and not out[-1].startswith("    "):
            out.append("")
        if line and not formula and out and out[-1].startswith("    "):
            out.append("")
        if not formula:
            line = re.sub(r"(`[^`]*`)|([*_<])", lambda m: m[1] or ESCAPES[m[2]], line)
            line = line.replace("@throws", "\n\n**Throws**")
        out.append(line)
    return "\n".join(out).strip()


def cell(text):
    return re.sub(r"\s+", " ", text).strip().replace("|", "\\|")


def render_values(values):
    rows = ["", "| | |", "|---|---|"]
    for value in values:
        note = prose(value.above + value.beside)
        rows.append(f"| `{cell(value.text)}` | {cell(note)} |")
    return rows + [""]


def render_members(members):
    out, values, i = [], [], 0
    while i < len(members):
        member = members[i]
        i += 1
        if member.kind == "value":
            values.append(member)
            continue
        if values:
            out += render_values(values)
            values = []
        if member.kind in ("type", "enum"):
            out += render_type(member, "####")
            continue
        run = [member]
        while i < len(members) and members[i].joined and members[i].kind == "function":
            run.append(members[i])
            i += 1
        out += ["", "```cpp", *(dedent(m.text) for m in run), "```", ""]
        note = prose([line for m in run for line in m.above + m.beside])
        out += [note, ""] if note else []
    return out + (render_values(values) if values else [])


def dedent(text):
    return re.sub(r"\n {2,}", "\n    ", text)


def render_type(declaration, level):
    name = re.sub(r"^(template\s*<.*?>\s*)?(struct|class|enum class|enum) ", "", declaration.text,
                  flags=re.DOTALL).split(":")[0].strip()
    out = [f"{level} {name}", "", "```cpp", dedent(declaration.text), "```", "",
           prose(declaration.above + declaration.beside), ""]
    if declaration.kind == "enum":
        return out + render_values(declaration.members)
    return out + render_members(declaration.members)


def render_header(path, folder):
    root, source = parse(path)
    out = [f"## {folder}/{path.name}", ""]
    for space in (n for n in root.children if n.type == "namespace_definition"):
        if source[space.start_byte:space.start_byte + 16] != b"namespace abut {":
            continue
        group = []
        for declaration in declarations(space.child_by_field_name("body"), source):
            if declaration.kind in ("type", "enum"):
                out += render_members(group) + render_type(declaration, "###")
                group = []
            else:
                group.append(declaration)
        out += render_members(group)
    return out if len(out) > 2 else []


def folder_contents(root):
    """What CONTRIBUTING.md says of each folder of src/abut."""
    rows = re.findall(r"^\| `(\w+)` \| (.*) \|$", (root / "CONTRIBUTING.md").read_text(), re.MULTILINE)
    return [(name, text) for name, text in rows if (root / "src" / "abut" / name).is_dir()]


def pages(root):
    """Pages by their names: 'index' and one for each folder."""
    result, listed = {}, []
    for folder, content in folder_contents(root):
        lines = []
        for path in sorted((root / "src" / "abut" / folder).glob("*.hpp")):
            if path.name not in INTERNAL:
                lines += render_header(path, folder)
        if lines:
            result[folder] = "\n".join([f"# {folder}", "", f"{content[0].upper()}{content[1:]}.", "",
                                        *lines])
            listed.append(f"| [{folder}]({folder}.md) | {content} |")
    result["index"] = "\n".join(
        ["# C++ reference", "", "Made of the comments in the headers. All names are in the namespace"
         " `abut`; a header is included as `#include \"abut/sim/world.hpp\"`. The folders `core` to"
         " `solvers` are the library `abut::core`, the rest is `abut::abut`"
         " ([embedding](../../embedding.md)).", "", "| folder | content |", "|---|---|", *listed, ""])
    return result


if __name__ == "__main__":
    for name, page in pages(Path(__file__).parents[2]).items():
        print(f"===== {name}\n{page}")
