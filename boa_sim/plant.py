# SPDX-FileCopyrightText: The Boa maintainers
# SPDX-License-Identifier: Apache-2.0
"""The simulated robot as a plant: physics, servos, sensors and what the controller is not told."""

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import numpy as np

from boa_control.experiments.disturbance import Disturbance
from boa_control.experiments.scenario import PlantSettings
from boa_control.plant import GroundTruth, PlantError, SensorFrame, Simulation, checked_torque
from boa_description.arrays import Array
from boa_description.errors import BoaError, raised
from boa_description.registry import made
from boa_description.robot import Robot
from boa_description.scene import Circle, ContactModel, GroundFriction, Obstacle
from boa_description.terrain import Terrain
from boa_description.torque_speed import TorqueSpeedLine
from boa_sim.actuator import AMBIENT, CurrentLoop, Servos, heated
from boa_sim.disturbance import disturbed_physics, disturbed_start, project_free, torque_scale
from boa_sim.engines import engine_named, spatial_engine_named
from boa_sim.gearboxes import backlash, dry_friction, loaded_gears
from boa_sim.intervention import Pushes, require_free
from boa_sim.sensing import Sensing
from boa_sim.world import (
    Physics,
    World,
    is_geared,
    is_pushable,
    is_rearrangeable,
    is_replayable,
    motor_rate,
    require_readings,
)
from boa_sim.wrong_map import Renumbering, arranged


class SimulatedPlant:
    """A simulated Boa; implements `Plant` and `Simulation` of `boa_control.plant`. The same seed
    gives the same bits.

    `write` advances the simulation by one control period; `read` gives the frame of the present
    tick. Everything in a frame belongs to its stamp (or to the sample's own stamp), under the
    torque of the period before.
    """

    def __init__(
        self,
        robot: Robot,
        *,
        obstacles: Sequence[Obstacle] = (),
        unmapped: Sequence[Circle] = (),
        start_base: Array | None = None,
        start_joints: Array | None = None,
        ground: GroundFriction | None = None,
        contact: ContactModel | None = None,
        settings: PlantSettings | None = None,
        disturbance: Disturbance | None = None,
        start_roll: float = 0.0,
        terrain: Terrain = (),
        seed: int = 0,
    ) -> None:
        """Build the world from undisturbed parts; disturbances are drawn here from `seed`.

        Args:
            obstacles: as on the map.
            unmapped: posts that stand although the map does not have them.
            start_base: x, y, heading of link 1, shape (3,); straight at the origin when None.
            start_joints: shape (n_joints,), rad.
            start_roll: of link 1 about its own axis, rad; 0 for a robot that stays in the plane.
            terrain: steps and gaps of the floor; none for such a robot.

        Raises:
            BoaError: the start overlaps obstacles for good, friction is too steep for the physics
                step, or posts move during the run and the engine has none that do.
        """
        settings, disturbance = settings or PlantSettings(), disturbance or Disturbance()
        effects = settings.effects
        self._robot = robot
        self._engine = f"engine {settings.engine}"
        self._heats = effects.on("motor_heating")
        self._substeps = settings.substeps
        self._step = settings.physics_step
        self._period_ns = round(1e9 / settings.control_rate)
        self._arrangement = arranged(obstacles, unmapped, disturbance, seed)
        self._renumbering = Renumbering(self._arrangement.numbers)
        self.obstacles = self._arrangement.standing(0)
        posts = self._arrangement.obstacles
        physics = Physics(
            contact=contact or ContactModel(),
            ground=ground or GroundFriction(),
            terrain=terrain,
            step=settings.physics_step,
            coulomb=dry_friction(robot, effects.gears),
            gears=loaded_gears(robot, effects.gears, seed),
            backlash=backlash(robot, effects.gears),
        )
        physics = disturbed_physics(physics, robot, disturbance, seed)
        base = np.zeros(3) if start_base is None else np.asarray(start_base, float)
        joints = np.zeros(robot.joints) if start_joints is None else np.asarray(start_joints, float)
        if robot.planar:
            head_error = disturbance.initial_head_error
            start = disturbed_start(robot, base, joints, self.obstacles, head_error, seed)
            engine = engine_named(settings.engine)
            self.world: World = made(self._engine, engine, robot, posts, physics)
            self._place: Callable[[], None] = partial(self.world.place, *start)
        else:
            spatial = spatial_engine_named(settings.engine)
            self.world = world = made(self._engine, spatial, robot, posts, physics)
            self._place = partial(world.place, base, joints, start_roll)
        if not (self._arrangement.fixed or is_rearrangeable(self.world)):
            raise BoaError(
                f"disturbance.moved.time: engine {settings.engine} cannot move posts in the course "
                f"of a run; leave out time, or use mujoco"
            )
        if not is_geared(self.world) and (physics.gears is not None or physics.backlash > 0):
            raise BoaError(
                f"plant.effects.gearbox: engine {settings.engine} has no friction that grows with "
                f"the load and no backlash; set gearbox: coulomb, or use mujoco"
            )
        self._servos = Servos(robot.actuator, effects)
        lag = robot.actuator.current_lag if effects.on("current_loop") else 0.0
        self._current_loop = CurrentLoop(lag, settings.physics_step)
        self._stall = robot.actuator.torque_limit
        self._gain = torque_scale(robot, disturbance.torque_error, seed)
        self._torque_speed = (
            TorqueSpeedLine(robot.actuator, robot.joints)
            if effects.on("torque_speed_line")
            else None
        )
        self._sensing = Sensing(robot, settings, disturbance, self.period, seed)
        self._pushes = Pushes()
        self._closed = False
        self.reset()

    @property
    def robot(self) -> Robot:
        """The nominal description; true masses may differ."""
        return self._robot

    @property
    def control_period_ns(self) -> int:
        """Time between two control ticks, ns."""
        return self._period_ns

    @property
    def armed(self) -> bool:
        """Whether written torques act."""
        return self._armed

    @property
    def simulation(self) -> Simulation:
        """Truth and restart: this plant itself."""
        return self

    def now_ns(self) -> int:
        """Simulated time, ns: the stamp of the present tick."""
        return self._stamp_ns

    @property
    def period(self) -> float:
        """Time between two control ticks, s."""
        return self._period_ns * 1e-9

    def reset(self) -> None:
        """Back to the initial state, disarmed, at the first tick. That is one period after time
        zero: a stamp of 0 is one that nobody has set.
        """
        self._armed = False
        self._stamp_ns = self._period_ns
        self._torque = np.zeros(self._robot.joints)
        self._temperature = np.full(self._robot.joints, AMBIENT)
        self._pushes.clear()
        self._rearrange(0)
        with self._failing():
            self._place()
            require_readings(self.world, self._robot, self._step, self._engine)
            self._sensing.reset()
            self._frame = self._measure()

    def push(self, link: int, wrench: Array, duration: float) -> None:
        """Push a link. Raises PlantError where the engine has no such forces."""
        self._require_open()
        if not is_pushable(self.world):
            raise PlantError(
                "this physics engine cannot push links; use mujoco"
                if self._robot.planar
                else f"{self._robot.name} leaves the plane, where no engine can push links yet"
            )
        ticks = max(1, math.ceil(duration / self.period - 1e-9))
        self._pushes.add(link, wrench, self._stamp_ns + ticks * self._period_ns)
        self.world.push(self._pushes.present)

    def place(self, base: Array, joints: Array) -> None:
        """Put the robot at rest at a pose. Raises PlantError where it cannot be there."""
        self._require_open()
        if self._armed:
            raise PlantError("cannot set the state while armed; disarm first")
        if self._robot.planar:
            require_free(self._robot, base, joints, self.obstacles)
        self._pushes.clear()
        self._torque = np.zeros(self._robot.joints)
        self.world.place(base, joints)

    def replay_from(
        self, pose: tuple[Array, Array], rates: tuple[Array, Array], torque: Array
    ) -> None:
        """Put the armed robot in motion in the nearest free pose, as at a tick of a recorded run.

        Args:
            pose, rates: of link 1, (3,), and of the joints, (n_joints,); m, rad and s.
            torque: of the motors, as measured, (n_joints,), N m.

        Raises:
            BoaError: no free pose near by, or an engine whose chain always starts at rest.
        """
        if not is_replayable(self.world):
            raise BoaError("this physics engine starts at rest only; set plant.engine: mujoco")
        self.world.place(*project_free(self._robot, *pose, self.obstacles))
        self.world.launch(*rates, torque)
        self._torque = torque
        self._armed = True
        self._frame = self._measure()

    def read(self) -> SensorFrame:
        """The frame of the present tick. Raises PlantError once closed."""
        self._require_open()
        return self._frame

    def write(self, torque: Array) -> None:
        """Advance by one control period under `torque` (n_joints,), N m; disarmed, under none.

        Raises:
            PlantError: wrong shape, not finite, closed, or the simulation became unstable.
        """
        self._require_open()
        torque = checked_torque(torque, self._robot)
        with self._failing():
            self._advance(torque if self._armed else np.zeros_like(torque))
        self._stamp_ns += self._period_ns
        if self._pushes.expired(self._stamp_ns) and is_pushable(self.world):
            self.world.push(self._pushes.present)
        self._rearrange(self._stamp_ns - self._period_ns)
        if not self.world.finite:
            self._armed = False
            raise PlantError(
                f"simulation became unstable at {self._stamp_ns * 1e-9:.3f} s; lower "
                f"plant.physics_step or the torques"
            )
        with self._failing():
            self._frame = self._measure()

    @contextmanager
    def _failing(self) -> Iterator[None]:
        """Somebody's engine that raises ends the run, and not the program with its record."""
        try:
            yield
        except (BoaError, PlantError):
            raise
        except Exception as error:
            self._armed = False
            raise PlantError(f"{self._engine}: {raised(error)}; correct the engine") from error

    def _rearrange(self, time_ns: int) -> None:
        """Move the posts that move at this time of the run.

        Raises:
            PlantError: one would move into the robot.
        """
        arrangement = self._arrangement
        if arrangement.fixed:
            return
        standing = arrangement.standing(time_ns)
        if time_ns > 0:
            if standing == self.obstacles:
                return
            state = self.truth()
            try:
                require_free(self._robot, state.base, state.joint_position, arrangement.arriving)
            except PlantError as error:
                raise PlantError(
                    f"disturbance.moved: at {time_ns * 1e-9:g} s a post would move into the robot; "
                    f"choose another time or direction"
                ) from error
        self.obstacles = standing
        if is_rearrangeable(self.world):
            self.world.stand(arrangement.flags(time_ns))

    def _advance(self, torque: Array) -> None:
        target = self._gain * self._servos.commanded(torque)
        target = np.minimum(np.maximum(target, -self._stall), self._stall)  # as the engine does
        for _ in range(self._substeps):
            self._torque = self._current_loop.follow(self._torque, target)
            if self._torque_speed is not None:
                self._torque = self._torque_speed.clip(self._torque, motor_rate(self.world))
            self.world.advance(self._torque)
        self.world.refresh()
        if self._heats:
            actuator = self._robot.actuator
            self._temperature = heated(self._temperature, self._torque, actuator, self.period)

    def _measure(self) -> SensorFrame:
        effort = self._servos.measured(self._torque)
        return self._sensing.measure(
            self.world, self._stamp_ns, effort, self._temperature, armed=self._armed
        )

    def truth(self) -> GroundTruth:
        """The true state at the present tick, with true contacts."""
        with self._failing():
            return self._renumbering.apply(self.world.truth(self._stamp_ns))

    def arm(self) -> None:
        """Let torques act. Raises PlantError once closed."""
        self._require_open()
        self._armed = True

    def disarm(self) -> None:
        """No torque from now on; physics goes on with every `write`."""
        self._armed = False

    def reset_fault(self) -> None:
        """A simulation has no faults of its own; ends disarmed."""
        self._require_open()
        self._armed = False

    def tare(self) -> None:
        """Set the force sensors' zero, as on the robot.

        Raises PlantError unless disarmed, still and unloaded.
        """
        self._require_open()
        if self._armed:
            raise PlantError("cannot tare while armed; disarm first and unload the joints")
        self._sensing.tare()

    def fault_latched(self, reason: str) -> None:
        """Nobody else is to be warned."""

    def counters(self) -> dict[str, float]:
        """Nothing to count."""
        return {}

    def warnings(self) -> tuple[str, ...]:
        """Nothing to warn of."""
        return ()

    def close(self) -> None:
        """Disarm; nothing can be read any more."""
        self._armed, self._closed = False, True

    def _require_open(self) -> None:
        if self._closed:
            raise PlantError("the simulated plant is closed; make a new one")
