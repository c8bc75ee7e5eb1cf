# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""Solving a programme with the interior point method of Uno: contact is soft at first, and becomes
hard in steps, each from the answer of the one before.
"""

import time
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np

from boa_description.arrays import Array
from boa_description.errors import BoaError
from boa_tools.contact_implicit.programme import Programme

SLACKS = (1e-1, 1e-2, 1e-3, 1e-4, 1e-5, 1e-6)  # J, from contact through a cushion to rigid
ITERATIONS = 150  # of each step but the last: what follows does not need its very optimum
MORE = 4  # times as many for the last
OPTIMAL = 1e-4  # residual of the gradient, of torques of some N m
CENTRED = 0.1  # barrier at the start; later steps begin near their answer, so with less


class Step(NamedTuple):
    """One solution on the way to rigid contact.

    Attributes:
        slack: that products of orthogonal pairs were allowed, J.
        unknowns: the answer as one vector.
        effort: h sum u' u.
        residual: largest violation of an equality.
        optimal: whether it is the optimum within tolerances, or just where iterations ended.
        iterations: taken. seconds: of processor time, in model and solver.
    """

    slack: float
    unknowns: Array
    effort: float
    residual: float
    optimal: bool
    iterations: int
    seconds: float


def solve(
    programme: Programme,
    start: Array,
    slacks: Sequence[float] = SLACKS,
    iterations: int = ITERATIONS,
    report: Callable[[Step], None] = lambda _: None,
) -> Step:
    """The motion of least effort near `start`, which need not obey the constraints.

    Args:
        slacks: how far contact is from rigid, J, in falling order.
        report: called after each of them.

    Raises:
        BoaError: unopy is not installed.
    """
    unopy = require_solver()
    unknowns, duals = start, np.zeros(programme.rows)
    for slack in slacks:
        programme.allow(slack)
        begun = time.process_time()
        solver = unopy.UnoSolver()
        solver.set_preset("ipopt")
        solver.set_option("logger", "SILENT")
        last = slack == slacks[-1]
        solver.set_option("max_iterations", iterations * (MORE if last else 1))
        solver.set_option("barrier_initial_parameter", min(CENTRED, slack))
        solver.set_option("dual_tolerance", OPTIMAL)
        model = _model(unopy, programme, unknowns)
        model.set_initial_dual_iterate(duals)
        result = solver.optimize(model)
        unknowns = np.array(result.primal_solution)
        duals = np.array(result.constraint_dual_solution)
        equal = programme.row_lower == programme.row_upper
        step = Step(
            slack,
            unknowns,
            programme.effort(unknowns),
            float(np.abs(programme.constraints(unknowns)[equal]).max()),
            result.solution_status == unopy.SolutionStatus.FEASIBLE_KKT_POINT,
            result.number_iterations,
            time.process_time() - begun,
        )
        report(step)
    return step


def require_solver() -> ModuleType:
    """Uno for Python. Raises BoaError where it is not installed."""
    try:
        import unopy
    except ImportError as error:
        raise BoaError(
            "contact-implicit optimisation needs unopy, which is not installed: "
            "pip install boa_control[implicit]"
        ) from error
    return unopy


def _model(unopy: ModuleType, programme: Programme, start: Array) -> Any:
    """The programme as Uno takes it, which asks for values in places that never change."""
    model = unopy.Model(unopy.PROBLEM_NONLINEAR, programme.size, unopy.ZERO_BASED_INDEXING)
    model.set_variables_lower_bounds(programme.lower)
    model.set_variables_upper_bounds(programme.upper)
    model.set_initial_primal_iterate(start)

    def gradient(z: Array, out: Array) -> None:
        out[:] = programme.gradient(z)

    def constraints(z: Array, out: Array) -> None:
        out[:] = programme.constraints(z)

    def jacobian(z: Array, out: Array) -> None:
        out[:] = programme.jacobian(z).values

    def hessian(z: Array, scale: float, multipliers: Array, out: Array) -> None:
        out[:] = programme.hessian(z, scale, multipliers).values

    slopes = programme.jacobian(start)
    bends = programme.hessian(start, 1.0, np.zeros(programme.rows))
    model.set_objective(unopy.MINIMIZE, programme.effort, gradient)
    model.set_constraints(
        programme.rows,
        constraints,
        programme.row_lower,
        programme.row_upper,
        slopes.rows.size,
        slopes.rows,
        slopes.columns,
        jacobian,
    )
    model.set_lagrangian_hessian(
        bends.rows.size, unopy.LOWER_TRIANGLE, bends.rows, bends.columns, hessian
    )
    model.set_lagrangian_sign_convention(unopy.MULTIPLIER_POSITIVE)
    return model
