# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The four drawings of docs/hoal.md: `python docs/drawings/hoal.py` writes them to docs/images.

Forces on the chain and the life of a contact come from a short run of `boa_circle`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT), str(Path(__file__).parent)]

from svg import Sheet

from boa_control.experiments.experiment import Experiment, prepare
from boa_control.experiments.library import load_scenario
from boa_control.messages import topics
from boa_description.arrays import Array
from boa_tools.runs.drive import run_experiment
from boa_tools.runs.runlog import RunLog

IMAGES = ROOT / "docs" / "images"
SCENARIO, DURATION = "boa_circle", 34.0  # s
INSTANT = 26.0  # s, of the forces


def forces(log: RunLog, experiment: Experiment) -> Sheet:
    """Contact forces and joint torques on the chain at one instant."""
    robot = experiment.robot
    tick = int(np.searchsorted(log.time, INSTANT))
    headings = log.truth.base[tick, 2] + np.r_[0.0, np.cumsum(log.truth.joint_position[tick])]
    axes = log.truth.base[tick, :2] + np.vstack(
        [np.zeros(2), np.cumsum(robot.link.pitch * _unit(headings), axis=0)]
    )
    chord = axes[-1] - axes[0]
    turn = _turn(-np.arctan2(chord[1], chord[0]))
    scale, origin = 365.0, np.array([70.0, 205.0])

    def place(points: Array) -> Array:
        return origin + scale * ((points - axes[0]) @ turn.T) * [1, -1]

    sheet = Sheet(760, 425, "Contact forces and joint torques on a chain of 13 links between posts")
    assert experiment.path is not None
    curve = experiment.path.curve
    ends = log.debug["progress_m"][tick] + np.array([-1.05, 1.1])
    way = place(np.array([curve.position(s) for s in np.linspace(*ends, 200)]))
    sheet.path([(x, y) for x, y in way], "dashed")
    spine = [(x, y) for x, y in place(axes)]
    width = 2 * robot.link.radius * scale
    sheet.add(_polyline(spine, "body", width))
    sheet.path([(x, y) for x, y in way], "dashed")
    sheet.path(spine, "line")
    for x, y in spine[1:-1]:
        sheet.circle(x, y, 2.6, "line-head")
    for post in experiment.path.contacts:
        x, y = place(np.array([post.x, post.y]))
        if 0 < x < 760 and 90 < y < 365:
            sheet.circle(x, y, post.radius * scale, "post")
    for k, torque in enumerate(log.applied[tick]):
        _torque(sheet, spine[k + 1], float(torque))
    contacts = log.true_contacts
    rows = np.flatnonzero((contacts.tick == tick) & (contacts.normal_force > 0.1))
    rows = rows[np.argsort(place(contacts.point[rows])[:, 0])]
    labels = []
    for row in rows:
        normal = turn @ contacts.normal[row] * [1, -1]
        tip = place(contacts.point[row])
        size = float(contacts.normal_force[row])
        begin = tip - normal * (6 + 7 * size)
        sheet.arrow((begin[0], begin[1]), (tip[0], tip[1]), style="force")
        post = experiment.path.posts[contacts.obstacle[row]]
        label = tip - normal * max(2 * post.radius * scale + 21, 22 + 7 * size)
        if labels and np.all(np.abs(label - labels[-1][0]) < [62, 36]):  # make room between them
            middle = (label[0] + labels[-1][0][0]) / 2
            labels[-1][0][0], label[0] = middle - 31, middle + 31
        onwards = np.array([-post.y, post.x])  # along the circle of the path
        word = "propels" if contacts.normal[row] @ onwards > 0 else "brakes"
        labels.append((label, f"{size:.1f} N", word, normal[1] < 0))
    for (x, y), force, word, below in labels:
        sheet.text(x, y + 2, force, "force-text", "middle")
        sheet.text(x, y + (17 if below else -14), word, "small", "middle")
    sheet.text(30, spine[0][1] + 46, "tail", "small")
    head = spine[-1]
    sheet.text(head[0] - 4, head[1] + 40, "head", "small")
    sheet.text(30, 34, "13 links between posts, at 0.1 m/s to the right", "bold")
    count = rows.size
    sheet.text(
        30,
        56,
        f"{count} contact forces λ, three equations for the body as a whole: forces",
        "small",
    )
    sheet.text(
        30, 73, f"along x and y, and their moment. So {count - 3} numbers are free; the QP", "small"
    )
    sheet.text(30, 90, "chooses them such that all forces are near f₀ = 5 N.", "small")
    sheet.text(430, 56, "Joint torques press with -Jᵩᵀλ, keep the shape", "small")
    sheet.text(430, 73, "in the directions that no post blocks, and", "small")
    sheet.text(430, 90, "never exceed what the servos can give.", "small")
    sheet.path([(30, 396), (52, 396)], "force", arrow=True)
    sheet.text(60, 400, "λ: what a post pushes, along the normal of the flank", "small")
    _torque(sheet, (380, 396), 1.5)
    sheet.text(398, 400, "τ: joint torque, arc in proportion", "small")
    sheet.path([(596, 396), (626, 396)], "dashed")
    sheet.text(634, 400, "planned path", "small")
    return sheet


def contact(log: RunLog, experiment: Experiment) -> Sheet:
    """One post from the nose to the tail, over the path coordinate."""
    post = _whole_passage(log)
    rows = np.flatnonzero(log.contacts.obstacle == post)
    ticks = log.contacts.tick[rows]
    s = log.debug["progress_m"][ticks]
    s = s - s[0]
    sheet = Sheet(
        760, 470, "One contact over the path: gained at the nose, passed on, lost at the tail"
    )
    left, right = 88.0, 735.0

    def across(value: float) -> float:
        return left + (right - left) * (value + 0.06) / (s[-1] + 0.12)

    ramp = load_scenario(SCENARIO).controller.parameters.get("contact_ramp", 0.03)
    for a, b in ((0.0, ramp), (s[-1] - ramp, s[-1])):
        sheet.rectangle(across(a), 44, across(b) - across(a), 376, "band")
    sheet.text(across(ramp / 2), 34, "gain", "bold", "middle")
    sheet.text(across(s[-1] / 2), 34, "pass from link to link", "bold", "middle")
    sheet.text(across(s[-1] - ramp / 2), 34, "lose", "bold", "middle")

    # activation, from 0 to 1
    top, bottom = 60.0, 110.0
    _axis(sheet, left, right, top, bottom, ["0", "1"])
    corners = [(-0.06, 0), (0, 0), (ramp, 1), (s[-1] - ramp, 1), (s[-1], 0), (s[-1] + 0.06, 0)]
    sheet.path([(across(x), bottom - (bottom - top) * y) for x, y in corners], "torque")
    sheet.text(across(0.14), top + 20, "share a of the force, from the map alone", "torque-text")

    # touching link
    top, bottom = 140.0, 245.0
    links = experiment.robot.links
    _axis(sheet, left, right, top, bottom, ["1 (tail)", f"{links} (head)"])
    height = (bottom - top) / (links - 1)
    steps: list[tuple[float, float]] = []
    for place, link in zip(s, log.contacts.link[rows], strict=True):
        y = bottom - height * link
        if steps and steps[-1][1] != y:
            steps.append((across(place), steps[-1][1]))
            sheet.path([(across(place), 250), (across(place), 400)], "thin")
        if not steps or steps[-1][1] != y:
            steps.append((across(place), y))
    steps.append((across(s[-1]), steps[-1][1]))
    sheet.path(steps, "green")
    sheet.text(
        across(s[-1] * 0.52),
        top + 22,
        "touching link; where it changes, the joint is straight",
        "green-text",
    )

    # forces
    top, bottom, most = 275.0, 400.0, 10.0
    _axis(sheet, left, right, top, bottom, ["0 N", f"{most:.0f} N"])

    def up(force: Array) -> Array:
        return bottom - (bottom - top) * force / most

    true = _true_force(log, post, ticks)
    for values, style in ((true, "force wide"), (log.contacts.reference[rows], "line")):
        points = [(across(x), float(y)) for x, y in zip(s, up(values), strict=True)]
        sheet.path(points[::8], style)
    sheet.path(
        [(across(-0.06), up(np.array(5.0))), (across(s[-1] + 0.06), up(np.array(5.0)))], "dashed"
    )
    sheet.text(right - 2, float(up(np.array(5.0))) - 5, "f₀", "formula", "end")
    sheet.text(across(0.06), top + 6, "true force", "force-text")
    sheet.text(
        across(0.06) + 70,
        top + 6,
        "(wide) and its feasible reference λ (thin): as near to f₀ as equilibrium allows",
        "small",
    )

    for value in np.arange(0.0, s[-1], 0.25):
        x = across(value)
        sheet.path([(x, 420), (x, 425)], "line")
        sheet.text(x, 440, f"{value:.2f}", "small", "middle")
    sheet.path([(left, 420), (right, 420)], "line")
    sheet.text(
        (left + right) / 2,
        460,
        "path coordinate s since the nose reached the post, m",
        "small",
        "middle",
    )
    return sheet


def block_diagram() -> Sheet:
    """The controller as blocks, with the units between them."""
    sheet = Sheet(760, 560, "Block diagram of the controller hoal with units")
    sheet.rectangle(14, 14, 732, 418, "region")
    sheet.text(28, 34, "hoal, once per control tick", "small")

    sheet.box(
        40,
        56,
        190,
        62,
        ["Progress observer", "where on the path?", "~least squares over all joints"],
    )
    sheet.box(285, 56, 190, 62, ["Path model", "the chain at s:", "~shape, inertia, bias"])
    sheet.box(
        530,
        56,
        190,
        62,
        ["Contact plan", "which post at which link?", "~map between tail and head"],
    )
    sheet.box(40, 196, 190, 66, ["Loops", "speed along the path,", "shape across it"])
    sheet.box(285, 190, 190, 80, ["QP", "accelerations and", "contact forces together"], "main")
    sheet.box(
        530, 196, 190, 66, ["Engagement", "how much may it carry yet?", "~start; posts off the map"]
    )
    sheet.box(530, 340, 190, 62, ["Friction observer", "gearboxes and floor"])
    sheet.box(285, 470, 190, 66, ["Plant", "torque gate, servos,", "chain between posts"], "plant")

    sheet.arrow((230, 87), (284, 87))
    sheet.text(257, 80, "s", "formula", "middle")
    sheet.text(257, 104, "m", "small", "middle")
    sheet.arrow((475, 87), (529, 87))
    sheet.text(502, 80, "σ", "formula", "middle")
    sheet.text(502, 104, "m", "small", "middle")
    sheet.arrow((135, 118), (135, 195))
    sheet.text(142, 146, "s, ṡ, shape error", "formula")
    sheet.text(142, 164, "m, m/s, rad", "small")
    sheet.arrow((380, 118), (380, 189))
    sheet.text(388, 146, "M, b, J", "formula")
    sheet.text(388, 164, "kg m², N m, m", "small")
    sheet.arrow((625, 118), (625, 195))
    sheet.text(632, 146, "a, post k at link j", "formula")
    sheet.text(632, 164, "0 to 1", "small")
    sheet.arrow((230, 229), (284, 229))
    sheet.text(257, 221, "δ*", "formula", "middle")
    sheet.text(257, 246, "rad/s²", "small", "middle")
    sheet.arrow((530, 229), (476, 229))
    sheet.text(503, 221, "f₀a", "formula", "middle")
    sheet.text(503, 246, "N", "small", "middle")
    sheet.arrow((560, 340), (560, 300), (440, 300), (440, 271))
    sheet.text(566, 322, "known friction, N m", "small")
    sheet.arrow((345, 270), (345, 469), style="torque")
    sheet.text(336, 374, "τ", "formula torque-text", "end")
    sheet.text(336, 392, "N m", "small", "end")
    sheet.arrow((415, 270), (415, 318))
    sheet.text(421, 336, "λ: reference", "small", "middle")
    sheet.text(421, 351, "of each force, N", "small", "middle")

    sheet.path([(285, 503), (24, 503), (24, 87)], "line")
    sheet.arrow((24, 87), (39, 87))
    sheet.path([(24, 229), (24, 229)], "line")
    sheet.arrow((24, 229), (39, 229))
    sheet.text(40, 488, "φ, φ̇: joint angles and rates", "formula")
    sheet.text(40, 522, "rad, rad/s, every tick", "small")
    sheet.path([(475, 503), (736, 503), (736, 229)], "line")
    sheet.arrow((736, 371), (721, 371))
    sheet.arrow((736, 229), (721, 229))
    sheet.text(490, 488, "F, a, ω: joint forces and IMUs", "formula")
    sheet.text(490, 522, "N, m/s², rad/s, 100 times a second", "small")
    return sheet


def two_nodes() -> Sheet:
    """The two nodes of a run in ROS, and what they tell each other."""
    sheet = Sheet(760, 380, "The two nodes plant and controller and the topics between them")
    sheet.rectangle(20, 44, 250, 316, "region")
    sheet.rectangle(490, 44, 250, 230, "region")
    sheet.text(145, 34, "node /boa/plant", "bold", "middle")
    sheet.text(615, 34, "node /boa/controller", "bold", "middle")
    sheet.box(
        40, 62, 210, 62, ["read", "sensors into one frame,", "~stamped where it was taken"], "box"
    )
    sheet.box(
        40,
        180,
        210,
        62,
        ["torque gate", "only ever reduces; fades", "~without an answer in time"],
        "main",
    )
    sheet.box(40, 288, 210, 54, ["MuJoCo, or the robot", "~servo bus and CAN spine"], "plant")
    sheet.box(
        510,
        62,
        210,
        62,
        ["frame guard", "a frame that lacks a joint", "~is answered with zero torque"],
        "box",
    )
    sheet.box(510, 188, 210, 62, ["hoal", "step(frame) → torque,", "~contacts, events"], "main")
    name = {key: topics_name(topic) for key, topic in TOPICS.items()}
    for k, (key, unit) in enumerate(
        (("joints", "rad, rad/s, N m"), ("forces", "N"), ("imu", "rad, rad/s, m/s²"))
    ):
        y = 76 + 20 * k
        sheet.arrow((250, y), (509, y))
        sheet.text(380, y - 4, f"{name[key]}: {unit}", "small", "middle")
    sheet.arrow((510, 211), (251, 211), style="torque")
    sheet.text(380, 204, f"{name['command']}: N m", "torque-text", "middle")
    sheet.text(380, 230, "carries the stamp of the", "small", "middle")
    sheet.text(380, 246, "joint_states it answers", "small", "middle")
    sheet.arrow((615, 124), (615, 187))
    sheet.arrow((120, 242), (120, 287), style="torque")
    sheet.text(128, 270, "N m, limited", "small")
    sheet.path([(40, 315), (30, 315), (30, 93)], "line")
    sheet.arrow((30, 93), (39, 93))
    sheet.arrow((615, 250), (615, 300))
    sheet.text(615, 318, f"{name['contacts']}, {name['events']}", "small", "middle")
    sheet.text(615, 336, "for whoever watches: recorder, RViz, PlotJuggler", "small", "middle")
    sheet.text(380, 292, "In lockstep the plant waits", "small", "middle")
    sheet.text(380, 308, "for exactly that stamp:", "small", "middle")
    sheet.text(380, 324, "the same run, bit for bit.", "small", "middle")
    return sheet


TOPICS = {
    "joints": topics.JOINT_STATES,
    "forces": topics.JOINT_FORCES,
    "imu": topics.IMU,
    "command": topics.TORQUE_COMMAND,
    "contacts": topics.CONTACTS,
    "events": topics.EVENTS,
}


def topics_name(topic: topics.Topic) -> str:
    """Name without namespace."""
    return topic.name.removeprefix("/boa/")


def _unit(headings: Array) -> Array:
    return np.column_stack([np.cos(headings), np.sin(headings)])


def _turn(angle: float) -> Array:
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s], [s, c]])


def _polyline(points: list[tuple[float, float]], style: str, width: float) -> str:
    way = " L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path d="M{way}" class="{style}" stroke-width="{width:.1f}" stroke-linejoin="round"/>'


def _torque(sheet: Sheet, centre: tuple[float, float], torque: float) -> None:
    """An arc around a joint, counter-clockwise for a positive torque, 1 rad per N m."""
    radius, sweep = 9.0, float(np.clip(1.4 * abs(torque), 0.15, 5.0))
    begin = np.pi / 2 - sweep / 2
    angles = np.linspace(begin, begin + sweep, 24)[:: 1 if torque > 0 else -1]
    points = [(centre[0] + radius * np.cos(a), centre[1] - radius * np.sin(a)) for a in angles]
    sheet.path(points, "torque", arrow=abs(torque) > 0.3)


def _axis(
    sheet: Sheet, left: float, right: float, top: float, bottom: float, labels: list[str]
) -> None:
    sheet.path([(left, top - 6), (left, bottom)], "line")
    sheet.path([(left, bottom), (right, bottom)], "thin")
    sheet.text(left - 8, bottom + 4, labels[0], "small", "end")
    sheet.text(left - 8, top + 4, labels[1], "small", "end")


def _whole_passage(log: RunLog) -> int:
    """A post that the nose reached after the start and the tail left before the end."""
    contacts, last = log.contacts, len(log.time) - 1
    for post in np.unique(contacts.obstacle):
        ticks = contacts.tick[contacts.obstacle == post]
        if log.time[ticks[0]] > 5.0 and ticks[-1] < last:
            return int(post)
    raise ValueError("no post is passed from nose to tail; run longer")


def _true_force(log: RunLog, post: int, ticks: Array) -> Array:
    """Sum of the true forces of the post at each of the ticks, N."""
    total = np.zeros(len(log.time))
    touching = log.true_contacts.obstacle == post
    np.add.at(total, log.true_contacts.tick[touching], log.true_contacts.normal_force[touching])
    return total[ticks]


def main() -> None:
    """Write all four."""
    experiment = prepare(load_scenario(SCENARIO).model_copy(update={"duration": DURATION}))
    log = run_experiment(experiment).log
    drawings = {
        "hoal_forces": forces(log, experiment),
        "hoal_blocks": block_diagram(),
        "hoal_contact": contact(log, experiment),
        "hoal_nodes": two_nodes(),
    }
    for name, sheet in drawings.items():
        (IMAGES / f"{name}.svg").write_text(str(sheet), encoding="utf-8")


if __name__ == "__main__":
    main()
