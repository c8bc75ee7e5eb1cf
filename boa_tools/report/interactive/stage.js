"use strict";
/* The robot among its posts on a canvas, from above or, in space, from the side. Wheel and drag move the view. */

const ARROW_SHARE = 0.22; // of the view's height: length of the arrow of a usual force
const MARGIN = 0.18; // m around the robot
const KEY_GAP = 36; // px between the scales of lengths and forces
const FLOOR_SHARE = 0.25; // of the height of a view from the side: how far its middle lies above the floor
const DRAGGED = 8; // px from which a click is a drag

class Stage {
  constructor(canvas, film, options = {}) {
    this.canvas = canvas;
    this.film = film;
    this.small = options.small || false;
    this.tip = options.tip || null;
    this.view = null; // centre x, y and height of the view, m; null: follow the robot
    this.t = 0;
    this.projections = film.chain.projections(film.scene.heading);
    this.projection = this.projections[0];
    this.usual = this.usualForce();
    if (!this.small) this.listen();
    if (options.controls && this.projections.length > 1) options.controls.prepend(this.turnButton());
    this.turned();
    new ResizeObserver(() => this.draw(this.t)).observe(canvas);
  }

  usualForce() {
    const c = this.film.contacts;
    if (!c || !c.link.length) return this.film.robot.usualForce;
    const d = this.film.chain.dimensions, sizes = Array.from(c.link, (_, k) => Math.hypot(...c.force.slice(d * k, d * (k + 1))));
    sizes.sort((a, b) => a - b);
    return sizes[Math.floor(0.99 * (sizes.length - 1))] || this.film.robot.usualForce;
  }

  /* A button that goes through the projections. */
  turnButton() {
    this.button = Object.assign(document.createElement("button"), { type: "button", className: "turn" });
    this.button.addEventListener("click", () => {
      this.projection = this.next;
      this.view = null;
      this.turned();
      this.draw(this.t);
    });
    return this.button;
  }

  get next() { return this.projections[(this.projections.indexOf(this.projection) + 1) % this.projections.length]; }

  turned() {
    if (this.button) this.button.textContent = this.next.name;
    this.canvas.setAttribute("aria-label", `The robot ${this.projection.name}`);
    this.canvas.dataset.projection = this.projection.name;
  }

  /* Ends of the links in the picture, m. */
  spine() {
    const { points } = this.film.chain.spine(this.film.poseAt(this.t));
    return points.map(this.projection.flat);
  }

  colours() {
    const style = getComputedStyle(document.documentElement), css = (name) => style.getPropertyValue(name).trim();
    return {
      ink: css("--ink"), soft: css("--soft"), card: css("--card"), post: css("--post"), edge: css("--post-edge"),
      robot: css("--robot"), head: css("--head"), force: css("--limit"), path: css("--reference"),
      estimate: css("--estimate"), seam: css("--card"), plan: css("--accent"),
    };
  }

  listen() {
    const canvas = this.canvas;
    let grabbed = null;
    canvas.addEventListener("pointerdown", (event) => {
      if (this.pick) {
        this.picked = { from: this.place(event), to: this.place(event) };
        canvas.setPointerCapture(event.pointerId);
        return;
      }
      grabbed = { x: event.clientX, y: event.clientY, view: { ...this.window() } };
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (this.picked) {
        this.picked.to = this.place(event);
        this.draw(this.t);
        return;
      }
      if (grabbed && event.buttons) {
        const scale = grabbed.view.height / canvas.clientHeight;
        this.view = {
          ...grabbed.view,
          x: grabbed.view.x - (event.clientX - grabbed.x) * scale,
          y: grabbed.view.y + (event.clientY - grabbed.y) * scale,
        };
        this.draw(this.t);
      }
      this.name(event);
    });
    canvas.addEventListener("pointerup", () => {
      grabbed = null;
      if (!this.picked) return;
      const { from, to } = this.picked, pick = this.pick, long = Math.hypot(to[0] - from[0], to[1] - from[1]);
      this.stopPicking();
      pick(...from, long * this.toPage.k > DRAGGED ? Math.atan2(to[1] - from[1], to[0] - from[0]) : null);
    });
    canvas.addEventListener("pointerleave", () => { if (this.tip) this.tip.hidden = true; });
    canvas.addEventListener("dblclick", () => { this.view = null; this.draw(this.t); });
    canvas.addEventListener("wheel", (event) => {
      if (!event.ctrlKey && !event.shiftKey && !this.view && !event.altKey) return; // let the page scroll
      event.preventDefault();
      this.zoom(Math.exp(0.0015 * event.deltaY));
    }, { passive: false });
  }

  /* The next click names a place, a drag a heading as well; `pick` gets x, y and heading or null. */
  startPicking(pick) {
    this.pick = pick;
    this.before = this.view;
    if (!this.view) this.view = this.everything();
    this.canvas.classList.add("picking");
    this.draw(this.t);
  }

  /* A view of the robot and all round posts. */
  everything() {
    const places = [...this.spine(), ...this.film.scene.posts.filter((post) => post.r).map((post) => [post.x, post.y])];
    const [xs, ys] = [0, 1].map((axis) => places.map((place) => place[axis]));
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1), ends = (v) => [Math.min(...v), Math.max(...v)];
    const [[left, right], [low, high]] = [ends(xs), ends(ys)];
    return { x: (left + right) / 2, y: (low + high) / 2, height: Math.max(high - low, (right - left) / aspect) + 4 * MARGIN };
  }

  stopPicking() {
    this.pick = this.picked = null;
    this.view = this.before;
    this.canvas.classList.remove("picking");
    this.draw(this.t);
  }

  /* Where a pointer is in the world, m. */
  place(event) {
    const box = this.canvas.getBoundingClientRect(), view = this.window(), k = box.height / view.height;
    return [view.x + (event.clientX - box.left - box.width / 2) / k, view.y - (event.clientY - box.top - box.height / 2) / k];
  }

  zoom(factor) {
    const now = this.window();
    this.view = { ...now, height: Math.min(Math.max(now.height * factor, 0.1), 100) };
    this.draw(this.t);
  }

  /* Centre and height of what is shown, m. */
  window() {
    if (this.view) return this.view;
    const aspect = this.canvas.clientWidth / Math.max(this.canvas.clientHeight, 1);
    const points = this.spine(), xs = points.map((p) => p[0]), ys = points.map((p) => p[1]);
    if (this.projection.ground) ys.push(0);
    const low = [Math.min(...xs), Math.min(...ys)], high = [Math.max(...xs), Math.max(...ys)];
    const height = 2 * MARGIN + Math.max(high[1] - low[1], (high[0] - low[0] + 2 * MARGIN) / aspect - 2 * MARGIN, 0.5 * this.film.robot.links * this.film.robot.pitch);
    const y = this.projection.ground ? Math.max(FLOOR_SHARE * height, high[1] + MARGIN - height / 2) : (low[1] + high[1]) / 2;
    return { x: (low[0] + high[0]) / 2, y, height };
  }

  draw(t) {
    this.t = t;
    const canvas = this.canvas, film = this.film, ratio = window.devicePixelRatio || 1;
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (!width || !height) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const view = this.window(), k = height / view.height, g = canvas.getContext("2d"), c = this.colours();
    const X = (x) => width / 2 + (x - view.x) * k, Y = (y) => height / 2 - (y - view.y) * k;
    this.toPage = { X, Y, k };
    g.setTransform(ratio, 0, 0, ratio, 0, 0);
    g.clearRect(0, 0, width, height);
    g.lineCap = g.lineJoin = "round";
    const step = this.grid(g, c, view, width, height, X, Y);
    if (this.projection.ground) this.ground(g, c, width, height, X, Y);
    this.posts(g, c, X, Y, k);
    this.corrected(g, c, X, Y, k, t);
    this.robot(g, c, X, Y, k, t);
    this.path(g, c, X, Y, film.scene.path);
    if (film.plan) this.path(g, c, X, Y, film.plan, c.plan);
    this.goal(g, c, X, Y, k);
    if (!this.small) this.lengthKey(g, c, step, step * k, height);
    this.forces(g, c, X, Y, k, t, view);
    canvas.dataset.pose = JSON.stringify(film.poseAt(t));
  }

  grid(g, c, view, width, height, X, Y) {
    const step = [0.1, 0.2, 0.5, 1, 2, 5, 10].find((s) => s * height / view.height > 45) || 10;
    const half = view.height * width / height / 2;
    g.strokeStyle = c.edge;
    g.globalAlpha = 0.22;
    g.lineWidth = 1;
    g.beginPath();
    for (let x = Math.ceil((view.x - half) / step) * step; x < view.x + half; x += step) { g.moveTo(X(x), 0); g.lineTo(X(x), height); }
    for (let y = Math.ceil((view.y - view.height / 2) / step) * step; y < view.y + view.height / 2; y += step) { g.moveTo(0, Y(y)); g.lineTo(width, Y(y)); }
    g.stroke();
    g.globalAlpha = 1;
    return step;
  }

  /* A line as long as a tile of the grid, in front of posts. */
  lengthKey(g, c, step, pixels, height) {
    this.forceKey = 14 + pixels + KEY_GAP; // where the scale of forces begins, px
    g.fillStyle = c.soft;
    g.fillRect(14, height - 14, pixels, 3);
    g.font = "12px system-ui, sans-serif";
    g.fillText(`${step} m`, 14, height - 20);
  }

  /* The floor with its steps and gaps, seen from the side. */
  ground(g, c, width, height, X, Y) {
    const across = (x, nowhere) => (x === null ? nowhere : X(this.projection.flat([x, 0, 0])[0]));
    for (const [start, end, top] of this.film.scene.floor) {
      const ends = [across(start, 0), across(end, width)], left = Math.min(...ends), wide = Math.abs(ends[1] - ends[0]);
      g.fillStyle = c.post;
      g.globalAlpha = 0.35;
      g.fillRect(left, Y(top), wide, height - Y(top));
      g.globalAlpha = 1;
      g.fillStyle = c.edge;
      g.fillRect(left, Y(top), wide, 1.5);
    }
  }

  posts(g, c, X, Y, k) {
    g.fillStyle = c.post;
    g.strokeStyle = c.edge;
    g.lineWidth = 1;
    for (const post of this.film.scene.posts) {
      g.beginPath();
      if (post.corners) {
        post.corners.forEach(([x, y], i) => (i ? g.lineTo(X(x), Y(y)) : g.moveTo(X(x), Y(y))));
        g.closePath();
      } else g.arc(X(post.x), Y(post.y), post.r * k, 0, 2 * Math.PI);
      g.fill();
      g.stroke();
    }
  }

  robot(g, c, X, Y, k, t) {
    const { chain } = this.film, { flat } = this.projection, spine = chain.spine(this.film.poseAt(t));
    const points = spine.points.map(flat), last = points.length - 2, thick = 2 * this.film.robot.radius * k;
    chain.capsules(spine).forEach((capsules, link) => {
      const ends = capsules.map((capsule) => capsule.map(flat));
      for (const [colour, extra] of [[c.seam, 1.5], [link === last ? c.head : c.robot, 0]]) {
        g.strokeStyle = colour;
        g.lineWidth = thick + extra;
        g.beginPath();
        for (const [a, b] of ends) { g.moveTo(X(a[0]), Y(a[1])); g.lineTo(X(b[0]), Y(b[1])); }
        g.stroke();
      }
    });
    g.fillStyle = c.seam;
    for (let joint = 1; joint <= last; joint++) {
      g.beginPath();
      g.arc(X(points[joint][0]), Y(points[joint][1]), Math.max(1.5, 0.08 * thick), 0, 2 * Math.PI);
      g.fill();
    }
  }

  /* The map as the robot has corrected it: posts where they were touched, with two standard deviations; a cross where one is not there. */
  corrected(g, c, X, Y, k, t) {
    const map = this.film.mapAt(t);
    if (!map) return;
    const circle = (x, y, r) => { g.beginPath(); g.arc(X(x), Y(y), r * k, 0, 2 * Math.PI); };
    for (const { x, y, r, std, kind } of map.posts) {
      if (kind === "mapped") continue;
      const colour = kind === "touched" ? c.plan : c.force;
      g.fillStyle = g.strokeStyle = colour;
      g.globalAlpha = 0.18;
      circle(x, y, r + 2 * std);
      g.fill();
      g.globalAlpha = 1;
      g.lineWidth = 1.6;
      circle(x, y, r);
      g.stroke();
    }
    g.strokeStyle = c.force;
    g.lineWidth = 2;
    for (const number of map.missing) {
      const { x, y, r } = this.film.scene.posts[number] || {}, arm = 0.7 * (r || 0) * k;
      if (!r) continue;
      g.beginPath();
      for (const sign of [1, -1]) { g.moveTo(X(x) - arm, Y(y) - sign * arm); g.lineTo(X(x) + arm, Y(y) + sign * arm); }
      g.stroke();
    }
  }

  /* The goal that was set, or is being set. */
  goal(g, c, X, Y, k) {
    const { from, to } = this.picked || {}, goal = this.picked
      ? { x: from[0], y: from[1], heading: Math.hypot(to[0] - from[0], to[1] - from[1]) * k > DRAGGED ? Math.atan2(to[1] - from[1], to[0] - from[0]) : null }
      : this.film.goal;
    if (!goal) return;
    const x = X(goal.x), y = Y(goal.y);
    g.strokeStyle = g.fillStyle = c.plan;
    g.lineWidth = 2;
    g.beginPath();
    g.arc(x, y, 9, 0, 2 * Math.PI);
    g.moveTo(x - 14, y); g.lineTo(x + 14, y);
    g.moveTo(x, y - 14); g.lineTo(x, y + 14);
    g.stroke();
    if (goal.heading !== null) this.arrow(g, c.plan, (v) => v, (v) => v, x + 46 * Math.cos(goal.heading), y - 46 * Math.sin(goal.heading), 46 * Math.cos(goal.heading), -46 * Math.sin(goal.heading), 3);
  }

  path(g, c, X, Y, path, colour = null) {
    g.strokeStyle = colour || c.path;
    g.lineWidth = colour ? 2 : 1;
    g.globalAlpha = 0.75;
    g.beginPath();
    for (let i = 0; i < path.length; i += 2) (i ? g.lineTo(X(path[i]), Y(path[i + 1])) : g.moveTo(X(path[i]), Y(path[i + 1])));
    g.stroke();
    g.globalAlpha = 1;
  }

  forces(g, c, X, Y, k, t, view) {
    const scale = ARROW_SHARE * view.height / this.usual, film = this.film;
    for (const e of film.estimatesAt(t)) { // uncertainty: a bar across the believed tail, +- one standard deviation
      const post = film.scene.posts[e.obstacle];
      if (post && post.r) { // where the controller believes the post to be
        g.strokeStyle = c.estimate;
        g.setLineDash([3, 3]);
        g.lineWidth = 1.2;
        g.beginPath();
        g.arc(X(e.x - post.r * e.nx), Y(e.y - post.r * e.ny), post.r * k, 0, 2 * Math.PI);
        g.stroke();
        g.setLineDash([]);
      }
      if (!(e.force > 0)) continue;
      this.arrow(g, c.estimate, X, Y, e.x, e.y, e.nx * e.force * scale, e.ny * e.force * scale, 5);
      if (e.std > 0) {
        const far = (f) => [X(e.x - e.nx * f * scale), Y(e.y - e.ny * f * scale)];
        g.strokeStyle = c.estimate;
        g.lineWidth = 1.5;
        g.beginPath();
        g.moveTo(...far(Math.max(e.force - e.std, 0)));
        g.lineTo(...far(e.force + e.std));
        g.stroke();
      }
    }
    for (const contact of film.contactsAt(t)) {
      const post = film.scene.posts[contact.obstacle], [cx, cy] = contact.centre;
      if (post && post.r && Math.hypot(cx - post.x, cy - post.y) > 5e-4) {
        g.strokeStyle = c.ink; // where the post really is
        g.lineWidth = 1.2;
        g.beginPath();
        g.arc(X(cx), Y(cy), post.r * k, 0, 2 * Math.PI);
        g.stroke();
      }
      const [x, y] = this.projection.flat(contact.at), [fx, fy] = this.projection.flat(contact.force);
      if (contact.size > 0) this.arrow(g, c.force, X, Y, x, y, fx * scale, fy * scale, 2.2);
    }
    if (this.small) return;
    const round = [1, 2, 5, 10, 20, 50, 100].find((force) => force * scale * k > 40) || 100;
    this.arrow(g, c.force, (x) => x, (y) => y, this.forceKey + round * scale * k, this.canvas.clientHeight - 13, round * scale * k, 0, 2.2);
    g.fillStyle = c.force;
    g.fillText(`${round} N`, this.forceKey, this.canvas.clientHeight - 20);
  }

  /* An arrow whose tip is at x, y. */
  arrow(g, colour, X, Y, x, y, dx, dy, width) {
    const a = [X(x - dx), Y(y - dy)], b = [X(x), Y(y)], long = Math.hypot(b[0] - a[0], b[1] - a[1]);
    if (long < 1) return;
    const u = [(b[0] - a[0]) / long, (b[1] - a[1]) / long], head = Math.min(9, long);
    g.globalAlpha = width > 4 ? 0.45 : 1;
    g.strokeStyle = g.fillStyle = colour;
    g.lineWidth = width;
    g.lineCap = "butt";
    g.beginPath();
    g.moveTo(...a);
    g.lineTo(b[0] - 0.8 * head * u[0], b[1] - 0.8 * head * u[1]);
    g.stroke();
    g.beginPath();
    g.moveTo(...b);
    g.lineTo(b[0] - head * u[0] + 0.42 * head * u[1], b[1] - head * u[1] - 0.42 * head * u[0]);
    g.lineTo(b[0] - head * u[0] - 0.42 * head * u[1], b[1] - head * u[1] + 0.42 * head * u[0]);
    g.fill();
    g.globalAlpha = 1;
    g.lineCap = "round";
  }

  /* Say which post, link or contact is under the pointer. */
  name(event) {
    if (!this.tip || !this.toPage) return;
    const box = this.canvas.getBoundingClientRect();
    const text = this.described(event.clientX - box.left, event.clientY - box.top);
    this.tip.hidden = !text;
    this.tip.innerHTML = "";
    if (!text) return;
    for (const line of text) this.tip.append(Object.assign(document.createElement("div"), { textContent: line }));
    this.tip.style.left = `${Math.min(event.clientX - box.left + 14, box.width - this.tip.offsetWidth - 4)}px`;
    this.tip.style.top = `${event.clientY - box.top + 14}px`;
  }

  described(px, py) {
    const { X, Y, k } = this.toPage, film = this.film;
    const at = film.scene.posts.findIndex((post) => post.r
      ? Math.hypot(X(post.x) - px, Y(post.y) - py) < post.r * k + 5
      : inside(post.corners.map(([x, y]) => [X(x), Y(y)]), px, py));
    if (at >= 0) return [`post ${film.scene.posts[at].name ?? at}`, ...this.forcesOf((contact) => contact.obstacle === at)];
    const points = this.spine();
    for (let link = 0; link < points.length - 1; link++) {
      const [a, b] = [points[link], points[link + 1]];
      const middle = [(X(a[0]) + X(b[0])) / 2, (Y(a[1]) + Y(b[1])) / 2];
      if (Math.hypot(middle[0] - px, middle[1] - py) < 0.5 * film.robot.pitch * k)
        return [`link ${link + 1}`, ...this.forcesOf((contact) => contact.link === link)];
    }
    return null;
  }

  forcesOf(belongs) {
    const lines = this.film.contactsAt(this.t).filter(belongs).map((contact) =>
      `${this.film.chain.nameOf(contact, this.film.scene.posts)}: ${contact.size.toFixed(1)} N`);
    for (const e of this.film.estimatesAt(this.t).filter(belongs))
      lines.push(`estimate ${e.force.toFixed(1)}${e.std >= 0 ? ` ± ${e.std.toFixed(1)}` : ""} N` +
        (e.reference >= 0 ? `, reference ${e.reference.toFixed(1)} N` : ""));
    return lines.length ? lines : ["no contact now"];
  }
}

function inside(corners, x, y) {
  let odd = false;
  for (let i = 0, j = corners.length - 1; i < corners.length; j = i++)
    if (corners[i][1] > y !== corners[j][1] > y &&
        x < (corners[j][0] - corners[i][0]) * (y - corners[i][1]) / (corners[j][1] - corners[i][1]) + corners[i][0]) odd = !odd;
  return odd;
}
