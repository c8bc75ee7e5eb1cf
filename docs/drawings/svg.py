# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""A sheet for drawings in SVG that can be read on light and on dark pages."""

from __future__ import annotations

from html import escape

STYLE = """
  .sheet { fill: #ffffff; }
  text { fill: #1f2a37; font: 13px "Segoe UI", "Helvetica Neue", Arial, "DejaVu Sans", sans-serif; }
  .small { font-size: 11.5px; fill: #55606e; }
  .bold { font-weight: 600; }
  .formula { font-family: "STIX Two Text", "Times New Roman", "DejaVu Serif", serif;
             font-style: italic; font-size: 15px; }
  .line { stroke: #55606e; stroke-width: 1.4; fill: none; }
  .dashed { stroke: #8a94a1; stroke-width: 1.2; fill: none; stroke-dasharray: 5 4; }
  .thin { stroke: #c9d0d8; stroke-width: 1; fill: none; }
  .box { fill: #f3f6f9; stroke: #55606e; stroke-width: 1.2; }
  .main { fill: #dcebfa; stroke: #2469a8; stroke-width: 1.6; }
  .plant { fill: #fdf1dc; stroke: #b0741a; stroke-width: 1.4; }
  .region { fill: none; stroke: #8a94a1; stroke-width: 1.2; stroke-dasharray: 3 4; }
  .body { stroke: #d5dde6; fill: none; stroke-linecap: round; }
  .post { fill: #8a94a1; stroke: #55606e; stroke-width: 1; }
  .force { stroke: #c8352b; stroke-width: 2.4; fill: none; }
  .wide { stroke-width: 4; stroke-opacity: 0.55; }
  .torque { stroke: #2469a8; stroke-width: 2; fill: none; }
  .green { stroke: #2b8a4b; stroke-width: 2; fill: none; }
  .band { fill: #2469a8; fill-opacity: 0.10; }
  .force-text { fill: #b02a21; } .torque-text { fill: #1f5c94; } .green-text { fill: #227340; }
  .force-head { fill: #c8352b; } .torque-head { fill: #2469a8; } .line-head { fill: #55606e; }
  .green-head { fill: #2b8a4b; }
  @media (prefers-color-scheme: dark) {
    .sheet { fill: #12171d; }
    text { fill: #e3e8ee; } .small { fill: #a7b1bd; }
    .line { stroke: #a7b1bd; } .dashed, .region { stroke: #77828f; } .thin { stroke: #333d48; }
    .box { fill: #1d252e; stroke: #a7b1bd; } .main { fill: #16324d; stroke: #6db3f2; }
    .plant { fill: #3a2b12; stroke: #e0a64b; } .body { stroke: #33404d; }
    .post { fill: #77828f; stroke: #a7b1bd; }
    .force { stroke: #ff7a6e; } .torque { stroke: #6db3f2; } .green { stroke: #62c584; }
    .band { fill: #6db3f2; fill-opacity: 0.14; }
    .force-text { fill: #ff8d83; } .torque-text { fill: #8ac3f5; } .green-text { fill: #7fd09b; }
    .force-head { fill: #ff7a6e; } .torque-head { fill: #6db3f2; } .line-head { fill: #a7b1bd; }
    .green-head { fill: #62c584; }
  }
"""
HEADS = ("line", "force", "torque", "green")  # classes whose lines can end in an arrow


def number(value: float) -> str:
    """A coordinate, to a tenth of a pixel."""
    return f"{value:.1f}".rstrip("0").rstrip(".") or "0"


class Sheet:
    """Shapes in pixels, x to the right, y down; everything drawn later lies above."""

    def __init__(self, width: float, height: float, title: str) -> None:
        """`title`: what the drawing shows, for those who cannot see it."""
        self._size = width, height
        self._title = title
        self._parts: list[str] = []

    def add(self, part: str) -> None:
        self._parts.append(part)

    def box(
        self, x: float, y: float, width: float, height: float, lines: list[str], style: str = "box"
    ) -> None:
        """A box with centred lines of text; the first is bold, those that begin with ~ small."""
        self.rectangle(x, y, width, height, style)
        top = y + height / 2 - 8.5 * (len(lines) - 1) + 4.5
        for k, line in enumerate(lines):
            kind = "bold" if k == 0 else "small" if line.startswith("~") else ""
            self.text(x + width / 2, top + 17 * k, line.lstrip("~"), kind, anchor="middle")

    def rectangle(self, x: float, y: float, width: float, height: float, style: str) -> None:
        corners = " ".join(
            f'{name}="{number(value)}"'
            for name, value in (("x", x), ("y", y), ("width", width), ("height", height))
        )
        self.add(f'<rect {corners} rx="6" class="{style}"/>')

    def text(self, x: float, y: float, text: str, style: str = "", anchor: str = "start") -> None:
        kind = f' class="{style}"' if style else ""
        place = f'x="{number(x)}" y="{number(y)}" text-anchor="{anchor}"'
        self.add(f"<text {place}{kind}>{escape(text)}</text>")

    def path(
        self, points: list[tuple[float, float]], style: str = "line", *, arrow: bool = False
    ) -> None:
        """A line through points; `arrow`: with a head at its end."""
        way = " L".join(f"{number(x)} {number(y)}" for x, y in points)
        head = f' marker-end="url(#{style.split()[0]})"' if arrow else ""
        self.add(f'<path d="M{way}" class="{style}"{head}/>')

    def arrow(self, *points: tuple[float, float], style: str = "line") -> None:
        self.path(list(points), style, arrow=True)

    def circle(self, x: float, y: float, radius: float, style: str) -> None:
        self.add(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" class="{style}"/>'
        )

    def __str__(self) -> str:
        width, height = (number(value) for value in self._size)
        markers = "".join(
            f'<marker id="{name}" viewBox="0 0 10 10" refX="8.5" refY="5" markerWidth="9" '
            f'markerHeight="9" markerUnits="userSpaceOnUse" orient="auto">'
            f'<path d="M0 1 L10 5 L0 9 z" class="{name}-head"/></marker>\n'
            for name in HEADS
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
            f'viewBox="0 0 {width} {height}" role="img">\n<title>{escape(self._title)}</title>\n'
            f"<style>{STYLE}</style>\n<defs>{markers}</defs>\n"
            f'<rect width="{width}" height="{height}" rx="8" class="sheet"/>\n'
            + "\n".join(self._parts)
            + "\n</svg>\n"
        )
