"use strict";
/* Reads the film of a run: packed arrays, poses between frames, contacts of a frame. */

const NO_VALUE = -32768;

function bytes(text) {
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let k = 0; k < raw.length; k++) out[k] = raw.charCodeAt(k);
  return out.buffer;
}

function unpack(packed) {
  if (packed.f32 !== undefined) return new Float32Array(bytes(packed.f32));
  const levels = new Int16Array(bytes(packed.i16)), out = new Float64Array(levels.length);
  for (let k = 0; k < levels.length; k++)
    out[k] = levels[k] === NO_VALUE ? NaN : levels[k] * packed.scale + packed.zero;
  return out;
}

function unpackTable(table) {
  return table && Object.fromEntries(Object.entries(table).map(([name, column]) => [name, unpack(column)]));
}

class Film {
  constructor(data) {
    Object.assign(this, data);
    this.time = unpack(data.time);
    this.pose = unpack(data.pose);
    this.torque = unpack(data.torque);
    this.jointForce = unpack(data.jointForce);
    this.contacts = unpackTable(data.contacts);
    this.estimates = unpackTable(data.estimates);
    this.scene = { ...data.scene, path: unpack(data.scene.path) };
    this.chain = chainOf(data.robot);
  }

  get duration() { return this.time.length ? this.time[this.time.length - 1] : 0; }

  /* The last frame that is not later than t. */
  frame(t) {
    let low = 0, high = this.time.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.time[middle] <= t + 1e-6) low = middle; else high = middle - 1;
    }
    return low;
  }

  /* The pose at t, between two frames in proportion. */
  poseAt(t) {
    const k = this.frame(t), n = this.chain.width, next = Math.min(k + 1, this.time.length - 1);
    const span = this.time[next] - this.time[k];
    const share = span > 0 ? Math.min(Math.max((t - this.time[k]) / span, 0), 1) : 0;
    const [a, b] = [k, next].map((frame) => Array.from(this.pose.slice(frame * n, (frame + 1) * n)));
    return this.chain.between(a, b, share);
  }

  /* Largest absolute torque and joint force of the frame, per joint. */
  loadsAt(t) {
    const n = this.robot.links - 1, k = this.frame(t);
    return { torque: this.torque.slice(k * n, (k + 1) * n), force: this.jointForce.slice(k * n, (k + 1) * n) };
  }

  /* The map as the robot has corrected it by t; null before. */
  mapAt(t) {
    let last = null;
    for (const map of this.maps || []) { if (map.time > t + 1e-6) break; last = map; }
    return last;
  }

  contactsAt(t) {
    const k = this.frame(t), c = this.contacts, d = this.chain.dimensions, found = [];
    for (let row = c ? c.start[k] : 0; c && row < c.start[k + 1]; row++) {
      const [at, force, centre] = [c.point, c.force, c.centre].map((column) => Array.from(column.slice(d * row, d * (row + 1))));
      found.push({ link: c.link[row], obstacle: c.obstacle[row], at, force, size: Math.hypot(...force), centre });
    }
    return found;
  }

  /* Estimated contacts, put on the robot's pose: point, direction of the force on the link. */
  estimatesAt(t) {
    const k = this.frame(t), e = this.estimates, found = [];
    if (!e) return found;
    const chain = this.chain.spine(this.poseAt(t));
    for (let row = e.start[k]; row < e.start[k + 1]; row++)
      found.push(placed({
        link: e.link[row], obstacle: e.obstacle[row], side: e.side[row], offset: e.offset[row],
        force: e.force[row], std: e.std[row], reference: e.reference[row],
      }, chain, this.robot.radius));
    return found;
  }
}

/* An estimated contact with its place in the world; nx, ny point from the post to the link. */
function placed(estimate, chain, radius) {
  const [x, y] = chain.points[estimate.link], a = chain.headings[estimate.link];
  const nx = estimate.side * Math.sin(a), ny = -estimate.side * Math.cos(a);
  return {
    ...estimate, nx, ny,
    x: x + estimate.offset * Math.cos(a) - radius * nx,
    y: y + estimate.offset * Math.sin(a) - radius * ny,
  };
}
