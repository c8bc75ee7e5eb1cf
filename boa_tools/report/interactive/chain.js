"use strict";
/* Where the links of a robot are, and how a picture sees them. */

function chainOf(robot) { return robot.planar ? new PlanarChain(robot) : new SpatialChain(robot); }

/* In the plane a pose is x, y, heading of link 1 and the joint angles. */
class PlanarChain {
  constructor(robot) {
    this.robot = robot;
    this.dimensions = 2;
    this.width = 2 + robot.links; // numbers of a pose
  }

  get start() { return Array(this.width).fill(0); }

  between(a, b, share) { return a.map((value, i) => value + share * (b[i] - value)); }

  /* Ends of the links, tail to head, and their headings. */
  spine(pose) {
    let [x, y, heading] = pose;
    const points = [[x, y]], headings = [], pitch = this.robot.pitch;
    for (let link = 0; link < pose.length - 2; link++) {
      if (link) heading += pose[2 + link];
      headings.push(heading);
      x += pitch * Math.cos(heading);
      y += pitch * Math.sin(heading);
      points.push([x, y]);
    }
    return { points, headings };
  }

  /* The capsules of every link: pairs of ends. */
  capsules(spine) {
    return Array.from({ length: this.robot.links }, (_, link) => [[spine.points[link], spine.points[link + 1]]]);
  }

  /* Contacts between links and posts. */
  nameOf(contact, posts) { return `link ${contact.link + 1}, post ${posts[contact.obstacle]?.name ?? contact.obstacle}`; }

  projections() { return [ABOVE]; }
}

/* In space a pose is position and quaternion x, y, z, w of link 1 and the joint angles. */
class SpatialChain {
  constructor(robot) {
    this.robot = robot;
    this.dimensions = 3;
    this.width = 6 + robot.links;
  }

  get start() { return [0, 0, this.robot.radius, 0, 0, 0, 1, ...Array(this.robot.links - 1).fill(0)]; }

  between(a, b, share) {
    const turn = a.slice(3, 7).reduce((sum, value, i) => sum + value * b[3 + i], 0) < 0 ? -1 : 1; // q and -q are one rotation
    const mixed = a.map((value, i) => value + share * ((i > 2 && i < 7 ? turn : 1) * b[i] - value));
    const size = Math.hypot(...mixed.slice(3, 7)) || 1;
    return share > 0 ? mixed.map((value, i) => (i > 2 && i < 7 ? value / size : value)) : mixed;
  }

  /* Ends of the links, tail to head, and the axis to the left of each. */
  spine(pose) {
    let at = pose.slice(0, 3), turn = pose.slice(3, 7);
    const points = [at], lefts = [], { pitch, axes, links } = this.robot;
    for (let link = 0; link < links; link++) {
      if (link) {
        const half = pose[6 + link] / 2;
        turn = quaternionProduct(turn, [...axes[link - 1].map((value) => value * Math.sin(half)), Math.cos(half)]);
      }
      const along = rotated(turn, [pitch, 0, 0]);
      at = at.map((value, i) => value + along[i]);
      points.push(at);
      lefts.push(rotated(turn, [0, 1, 0]));
    }
    return { points, lefts };
  }

  capsules(spine) {
    const { track, spines, pitch } = this.robot, sides = track ? [track, -track] : [0];
    return spine.lefts.map((left, link) => {
      const behind = spine.points[link], before = spine.points[link + 1];
      return sides.map((side) => spines[link].map((along) =>
        behind.map((value, i) => value + (along / pitch) * (before[i] - value) + side * left[i])));
    });
  }

  nameOf(contact) { return `floor under link ${contact.link + 1}`; }

  projections(heading) { return [fromTheSide(heading), ABOVE]; }
}

/* Parallel projections: `flat` gives the place in the picture, m, of a point or vector in the world. */
const ABOVE = { name: "from above", ground: false, flat: ([x, y]) => [x, y] };

/* From the right of a robot that goes to `heading`. */
function fromTheSide(heading) {
  const [c, s] = [Math.cos(heading), Math.sin(heading)];
  return { name: "from the side", ground: true, flat: ([x, y, z]) => [c * x + s * y, z] };
}

function quaternionProduct([a, b, c, d], [x, y, z, w]) {
  return [d * x + w * a + b * z - c * y, d * y + w * b + c * x - a * z, d * z + w * c + a * y - b * x, d * w - a * x - b * y - c * z];
}

function rotated(turn, vector) {
  const [a, b, c, d] = turn;
  return quaternionProduct(quaternionProduct(turn, [...vector, 0]), [-a, -b, -c, d]).slice(0, 3);
}
