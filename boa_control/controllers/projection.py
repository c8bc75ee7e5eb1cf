# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Projectors of hybrid position and force control as pure functions.

West and Asada, "A method for the design of hybrid position/force controllers for manipulators
constrained by contact with the environment" (ICRA 1985), in the notation of the thesis, equations
3.45 to 3.58; and the regularised torque projection of thesis section 4.3.2.
"""

from dataclasses import dataclass

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError

RANK_TOLERANCE = 1e-9  # relative to the largest singular value


@dataclass(frozen=True, slots=True)
class ProjectionFilter:
    """The hybrid filter F of West and Asada.

    Attributes:
        matrix: shape (m, m), turns a desired joint motion into an allowed one; F = P_theta F (3.53)
            always holds.
        attainable: P_ep F = P_ep (3.54) holds. It can only hold when allowed motions produce every
            essential direction: rank(P_ep P_theta) = rank(P_ep). If not, the essential motion
            contradicts the contacts.
        task_error: largest essential motion that F loses, per unit of desired motion: |P_ep F -
            P_ep|_2.
    """

    matrix: Array
    attainable: bool
    task_error: float


def pseudo_inverse(matrix: Array) -> Array:
    """Moore-Penrose inverse, with the rank decided by `RANK_TOLERANCE`."""
    inverse: Array = np.asarray(np.linalg.pinv(matrix, rcond=RANK_TOLERANCE), float)
    return inverse


def motion_projector(contact_jacobian: Array) -> Array:
    """P_theta = I - J_c^+ J_c (3.48): joint motions, (m,), that leave all contacts as they are."""
    projector: Array = np.eye(contact_jacobian.shape[1]) - force_projector(contact_jacobian)
    return projector


def force_projector(contact_jacobian: Array) -> Array:
    """P_F = J_c^+ J_c (3.49): the orthogonal complement of the allowed motions."""
    projector: Array = pseudo_inverse(contact_jacobian) @ contact_jacobian
    return projector


def essential_projector(selection: Array) -> Array:
    """E (E' E)^-1 E' (3.50, 3.51): orthogonal projector onto the columns of `selection`, (m, k).

    Raises:
        BoaError: the columns are dependent, so E' E has no inverse.
    """
    if selection.shape[1] == 0:
        return np.zeros((selection.shape[0], selection.shape[0]))
    singular = np.linalg.svd(selection, compute_uv=False)
    if selection.shape[1] > selection.shape[0] or singular[-1] <= RANK_TOLERANCE * singular[0]:
        raise BoaError(
            f"essential directions of shape {selection.shape} are linearly dependent "
            f"(smallest singular value {singular[-1]:.1e}); give each direction once"
        )
    projector: Array = selection @ np.linalg.solve(selection.T @ selection, selection.T)
    return projector


def projection_filter(contact_jacobian: Array, essential: Array) -> ProjectionFilter:
    """The hybrid projection filter: essential motion exact, all other motion as near to the desired
    one as allowed.

    The general solution of 3.53 is F = P_theta Y. Putting it into 3.54 and taking the Y nearest to
    I gives F = P_theta + P_theta (P_ep P_theta)^+ (P_ep - P_ep P_theta). The thesis prints P_F for
    the second and third P_theta (3.55 to 3.58); that keeps 3.54 and breaks 3.53.
    Where 3.54 is unattainable, the pseudo-inverse makes P_ep F the nearest to P_ep that the
    contacts allow, and `attainable` is False.

    Args:
        contact_jacobian: shape (nc, m), J_c of eq. 3.47 in joint space (see `eliminate_base`).
        essential: shape (m, k), columns are the essential position directions E_P in joint space.
    """
    allowed, desired = motion_projector(contact_jacobian), essential_projector(essential)
    matrix = allowed + allowed @ pseudo_inverse(desired @ allowed) @ (desired - desired @ allowed)
    error = float(np.linalg.norm(desired @ matrix - desired, ord=2))
    return ProjectionFilter(matrix, error < 1e-6, error)


def shortened(motion: Array, largest: float) -> Array:
    """`motion`, shape (m,), made smaller as a whole until no joint exceeds `largest`.

    What the contacts allow is a linear space: a shorter motion of the same direction stays in it,
    one that is cut joint by joint does not.
    """
    needed = float(np.abs(motion).max())
    return motion if needed <= largest else motion * (largest / needed)


def eliminate_base(jacobian: Array) -> Array:
    """Contact Jacobian in joint space of a floating chain: J_c with J_c phi_dot = 0 exactly where
    the base can follow, that is where J_b v + J_phi phi_dot = 0 for some base velocity v.

    Args:
        jacobian: shape (nc, 3 + m), gap Jacobian with the three base columns first.

    Returns:
        Shape (nc - rank(J_b), m); no rows while the contacts leave all joint motions possible.
    """
    base, joints = jacobian[:, :3], jacobian[:, 3:]
    left, singular, _ = np.linalg.svd(base)
    rank = int((singular > RANK_TOLERANCE * singular[:1].max(initial=1e-300)).sum())
    reduced: Array = left[:, rank:].T @ joints
    return reduced


def regularised_projector(contact_jacobian: Array, regularisation: float) -> Array:
    """I - J' (J J' + r I)^-1 J, the torque projection of thesis 4.3.2 (there r = 1).

    With r > 0 it is not a projector: a torque against a contact is only reduced, by s^2 / (s^2 + r)
    for the singular value s of J. With r -> 0 it becomes I - J^+ J.

    Args:
        contact_jacobian: shape (nc, m).
        regularisation: r > 0, m2.
    """
    count, m = contact_jacobian.shape
    if not count:
        return np.eye(m)
    inner = contact_jacobian @ contact_jacobian.T + regularisation * np.eye(count)
    projector: Array = np.eye(m) - contact_jacobian.T @ np.linalg.solve(inner, contact_jacobian)
    return projector


def attainable_forces(jacobian: Array, desired: Array) -> Array:
    """The contact forces nearest to `desired` that a chain at rest can have, shape (nc,), N.

    No joint torque can push the free base, so contact forces at rest obey J_b' lam = 0; what
    remains of `desired` is its orthogonal projection onto that space. Fewer than four contacts in
    general position leave only zero.

    Args:
        jacobian: shape (nc, 3 + m), gap Jacobian with the base columns first.
        desired: shape (nc,), N.
    """
    base = jacobian[:, :3]
    attainable: Array = desired - base @ (pseudo_inverse(base) @ desired)
    return attainable


def static_forces(jacobian: Array, torque: Array) -> Array:
    """Contact forces that hold the chain at rest against joint torques: J_b' lam = 0, J_phi' lam =
    -tau; least squares.

    Args:
        jacobian: shape (nc, 3 + m). torque: shape (m,), N m.
    """
    forces: Array = pseudo_inverse(jacobian.T) @ np.concatenate((np.zeros(3), -torque))
    return forces
