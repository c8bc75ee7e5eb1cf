"use strict";
/* The time of a page: one clock that moves robot, charts and bars; play, scrub, events, keys. */

class Player {
  constructor(film, listeners) {
    this.film = film;
    this.listeners = listeners;
    this.t = 0;
    this.playing = false;
    this.speed = 1;
    this.elements = Object.fromEntries([...document.querySelectorAll("[data-player]")].map((e) => [e.dataset.player, e]));
    const { slider, play, speed, before, after, event } = this.elements;
    slider.max = film.duration;
    slider.step = Math.max(film.duration / 5000, 0.001);
    slider.addEventListener("input", () => { this.stop(); this.seek(+slider.value); });
    play.addEventListener("click", () => (this.playing ? this.stop() : this.play()));
    speed.addEventListener("change", () => { this.speed = +speed.value; });
    before.addEventListener("click", () => this.jump(-1));
    after.addEventListener("click", () => this.jump(1));
    if (!film.events.length) for (const e of [before, after, event]) e.hidden = true;
    document.addEventListener("keydown", (pressed) => this.key(pressed));
  }

  seek(t) {
    this.t = Math.min(Math.max(t, 0), this.film.duration);
    for (const listener of this.listeners) listener(this.t);
    const { slider, clock, event } = this.elements;
    slider.value = this.t;
    clock.textContent = `${this.t.toFixed(2)} / ${this.film.duration.toFixed(1)} s`;
    document.documentElement.dataset.time = this.t;
    const last = this.lastEvent();
    event.textContent = last ? `${last[0].toFixed(2)} s  ${last[1]}` : "";
    event.classList.toggle("trip", Boolean(last && last[2]));
  }

  lastEvent() {
    let found = null;
    for (const event of this.film.events) { if (event[0] > this.t + 1e-6) break; found = event; }
    return found;
  }

  play() {
    if (this.t >= this.film.duration - 1e-3) this.t = 0;
    this.playing = true;
    this.elements.play.textContent = "❚❚";
    this.elements.play.setAttribute("aria-label", "pause");
    let before = performance.now();
    const step = (now) => {
      if (!this.playing) return;
      this.seek(this.t + this.speed * Math.min((now - before) / 1000, 0.25));
      before = now;
      if (this.t >= this.film.duration) this.stop(); else requestAnimationFrame(step);
    };
    requestAnimationFrame(step);
  }

  stop() {
    this.playing = false;
    this.elements.play.textContent = "▶";
    this.elements.play.setAttribute("aria-label", "play");
  }

  /* The next event in a direction; events of one instant count as one. */
  jump(direction) {
    this.stop();
    const times = this.film.events.map((event) => event[0]);
    const next = direction > 0 ? times.find((t) => t > this.t + 1e-3) : times.reverse().find((t) => t < this.t - 1e-3);
    if (next !== undefined) this.seek(next);
  }

  key(pressed) {
    if (pressed.target.matches("input, select, textarea, button, summary") || pressed.ctrlKey || pressed.metaKey) return;
    const moves = { ArrowLeft: -0.1, ArrowRight: 0.1 };
    if (pressed.key === " ") this.elements.play.click();
    else if (pressed.key in moves) { this.stop(); this.seek(this.t + moves[pressed.key] * (pressed.shiftKey ? 10 : 1)); }
    else return;
    pressed.preventDefault();
  }
}

/* Bars of loads, one for each joint or link, against a limit. */
class Bars {
  constructor(place, count, limit, unit, title, { limitName = "limit", part = "joint" } = {}) {
    this.limit = limit;
    this.unit = unit;
    this.part = part;
    place.append(Object.assign(document.createElement("h3"), { textContent: `${title}, ${limitName} ${+limit.toPrecision(3)} ${unit}` }));
    const list = document.createElement("div");
    list.className = "bars";
    this.bars = Array.from({ length: count }, (_, k) => {
      const bar = document.createElement("div");
      bar.title = `${part} ${k + 1}`;
      bar.append(document.createElement("i"), Object.assign(document.createElement("span"), { textContent: k + 1 }));
      bar.append(Object.assign(document.createElement("b"), { hidden: true }));
      list.append(bar);
      return bar;
    });
    place.append(list);
  }

  /* `marks`: second values, as lines across the bars, where there are some; `named` what they are. */
  show(values, marks = [], named = "") {
    this.bars.forEach((bar, k) => {
      const mark = marks[k], marked = Number.isFinite(mark);
      bar.lastChild.hidden = !marked;
      if (marked) bar.lastChild.style.bottom = `${100 * Math.min(Math.abs(mark) / this.limit, 1)}%`;
      const value = Math.abs(values[k]), share = Math.min(value / this.limit, 1);
      bar.firstChild.style.height = `${Number.isFinite(share) ? 100 * share : 0}%`;
      bar.firstChild.className = share > 0.8 ? "high" : "";
      bar.title = `${this.part} ${k + 1}: ${Number.isFinite(value) ? `${values[k].toFixed(2)} ${this.unit}` : "not measured"}${marked ? `, ${named} ${mark.toFixed(2)} ${this.unit}` : ""}`;
    });
  }
}

/* The forces that a robot must bear: at its joints in the plane, of the floor in space. */
function loadBars(place, robot) {
  if (robot.planar) {
    const bars = new Bars(place, robot.links - 1, robot.forceLimit, "N", "Force at each joint");
    return { show: (jointForce) => bars.show(jointForce) };
  }
  const bars = new Bars(place, robot.links, robot.weight, "N", "Force of the floor on each link", { limitName: "weight", part: "link" });
  return {
    show: (_, contacts) => {
      const values = Array(robot.links).fill(0);
      for (const contact of contacts) values[contact.link] += contact.size;
      bars.show(values);
    },
  };
}
