#!/usr/bin/env python3
"""draw_figures.py [--check]: draws docs/figures/*.svg, or checks that they are as this script draws them.

Lines and areas have classes instead of colours, so that the drawings suit light and dark pages. The
colours are Okabe and Ito's, which colour-blind people can tell apart; nothing is said by colour alone.
"""

import math
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "figures"
LIGHT = {"ink": "#24292f", "muted": "#6e7781", "soft": "#e4ebf2", "paper": "#ffffff",
         "blue": "#0072b2", "red": "#d55e00", "green": "#009e73", "purple": "#a05a86"}
DARK = {"ink": "#e2e4e9", "muted": "#9aa4af", "soft": "#2b3442", "paper": "#1e2129",
        "blue": "#56b4e9", "red": "#e69f00", "green": "#2bbf97", "purple": "#cc79a7"}


def rules(colours, scope=""):
    out = [f"{scope}text{{font:14px system-ui,sans-serif;stroke:none;fill:{colours['ink']}}}",
           f"{scope}text.small{{font-size:12px}}"]
    for name, colour in colours.items():
        out.append(f"{scope}.{name}{{stroke:{colour};fill:none;stroke-width:1.6}}")
        out.append(f"{scope}.{name}-area{{fill:{colour};stroke:none}}")
        out.append(f"{scope}text.{name}{{fill:{colour};stroke:none}}")
    return "".join(out) + f"{scope}.thick{{stroke-width:3}}{scope}.dashed{{stroke-dasharray:5 4}}"


def site_style():
    """For drawings that are a part of a page of the site."""
    light = '[data-md-color-scheme="default"] .drawing '
    return rules(LIGHT, light) + "\n" + rules(DARK, light.replace("default", "slate")) + "\n"


class Drawing:
    def __init__(self, name, width, height, label):
        self.name = name
        style = rules(LIGHT) + "@media (prefers-color-scheme:dark){" + rules(DARK) + "}"
        self.parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
                      f'role="img" aria-label="{label}">', f"<style>{style}</style>"]

    def add(self, text):
        self.parts.append(text)

    def line(self, points, classes="ink"):
        self.add(f'<polyline class="{classes}" points="{path(points)}"/>')

    def area(self, points, classes="soft-area"):
        self.add(f'<polygon class="{classes}" points="{path(points)}"/>')

    def circle(self, x, y, r, classes="ink"):
        self.add(f'<circle class="{classes}" cx="{x:.5g}" cy="{y:.5g}" r="{r:.5g}"/>')

    def box(self, x, y, w, h, classes="soft-area", radius=6):
        self.add(f'<rect class="{classes}" x="{x:.5g}" y="{y:.5g}" width="{w:.5g}" height="{h:.5g}" '
                 f'rx="{radius}"/>')

    def text(self, x, y, text, classes="ink", anchor="start"):
        self.add(f'<text class="{classes}" x="{x:.5g}" y="{y:.5g}" text-anchor="{anchor}">{text}</text>')

    def arrow(self, x0, y0, x1, y1, colour="ink", both=False):
        length = math.hypot(x1 - x0, y1 - y0)
        ux, uy = (x1 - x0) / length, (y1 - y0) / length
        start = (x0 + 8 * ux, y0 + 8 * uy) if both else (x0, y0)
        self.line([start, (x1 - 8 * ux, y1 - 8 * uy)], colour)
        self.head(x1, y1, ux, uy, colour)
        if both:
            self.head(x0, y0, -ux, -uy, colour)

    def head(self, x, y, ux, uy, colour):
        self.area([(x, y), (x - 10 * ux - 4.5 * uy, y - 10 * uy + 4.5 * ux),
                   (x - 10 * ux + 4.5 * uy, y - 10 * uy - 4.5 * ux)], f"{colour}-area")

    def write(self):
        return "\n".join([*self.parts, "</svg>", ""])


def path(points):
    return " ".join(f"{x:.5g},{y:.5g}" for x, y in points)


def turned(x, y, w, h, angle):
    """Corners of a rectangle about (x, y)."""
    c, s = math.cos(angle), math.sin(angle)
    return [(x + c * a - s * b, y + s * a + c * b)
            for a, b in ((-w / 2, -h / 2), (w / 2, -h / 2), (w / 2, h / 2), (-w / 2, h / 2))]


def contact():
    d = Drawing("contact", 720, 250, "A tilted box above the ground: at each lower corner a contact point "
                "with its gap; the normal points from the ground into the box")
    d.area([(20, 180), (700, 180), (700, 235), (20, 235)])
    d.line([(20, 180), (700, 180)])
    d.text(40, 215, "body A (the ground)")
    corners = turned(300, 135, 210, 84, -0.13)
    d.area(corners, "soft-area")
    d.line([*corners, corners[0]])
    d.text(300, 125, "body B", anchor="middle")
    (rx, ry), (lx, ly) = corners[2], corners[3]
    d.circle(lx, ly, 5, "red-area")
    d.circle(rx, ry, 5, "blue-area")
    d.text(lx - 14, 156, "φ₀ &lt; 0: they overlap,", "red small", "end")
    d.text(lx - 14, 172, "the spring pushes", "red small", "end")
    d.arrow(rx + 14, 180, rx + 14, ry, "blue", both=True)
    d.text(rx + 24, 150, "φ₀ &gt; 0: the gap; seen within", "blue small")
    d.text(rx + 24, 168, "a margin, before they touch", "blue small")
    d.arrow(lx, ly, lx, 52, "ink")
    d.text(lx - 12, 62, "n", anchor="end")
    d.text(lx - 12, 80, "normal, from A into B", "muted small", "end")
    d.text(560, 215, "all points of one pair: a patch", "muted small", "middle")
    return d


def step():
    d = Drawing("step", 720, 190, "What a step does, in order: free motion, contact query, islands, solve, "
                "certify, integrate")
    stages = [("free motion", "v*, A"), ("contact query", "points, gaps"), ("islands", "linked bodies"),
              ("solve", "v, γ"), ("certify", "is it true?"), ("integrate", "q ← q ⊕ h v")]
    width, space = 102, 17
    for i, (name, note) in enumerate(stages):
        x = 8 + i * (width + space)
        d.box(x, 40, width, 56)
        d.text(x + width / 2, 64, name, anchor="middle")
        d.text(x + width / 2, 84, note, "muted small", "middle")
        if i:
            d.arrow(x - space, 68, x, 68)
    d.line([(654, 96), (654, 140), (52, 140), (52, 104)], "muted dashed")
    d.head(52, 97, 0, -1, "muted")
    d.text(372, 160, "q and v of the next step; last impulses as a start", "muted small", "middle")
    d.text(8, 25, "q, v at the start of the step", "muted small")
    d.text(708, 25, "recorded: status, certificate, contacts", "muted small", "end")
    return d


class Axes:
    """A diagram in a rectangle of a drawing."""

    def __init__(self, drawing, x, y, w, h, across, up):
        self.d, self.x, self.y, self.w, self.h, self.across, self.up = drawing, x, y, w, h, across, up
        drawing.line([(x, y), (x, y + h), (x + w, y + h)], "muted")

    def at(self, a, b):
        return (self.x + self.w * (a - self.across[0]) / (self.across[1] - self.across[0]),
                self.y + self.h * (1 - (b - self.up[0]) / (self.up[1] - self.up[0])))

    def curve(self, points, classes):
        self.d.line([self.at(a, b) for a, b in points], classes)

    def labels(self, across, up):
        self.d.text(self.x + self.w / 2, self.y + self.h + 36, across, "ink small", "middle")
        self.d.text(self.x - 8, self.y - 10, up, "ink small")


def cone():
    d = Drawing("cone", 720, 270, "Left: the friction cone; impulses inside stick, impulses on its border slip. "
                "Right: friction over slip speed: Coulomb's law jumps, the regularized law rises steadily and "
                "creeps at every load")
    apex, top, half = (170, 225), 60, 105  # a cone of friction 0.64
    d.area([apex, (apex[0] - half, top), (apex[0] + half, top)])
    d.line([(apex[0] - half, top), apex, (apex[0] + half, top)], "ink thick")
    d.line([(30, 225), (310, 225)], "muted")
    d.arrow(*apex, apex[0], 32, "muted")
    d.text(apex[0] + 8, 42, "γₙ", "ink")
    d.text(306, 243, "γₜ", "ink", "end")
    d.arrow(*apex, apex[0] + 25, 105, "blue")
    d.text(262, 112, "sticks:", "blue small")
    d.text(262, 128, "‖γₜ‖ &lt; μ γₙ", "blue small")
    at = 0.55
    d.arrow(*apex, apex[0] - half * at, 225 - (225 - top) * at, "red")
    d.text(14, 150, "slips:", "red small")
    d.text(14, 166, "‖γₜ‖ = μ γₙ", "red small")
    d.text(apex[0] + 62, 200, "tan = μ", "muted small")
    axes = Axes(d, 400, 50, 290, 170, (0, 0.6), (0, 1.15))
    law = [(v, v / math.hypot(v, 0.1)) for v in (i * 0.6 / 120 for i in range(121))]
    axes.curve([(0, 0), (0, 1), (0.6, 1)], "ink dashed")
    axes.curve(law, "blue thick")
    creep = 0.1 / math.sqrt(3)
    axes.curve([(0, 0.5), (creep, 0.5), (creep, 0)], "red dashed")
    d.circle(*axes.at(creep, 0.5), 5, "red-area")
    x, y = axes.at(creep, 0.5)
    d.text(x + 12, y + 6, "half the limit: creeps at ε/√3", "red small")
    x, y = axes.at(0.3, 1)
    d.text(x, y - 8, "Coulomb", "ink small")
    x, y = axes.at(0.22, 0.8)
    d.text(x, y + 2, "regularized", "blue small")
    axes.labels("slip speed ‖vₜ‖ [mm/s]", "‖γₜ‖ / (μ γₙ)")
    for v in (0, 0.1, 0.2, 0.3, 0.4, 0.5):
        d.text(axes.at(v, 0)[0], 236, f"{v:g}", "muted small", "middle")
    for share in (0.5, 1):
        d.text(392, axes.at(0, share)[1] + 4, f"{share:g}", "muted small", "end")
    return d


def near_rigid():
    d = Drawing("near_rigid", 720, 300, "Depth of 1 kg at rest over stiffness: it falls as m g over k until the "
                "step cannot resolve a stiffer contact, from where SAP keeps it constant")
    axes = Axes(d, 90, 40, 480, 205, (3, 10), (-9, -2))
    g, tau = 9.81, 1e-4
    for h, colour, label in ((1e-2, "red", "10 ms"), (2e-3, "blue", "2 ms"), (1e-3, "green", "1 ms")):
        floor = g * h * (h + tau) / (4 * math.pi ** 2)
        points = [(k / 20, math.log10(max(g / 10 ** (k / 20), floor))) for k in range(60, 201)]
        axes.curve(points, f"{colour} thick")
        x, y = axes.at(10, math.log10(floor))
        d.text(x + 8, y + 4, f"h = {label}: {floor * 1e6:.2g} µm", f"{colour} small")
    axes.curve([(k / 20, math.log10(g / 10 ** (k / 20))) for k in range(60, 201)], "ink dashed")
    x, y = axes.at(9.3, math.log10(g) - 9.3)
    d.text(x - 16, y + 14, "m g/k", "ink small", "end")
    for k in range(3, 11):
        d.text(axes.at(k, 0)[0], 262, f"10{superscript(k)}", "muted small", "middle")
    for e in range(-9, -1, 1):
        d.text(82, axes.at(3, e)[1] + 4, f"10{superscript(e)}", "muted small", "end")
    axes.labels("stiffness k [N/m]", "depth of 1 kg at rest on one point [m], SAP")
    return d


def superscript(n):
    return str(n).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def islands():
    d = Drawing("islands", 720, 230, "Three islands: a stack of two boxes, a heap of three balls, and a lone ball "
                "in flight. The ground links nothing")
    d.area([(20, 180), (700, 180), (700, 222), (20, 222)])
    d.line([(20, 180), (700, 180)])
    d.text(40, 207, "the world does not move, and links nothing", "muted small")
    for y in (115, 50):
        d.box(85, y, 110, 64, "soft-area", 0)
        d.line([(85, y), (195, y), (195, y + 64), (85, y + 64), (85, y)])
    balls = [(330, 140), (410, 140), (370, 70.7)]
    for x, y in balls:
        d.circle(x, y, 40, "soft-area")
        d.circle(x, y, 40, "ink")
    d.circle(585, 75, 36, "soft-area")
    d.circle(585, 75, 36, "ink")
    d.arrow(585, 75, 585, 150, "muted")
    links = [((140, 82), (140, 147)), (balls[0], balls[1]), (balls[0], balls[2]), (balls[1], balls[2])]
    for a, b in links:
        d.line([a, b], "blue thick")
    for x, y in [(140, 82), (140, 147), *balls, (585, 75)]:
        d.circle(x, y, 6, "blue-area")
    for x, text in ((140, "island 1: 2 trees, 1 patch"), (370, "island 2: 3 trees, 3 patches"),
                    (585, "island 3: no contact")):
        d.text(x, 22, text, "ink small", "middle")
    return d


def certificate():
    d = Drawing("certificate", 720, 190, "The solver turns the problem into velocities and impulses; certify reads "
                "the problem and the answer, and writes the laws out a second time")
    for x, name, note in ((20, "contact problem", "A, v*, contacts, laws"), (280, "solver", "newton, ..."),
                          (540, "answer", "v, γ")):
        d.box(x, 30, 160, 54)
        d.text(x + 80, 53, name, anchor="middle")
        d.text(x + 80, 72, note, "muted small", "middle")
    d.arrow(180, 57, 280, 57)
    d.arrow(440, 57, 540, 57)
    d.box(250, 126, 220, 54)
    d.text(360, 149, "certify()", anchor="middle")
    d.text(360, 168, "its own code for every law", "muted small", "middle")
    d.line([(100, 84), (100, 153), (242, 153)], "blue")
    d.head(250, 153, 1, 0, "blue")
    d.line([(620, 84), (620, 153), (478, 153)], "blue")
    d.head(470, 153, -1, 0, "blue")
    d.text(112, 143, "A (v − v*) = Jᵀγ ?", "blue small")
    d.text(608, 143, "γ = law(v) ?", "blue small", "end")
    return d


def bounce():
    d = Drawing("bounce", 720, 240, "Force over time while a ball bounces: many small steps follow the half sine, "
                "one large step takes what stops the ball, and leaves no bounce")
    for x, title, steps, colour in ((60, "h = T/40: the bounce is resolved", 20, "blue"),
                                    (410, "h = T: one step stops the ball, it does not bounce", 0.5, "red")):
        axes = Axes(d, x, 45, 270, 145, (0, 2.2), (0, 1.15))
        curve = [(0.5, 0)] + [(0.5 + t / 60, math.sin(math.pi * t / 60)) for t in range(61)]
        axes.curve(curve, "ink dashed")
        if steps > 1:
            points = []
            for i in range(steps):
                force = math.sin(math.pi * (i + 0.5) / steps)
                points += [(0.5 + i / steps, force), (0.5 + (i + 1) / steps, force)]
        else:
            points = [(0, 0), (0, 0.5 / math.pi), (2, 0.5 / math.pi), (2, 0)]
        axes.curve(points, f"{colour} thick")
        d.text(x, 28, title, f"{colour} small")
        d.text(x - 8, 60, "f", "ink small", "end")
        d.text(x + 270, 208, "t", "ink small", "end")
        a, b = axes.at(0.5, 0), axes.at(1.5, 0)
        d.arrow(a[0], 203, b[0], 203, "muted", both=True)
        d.text((a[0] + b[0]) / 2, 222, "T/2 = π √(m/k)", "muted small", "middle")
    return d


FIGURES = [contact, step, cone, near_rigid, islands, certificate, bounce]


def main():
    FOLDER.mkdir(exist_ok=True)
    different = []
    for draw in FIGURES:
        drawing = draw()
        path = FOLDER / f"{drawing.name}.svg"
        if "--check" not in sys.argv:
            path.write_text(drawing.write())
        elif not path.exists() or path.read_text() != drawing.write():
            different.append(path.name)
    if different:
        sys.exit(f"not as tools/draw_figures.py draws them: {', '.join(different)}")


if __name__ == "__main__":
    main()
