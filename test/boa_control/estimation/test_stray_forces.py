"""Forces on links that no planned contact explains."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from boa_control.estimation.stray_forces import (
    LinkForces,
    largest_joint_force,
    link_forces,
    unexplained,
)
from boa_control.model.contact_set import ContactSet
from boa_control.model.dynamics import PlanarChain
from boa_control.model.path_model import Sideways
from boa_control.plant import ForceSample, ImuSample, SensorFrame
from boa_description.arrays import Array
from boa_description.load import load_robot

ROBOT = load_robot("boa3")
PITCH = ROBOT.link.pitch
LINKS = 5


def planned(places: Sequence[tuple[int, float, int, float]]) -> ContactSet:
    """Contacts (link, offset, side, inside)."""
    count = len(places)
    link, offset, side, inside = (np.array(column) for column in zip(*places, strict=True))
    return ContactSet(
        post=np.arange(count),
        obstacle=np.arange(count),
        link=link,
        offset=offset,
        side=side,
        normal=np.column_stack([np.zeros(count), -side]),
        distance=np.zeros(count),
        reach=np.zeros(count),
        inside=inside,
        activation=np.ones(count),
        redundant=np.zeros(count, bool),
        two_sided=False,
        at_flanks=True,
    )


def forces(across: Sequence[float], along: Sequence[float] | None = None) -> LinkForces:
    return LinkForces(
        np.zeros(LINKS) if along is None else np.array(along, float), np.array(across, float)
    )


def test_a_force_on_the_side_of_a_planned_post_is_explained() -> None:
    """A post on the left (+1) pushes to the right: negative."""
    contacts = planned([(2, PITCH / 2, 1, 0.3)])
    rest = unexplained(forces([0, 0, -8, 0, 0]), contacts, PITCH)
    assert not rest.across.any()


def test_a_force_from_the_other_side_is_not() -> None:
    contacts = planned([(2, PITCH / 2, 1, 0.3)])
    rest = unexplained(forces([0, 0, 8, 0, 0]), contacts, PITCH)
    assert rest.across.tolist() == [0, 0, 8, 0, 0]


@pytest.mark.parametrize(("offset", "neighbour"), [(0.01, 1), (PITCH - 0.01, 3)])
def test_near_a_joint_the_post_may_be_on_the_neighbour(offset: float, neighbour: int) -> None:
    contacts = planned([(2, offset, -1, 0.3)])
    across = np.zeros(LINKS)
    across[neighbour] = 5.0
    assert not unexplained(forces(list(across)), contacts, PITCH).across.any()
    far = planned([(2, PITCH / 2, -1, 0.3)])
    assert unexplained(forces(list(across)), far, PITCH).across[neighbour] == 5.0


def test_a_post_at_the_tip_may_push_along_it() -> None:
    along = [0.0, 0, 0, 0, -7.0]
    at_the_tip = planned([(4, PITCH, 1, -0.02)])
    further_back = planned([(4, PITCH / 2, 1, 0.15)])
    assert unexplained(forces([0] * 5, along), at_the_tip, PITCH).along[4] == 0.0
    assert unexplained(forces([0] * 5, along), further_back, PITCH).along[4] == -7.0


def test_posts_that_stand_as_on_the_map_push_on_flanks_only() -> None:
    """What pushes along the tip, or far from a joint on the neighbour, is another post."""
    at_the_tip = planned([(4, PITCH, 1, -0.02)])
    along = [0.0, 0, 0, 0, -7.0]
    assert unexplained(forces([0] * 5, along), at_the_tip, PITCH, exact=True).along[4] == -7.0
    for offset, neighbour in ((0.03, 5.0), (0.01, 0.0)):
        contacts = planned([(2, offset, -1, 0.3)])
        rest = unexplained(forces([0, 5, 0, 0, 0]), contacts, PITCH, exact=True)
        assert rest.across[1] == neighbour


def test_silent_sensors_explain_themselves() -> None:
    contacts = planned([(0, PITCH / 2, 1, 0.3)])
    rest = unexplained(forces([0, np.nan, 0, 0, 0]), contacts, PITCH)
    assert rest.across.tolist() == [0, 0, 0, 0, 0]


def frame(joint_force: Array | None, acceleration: Array) -> SensorFrame:
    n = acceleration.shape[0]
    upright = np.tile([0.0, 0, 0, 1], (n, 1))
    return SensorFrame(
        stamp_ns=1,
        position=np.zeros(n - 1),
        velocity=np.zeros(n - 1),
        effort=np.zeros(n - 1),
        joint_force=None if joint_force is None else ForceSample(1, joint_force),
        imu=ImuSample(1, upright, np.zeros((n, 3)), acceleration, np.zeros(n)),
        temperature=np.full(n - 1, 25.0),
        joint_age=np.zeros(n - 1),
    )


def test_the_balance_of_every_link_gives_the_force_from_outside() -> None:
    """Three links, straight: outside forces chosen, joint forces from Newton by hand."""
    chain = PlanarChain(ROBOT)
    mass = chain.link_mass
    outside = np.array([[1.0, -4.0], [0.5, 6.0], [-2.0, 3.0]])
    acceleration = np.array([[0.3, 0.1], [0.3, -0.2], [0.3, 0.4]])
    # force of link i + 1 on link i: what link i needs beyond what it gets from outside and behind
    first = mass * acceleration[0] - outside[0]
    second = mass * acceleration[1] - outside[1] + first
    assert mass * acceleration[2] - outside[2] + second == pytest.approx(
        mass * acceleration.sum(0) - outside.sum(0)
    )
    balanced = outside.copy()
    balanced[2] = mass * acceleration[2] + second  # the last link closes the chain
    joint = np.zeros((2, 3))
    joint[0, :2], joint[1, :2] = first, second
    measured = link_forces(
        frame(joint, np.column_stack([acceleration, np.zeros(3)])),
        chain,
        Sideways(np.zeros(3), np.zeros(3)),
    )
    assert measured is not None
    assert measured.across == pytest.approx(balanced[:, 1])
    assert measured.along == pytest.approx(balanced[:, 0])


def test_without_force_sensors_there_is_nothing_to_tell() -> None:
    nothing = frame(None, np.zeros((3, 3)))
    assert link_forces(nothing, PlanarChain(ROBOT), Sideways(np.zeros(3), np.zeros(3))) is None


def test_the_largest_joint_force_is_horizontal_and_of_a_sensor_that_answers() -> None:
    silent = [np.nan, np.nan, np.nan]
    assert largest_joint_force(ForceSample(0, np.array([[3.0, -4.0, 9.0], silent]))) == 5.0
    assert largest_joint_force(ForceSample(0, np.array([silent, silent]))) == 0.0
