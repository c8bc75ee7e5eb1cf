"use strict";
/* The live page: shows the newest snapshot, and sends orders. */

const SPAN = 30; // s of the curves
const KEPT = 1200; // points of the curves
const GONE_SECONDS = 1.5; // without a snapshot after which the state counts as unknown

/* A film of one instant: what the stage draws. */
class Instant {
  constructor(scenery) {
    this.robot = scenery.robot;
    this.scene = { ...scenery.scene, path: unpack(scenery.scene.path) };
    this.chain = chainOf(scenery.robot);
    this.pose = this.chain.start;
    this.true = [];
    this.believed = [];
    this.contacts = null;
    this.map = this.plan = this.goal = null;
  }

  mapAt() { return this.map; }

  poseAt() { return this.pose; }
  contactsAt() { return this.true; }
  estimatesAt() { return this.believed; }

  take(snapshot) {
    this.pose = snapshot.pose;
    const d = this.chain.dimensions;
    this.true = snapshot.contacts.map(([link, obstacle, ...numbers]) => {
      const at = numbers.slice(0, d), force = numbers.slice(d), size = Math.hypot(...force);
      const post = this.scene.posts[obstacle], r = post && post.r ? post.r : NaN;
      return { link, obstacle, at, force, size, centre: at.map((value, i) => value - r * force[i] / size) };
    });
    const chain = this.chain.spine(this.pose);
    this.believed = snapshot.estimates.map(([link, obstacle, side, offset, force, std, reference]) =>
      placed({ link, obstacle, side, offset, force, std: std ?? NaN, reference: reference ?? NaN }, chain, this.robot.radius));
  }
}

class Curves {
  constructor(place) {
    this.points = [];
    this.charts = [
      ["speed (mm/s)", (p) => (p[1] === null ? null : 1e3 * p[1]), "#0072B2"],
      ["largest contact force (N)", (p) => p[2], "#D55E00"],
      ["largest torque (N m)", (p) => p[4], "#009E73"],
    ].map(([label, value, colour]) => {
      const holder = document.createElement("div"), css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
      holder.className = "chart";
      place.append(Object.assign(document.createElement("div"), { className: "legend", textContent: label }), holder);
      const axis = { stroke: () => css("--soft"), grid: { stroke: () => css("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
      const plot = new uPlot({
        width: holder.clientWidth || 300, height: 110, legend: { show: false }, padding: [6, 12, 0, 0],
        scales: { x: { time: false }, y: { range: (_, low, high) => [Math.min(low ?? 0, 0), (Math.max(high ?? 1, 0.001)) * 1.1] } },
        axes: [{ ...axis, size: 24, values: (_, v) => v.map((t) => `${t} s`) }, { ...axis, size: 40 }],
        series: [{}, { stroke: colour, width: 1.6, points: { show: false } }], cursor: { show: false },
      }, [[], []], holder);
      new ResizeObserver(() => holder.clientWidth && plot.setSize({ width: holder.clientWidth, height: 110 })).observe(holder);
      return { plot, value };
    });
  }

  add(point) {
    const last = this.points[this.points.length - 1];
    if (last && point[0] < last[0]) this.points = [];
    if (!last || point[0] !== last[0]) this.points.push(point);
    if (this.points.length > KEPT) this.points.shift();
  }

  draw() {
    if (!this.points.length) return;
    const now = this.points[this.points.length - 1][0], shown = this.points.filter((p) => p[0] >= now - SPAN);
    for (const { plot, value } of this.charts) {
      plot.setData([shown.map((p) => p[0]), shown.map(value)], false);
      plot.setScale("x", { min: Math.max(now - SPAN, 0), max: Math.max(now, 1) });
    }
  }
}

class Live {
  constructor() {
    this.byId = (id) => document.getElementById(id);
    this.received = 0;
    for (const button of document.querySelectorAll("[data-order]"))
      button.addEventListener("click", () => { if (!button.dataset.sure || confirm(button.dataset.sure)) this.order(button.dataset.order); });
    const slider = this.byId("set-speed");
    slider.addEventListener("change", () => { this.steered = performance.now(); this.order("speed", +slider.value); });
    slider.addEventListener("input", () => { this.steered = performance.now(); this.byId("set-speed-shown").textContent = `${(1e3 * slider.value).toFixed(0)} mm/s`; });
    this.byId("goal").addEventListener("click", () => this.chooseGoal());
    setInterval(() => this.watch(), 500);
    requestAnimationFrame(() => this.draw());
    this.connect();
  }

  connect() {
    this.socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/live`);
    this.socket.addEventListener("message", (event) => this.message(JSON.parse(event.data)));
    this.socket.addEventListener("close", () => { this.state("gone", "no connection"); if (!this.over) setTimeout(() => this.connect(), 1000); });
  }

  /* The next click on the floor is the goal. */
  chooseGoal() {
    const button = this.byId("goal"), choosing = button.getAttribute("aria-pressed") === "true";
    button.setAttribute("aria-pressed", String(!choosing));
    if (choosing) { this.stage.stopPicking(); return; }
    this.say(true, "click on the floor where the head shall come; drag for its heading");
    this.stage.startPicking((x, y, heading) => {
      button.setAttribute("aria-pressed", "false");
      this.instant.goal = { x, y, heading };
      this.order("goal", 0, { x, y, heading: heading ?? 0 });
      this.stage.draw(this.stage.t);
    });
  }

  order(name, value = 0, more = {}) {
    if (name === "pause" && this.paused) name = "resume";
    if (this.socket.readyState !== WebSocket.OPEN) { this.say(false, `${name}: no connection to the robot; use the emergency stop`); return; }
    this.socket.send(JSON.stringify({ order: name, value, ...more }));
  }

  message(content) {
    if (content.kind === "scenery") this.begin(content);
    else if (content.kind === "snapshot") { this.fresh = content; this.shown(content); }
    else if (content.kind === "events") content.events.forEach((event) => this.event(event));
    else if (content.kind === "map") {
      this.instant.map = content;
      this.byId("map-key").hidden = !content.missing.length && content.posts.every((post) => post.kind === "mapped");
    }
    else if (content.kind === "path") { this.instant.scene.path = unpack(content.path); }
    else if (content.kind === "plan") { this.instant.plan = unpack(content.path); }
    else if (content.kind === "planner") {
      this.byId("goal").hidden = this.byId("follow").hidden = !content.listens;
      this.byId("planner").textContent = content.listens ? content.text : "";
    }
    else if (content.kind === "answer") this.say(content.done, `${content.order}: ${content.text}`);
    else if (content.kind === "end") { this.over = true; this.state("gone", "run has ended"); }
  }

  begin(scenery) {
    this.instant = new Instant(scenery);
    this.scenery = scenery;
    this.byId("event-list").innerHTML = "";
    scenery.events.forEach((event) => this.event(event));
    if (!this.stage) {
      const joints = scenery.robot.links - 1;
      this.stage = new Stage(this.byId("stage"), this.instant, { tip: this.byId("tip"), controls: this.byId("view-controls") });
      this.torques = new Bars(this.byId("torque-bars"), joints, scenery.robot.torqueLimit, "N m", "Torque of each joint");
      this.loads = loadBars(this.byId("force-bars"), scenery.robot);
      this.curves = new Curves(this.byId("curves"));
    }
    this.stage.film = this.instant;
    this.curves.points = [];
    scenery.history.forEach((point) => this.curves.add(point));
    document.documentElement.dataset.ready = "yes";
  }

  shown(snapshot) {
    this.received = performance.now();
    const s = snapshot, text = (id, value) => { this.byId(id).textContent = value; };
    this.paused = s.paused;
    if (s.trouble) this.state("fault", "fault");
    else if (s.armed) this.state("armed", s.paused ? "armed, paused" : "armed");
    else this.state("disarmed", s.paused ? "disarmed, paused" : "disarmed");
    this.byId("trouble").hidden = !s.trouble;
    text("trouble", s.trouble);
    text("clock", `${s.time.toFixed(2)} s`);
    text("progress", s.progress === null ? "–" : `${s.progress.toFixed(3)} m`);
    text("speed", s.speed === null ? "–" : `${(1e3 * s.speed).toFixed(0)} mm/s`);
    text("contacts", (s.contacts.length || s.estimates.length));
    text("realtime", s.realtime === null ? "–" : `${s.realtime.toFixed(2)} ×`);
    const pause = this.byId("pause");
    if (pause) pause.textContent = s.paused ? "Go on" : "Pause";
    if (s.set_speed !== null) this.setSpeed(s.set_speed);
    this.instant.take(s);
    const rows = s.contacts.length ? this.instant.true.map((contact) => contact.size) : s.estimates.map((row) => row[4] || 0);
    const largest = (values) => (values.some((v) => v !== null) ? Math.max(...values.map((v) => Math.abs(v ?? 0))) : null);
    this.curves.add([s.time, s.speed, rows.length ? Math.max(...rows) : null, null, largest(s.torque), null]);
    document.documentElement.dataset.time = s.time;
    document.documentElement.dataset.armed = s.armed;
  }

  setSpeed(value) {
    const slider = this.byId("set-speed"), box = this.byId("steering");
    if (box.hidden) {
      box.hidden = false;
      const most = Math.max(2 * Math.abs(value), 0.02);
      Object.assign(slider, { min: -most, max: most, step: most / 100, value });
    }
    if (this.steered && performance.now() - this.steered < 1000) return;
    slider.value = value;
    this.byId("set-speed-shown").textContent = `${(1e3 * value).toFixed(0)} mm/s`;
  }

  draw() {
    if (this.fresh && !document.hidden) {
      const s = this.fresh;
      this.fresh = null;
      this.stage.draw(s.time);
      this.torques.show(s.torque.map((v) => v ?? NaN), s.delivered.map((v) => v ?? NaN), "passed on");
      this.loads.show(s.joint_force.map((v) => v ?? NaN), this.instant.true);
      this.curves.draw();
    }
    requestAnimationFrame(() => this.draw());
  }

  watch() {
    if (this.over || !this.received || this.socket.readyState !== WebSocket.OPEN || this.paused) return;
    if (performance.now() - this.received > 1000 * GONE_SECONDS) this.state("gone", "silent");
  }

  state(kind, text) {
    const badge = this.byId("state");
    badge.className = `badge ${kind}`;
    badge.textContent = text;
  }

  say(done, text) {
    const place = this.byId("answer");
    place.textContent = text;
    place.className = done ? "" : "no";
  }

  event([time, text]) {
    const list = this.byId("event-list"), item = Object.assign(document.createElement("li"), { textContent: `${time.toFixed(3).padStart(9)} s  ${text}` });
    list.prepend(item);
    while (list.children.length > 300) list.lastChild.remove();
  }
}

/* From the other name of this machine, so that a browser gives the scene a process of its own: it then
   cannot hold up the buttons. */
(function () {
  const scene = document.getElementById("scene"), other = { localhost: "127.0.0.1", "127.0.0.1": "localhost" };
  scene.src = `${location.protocol}//${other[location.hostname] || location.hostname}:${location.port}${scene.dataset.path}`;
})();

window.boa = new Live();
