"""What MkDocs does not do by itself: pages from outside docs/, generated pages, links between them.

The Markdown files link to each other, and to sources, by paths in the repository, so that they can be
read there. Here every such link is turned into the site's: to a page, to the C++ reference of a header,
or to a page that shows the file.
"""

import os
import posixpath
import re
import subprocess
import sys
from pathlib import Path

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tools" / "site")]
import cpp_reference  # noqa: E402
import draw_figures  # noqa: E402
import python_reference  # noqa: E402

FENCED = re.compile(r"(^(?:```+|~~~~+).*?^(?:```+|~~~~+)$)", re.MULTILINE | re.DOTALL)
CODE = re.compile(r"`[^`\n]+`")
LINK = re.compile(r"(\]\()([^)\s]+)(\))")  # also of a picture that is a link
FIGURE = re.compile(r"!\[([^\]]*)\]\(((?:\.\./)*figures/[^)\s]+\.svg)\)")
LANGUAGES = {".bib": "bibtex", ".cpp": "cpp", ".hpp": "cpp", ".py": "python", ".sh": "sh",
             ".toml": "toml", ".xml": "xml"}


def site_path(path):
    """Where a Markdown file of the repository is in the site."""
    if path == "README.md":
        return "index.md"
    if path == "docs/README.md":
        return "contents.md"
    if path.startswith("docs/"):
        return path.removeprefix("docs/")
    folder, name = posixpath.split(path)
    return f"{folder}.md" if name == "README.md" else posixpath.join(folder, name.lower())


def tracked():
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.splitlines()
    return {path for path in listed if (ROOT / path).exists()}


class Site:
    """Which page shows which file of the repository."""

    def __init__(self):
        self.files = tracked()
        self.pages = {path: site_path(path) for path in self.files if path.endswith(".md")}
        self.repository = {page: path for path, page in self.pages.items()}
        self.reference = cpp_reference.pages(ROOT)
        self.python = python_reference.pages(ROOT)
        self.sources = set()

    def target(self, path):
        """The page, with its fragment, that shows a file; None where there is none."""
        if path in self.pages:
            return self.pages[path]
        if f"{path}/README.md" in self.pages:
            return self.pages[f"{path}/README.md"]
        header = re.fullmatch(r"src/abut/(\w+)/(\w+)\.hpp", path)
        if header and f"## {header[1]}/{header[2]}.hpp" in self.reference.get(header[1], ""):
            return f"reference/cpp/{header[1]}.md#{header[1]}{header[2]}hpp"
        if path in self.files:
            self.sources.add(path)
            return f"source/{path}.md"
        return None

    def rewrite(self, text, page):
        """`text` with its links as they are from `page`."""
        base = posixpath.dirname(self.repository[page])

        def link(match):
            name, _, fragment = match[2].partition("#")
            if not name or re.match(r"[a-z]+:", name):
                return match[0]
            path = posixpath.normpath(posixpath.join(base, name))
            if path.startswith("docs/") and Path(path).suffix in (".png", ".svg", ".gif"):
                target = path.removeprefix("docs/")
            else:
                target = self.target(path)
            if target is None:
                return match[0]  # MkDocs complains of it
            target = posixpath.relpath(target, posixpath.dirname(page) or ".")
            return f"{match[1]}{target}{'#' + fragment if fragment else ''}{match[3]}"

        pieces = FENCED.split(text)  # text, code, text, ...
        return "".join(piece if i % 2 else LINK.sub(link, piece) for i, piece in enumerate(pieces))


site = None


def on_config(config):
    global site
    site = Site()
    cpp = [{name: f"reference/cpp/{name}.md"} for name in site.reference if name != "index"]
    python = [{name: f"reference/python/{name}.md"} for name in site.python]
    decisions = sorted(p for p in site.pages.values() if re.match(r"decisions/(?!README)", p))
    fill(config.nav, {"reference/cpp": ["reference/cpp/index.md", *cpp], "reference/python": python,
                      "decisions": ["decisions/README.md", *decisions]})
    return config


def fill(nav, lists):
    """Puts the generated lists of pages where nav names them, and drops what is empty."""
    nav[:] = [item for item in nav
              if not (isinstance(item, dict) and lists.get(str(next(iter(item.values())))) == [])]
    for item in nav:
        for title, value in item.items() if isinstance(item, dict) else ():
            if isinstance(value, list):
                fill(value, lists)
            elif value in lists:
                item[title] = lists[value]


def on_files(files, config):
    for path in ("README.md", "references.bib"):
        found = files.get_file_from_path(path)
        if found:
            files.remove(found)
    for page, path in site.repository.items():
        if not path.startswith("docs/") or page == "contents.md":
            files.append(File.generated(config, page, abs_src_path=str(ROOT / path)))
        site.rewrite((ROOT / path).read_text(), page)  # notes the sources that it links to
    for name, text in site.reference.items():
        files.append(File.generated(config, f"reference/cpp/{name}.md", content=text))
    for name, text in site.python.items():
        files.append(File.generated(config, f"reference/python/{name}.md", content=text))
    for path in sorted(site.sources):
        text = (ROOT / path).read_text()
        language = LANGUAGES.get(Path(path).suffix, "text")
        files.append(File.generated(config, f"source/{path}.md",
                                    content=f"# {path}\n\n~~~~~{language}\n{text}~~~~~\n"))
    files.append(File.generated(config, "assets/drawing.css", content=draw_figures.site_style()))
    for path in sorted((Path(__file__).parent / "assets").iterdir()):
        files.append(File.generated(config, f"assets/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown, page, config, files):
    if page.file.src_uri not in site.repository:
        return markdown
    markdown = site.rewrite(markdown, page.file.src_uri)
    # a bar in code in a table is escaped for the repository's page, not for MkDocs
    markdown = re.sub(r"^\|.*`.*$", lambda row: CODE.sub(lambda m: m[0].replace("\\|", "|"), row[0]),
                      markdown, flags=re.MULTILINE)
    return FIGURE.sub(lambda m: figure(m, page.file.src_uri), markdown)


def figure(match, page):
    """A drawing becomes a part of the page, so that its colours follow the page's."""
    path = ROOT / "docs" / posixpath.normpath(posixpath.join(posixpath.dirname(page), match[2]))
    if not path.exists():
        raise PluginError(f"{page}: there is no {path}")
    svg = re.sub(r"<\?xml.*?\?>|<style>.*?</style>", "", path.read_text(), flags=re.DOTALL)
    svg = re.sub(r"\n\s*", "\n", svg.strip())
    return f'<figure class="drawing" markdown="0">\n{svg}\n</figure>'


def on_post_build(config):
    """Nothing is fetched from elsewhere when a page is opened."""
    for path in Path(config.site_dir).rglob("*.html"):
        found = re.search(r"""<(?:script|link|img|iframe)\b[^>]*(?:src|href)=["']?(?:https?:)?//[^"'>]*""",
                          path.read_text())
        if found and 'rel="canonical"' not in found[0]:
            raise PluginError(f"{os.path.relpath(path, config.site_dir)} fetches {found[0]}")
