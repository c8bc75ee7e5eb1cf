"use strict";
/* Charts over time on uPlot: one cursor and one zoom for all of them. */

const CHART_HEIGHT = 190;
const RASTER_ROW = 13;
const REFERENCE = "#3B3F45"; // the one colour that is other in dark mode

class Charts {
  /* seek: called with the time under the pointer. */
  constructor(film, seek) {
    this.film = film;
    this.seek = seek;
    this.plots = [];
    this.zoomed = false;
    this.t = 0;
    const root = getComputedStyle(document.documentElement);
    this.css = (name) => root.getPropertyValue(name).trim();
  }

  add(place, panel) {
    const time = unpack(panel.time), lines = panel.lines.map((line) => unpack(line.values));
    const data = [time, ...lines.map((values) => Array.from(values, (v) => (Number.isNaN(v) ? null : v)))];
    const legend = this.legend(place, panel);
    const series = panel.lines.map((line) => ({
      label: line.label, stroke: () => this.colour(line.colour), width: line.width,
      dash: line.dashed ? [6, 4] : undefined, points: { show: false }, spanGaps: false,
    }));
    const bands = panel.lines.flatMap((line, k) => (line.band ? [{ series: [k + 1, k + 2], fill: "rgba(86, 140, 190, 0.18)" }] : []));
    this.make(place, panel, data, {
      series: [{}, ...series], bands, height: CHART_HEIGHT,
      scales: { x: { time: false }, y: { range: (_, low, high) => this.range(panel, low, high) } },
      hooks: {
        drawAxes: [(u) => this.settled(u)],
        draw: [(u) => this.limits(u, panel)],
      },
    }, legend);
  }

  /* Force per post over time as colours. */
  addRaster(place, raster) {
    const time = unpack(raster.time), force = unpack(raster.force), lost = unpack(raster.lost);
    const rows = raster.names.length;
    const image = document.createElement("canvas");
    image.width = time.length;
    image.height = rows;
    const g = image.getContext("2d"), pixels = g.createImageData(time.length, rows);
    for (let k = 0; k < time.length; k++) for (let row = 0; row < rows; row++) {
      const at = 4 * (row * time.length + k), value = force[k * rows + row];
      if (lost[k * rows + row] > 0) pixels.data.set([213, 94, 0, 255], at);
      else if (!Number.isNaN(value)) {
        const s = Math.min(value / raster.top, 1);
        pixels.data.set([160 - 152 * s, 205 - 121 * s, 205 - 36 * s, 255], at);
      }
    }
    g.putImageData(pixels, 0, 0);
    const names = raster.names, end = this.film.end;
    const legend = document.createElement("div");
    legend.className = "legend";
    const panel = { label: "post", lines: [], limits: [] };
    this.make(place, panel, [time, time.map(() => null)], {
      series: [{}, { show: true, paths: () => null, points: { show: false } }], height: Math.max(150, 60 + RASTER_ROW * rows),
      scales: { x: { time: false }, y: { dir: -1, range: () => [-0.5, rows - 0.5] } },
      axisValues: (u, splits) => splits.map((s) => (names[s] ?? "").replace("post ", "")),
      splits: () => Array.from({ length: rows }, (_, k) => k).filter((k) => k % Math.ceil(rows / 30) === 0),
      hooks: {
        draw: [(u) => {
          const { left, top, width, height } = u.bbox, x = u.scales.x, step = end / time.length;
          const from = Math.max(x.min, 0), to = Math.min(x.max, end);
          u.ctx.save();
          u.ctx.imageSmoothingEnabled = false;
          u.ctx.beginPath();
          u.ctx.rect(left, top, width, height);
          u.ctx.clip();
          u.ctx.drawImage(image, from / step, 0, (to - from) / step, rows,
            u.valToPos(from, "x", true), top, u.valToPos(to, "x", true) - u.valToPos(from, "x", true), height);
          u.ctx.restore();
        }],
      },
    }, legend, (t) => {
      const k = Math.min(Math.floor(t / end * time.length), time.length - 1);
      legend.textContent = names.map((name, row) => [name, force[k * rows + row]])
        .filter(([, value]) => value > 0).map(([name, value]) => `${name}: ${value.toFixed(1)} N`).join("   ") || "no contact";
    });
  }

  make(place, panel, data, options, legend, say) {
    const holder = document.createElement("div");
    holder.className = "chart";
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", `${panel.label} over time`);
    place.append(legend, holder);
    const axis = { stroke: () => this.css("--soft"), grid: { stroke: () => this.css("--line"), width: 1 }, ticks: { show: false }, font: "12px system-ui, sans-serif" };
    const plot = new uPlot({
      width: holder.clientWidth || 600, height: options.height, series: options.series, bands: options.bands,
      scales: options.scales, legend: { show: false }, padding: [8, 22, 0, 0],
      axes: [{ ...axis, size: 28, values: (_, ticks) => ticks.map((v) => `${+v.toFixed(3)} s`) },
        { ...axis, size: 52, label: panel.label, labelSize: 18, labelFont: "12px system-ui, sans-serif",
          ...(options.axisValues ? { values: options.axisValues, splits: options.splits, grid: { show: false } } : {}) }],
      cursor: { y: false, drag: { x: true, y: false, setScale: true }, points: { size: 6 }, sync: { key: "boa", setSeries: false, scales: ["x", null] } },
      hooks: { ...options.hooks, draw: [...(options.hooks.draw || []), (u) => { if (u.boa) this.place(u); }], setScale: [(u, key) => { if (key === "x") this.linkZoom(u); }], ready: [(u) => u.over.addEventListener("dblclick", () => this.resetZoom())] },
    }, data, holder);
    plot.over.addEventListener("pointermove", (event) => this.pointed(plot, event));
    const mark = document.createElement("div");
    mark.className = "now";
    plot.over.append(mark);
    plot.boa = { panel, legend, mark, data, holder, say };
    this.plots.push(plot);
    new ResizeObserver(() => { if (holder.clientWidth) plot.setSize({ width: holder.clientWidth, height: options.height }); this.place(plot); }).observe(holder);
  }

  legend(place, panel) {
    const legend = document.createElement("div");
    legend.className = "legend";
    panel.lines.forEach((line, k) => {
      const item = document.createElement("button");
      item.type = "button";
      item.setAttribute("aria-pressed", "true");
      item.style.setProperty("--swatch", line.colour === REFERENCE ? "var(--reference)" : line.colour);
      item.append(Object.assign(document.createElement("span"), { textContent: line.label }), document.createElement("b"));
      item.addEventListener("click", () => {
        const plot = this.plots.find((p) => p.boa.legend === legend), show = !plot.series[k + 1].show;
        plot.setSeries(k + 1, { show });
        item.setAttribute("aria-pressed", String(show));
      });
      legend.append(item);
    });
    if (panel.lines.length > 8) legend.classList.add("many");
    return legend;
  }

  colour(colour) { return colour === REFERENCE ? this.css("--reference") : colour; }

  range(panel, low, high) {
    for (const limit of panel.limits) if (limit.text) { low = Math.min(low, 0); high = Math.max(high, limit.value); }
    if (low === null || high === null) return [0, 1];
    if (panel.fromZero) low = Math.min(low, 0);
    const missing = panel.least - (high - low);
    if (missing > 0 && !panel.fromZero) { low -= missing / 2; high += missing / 2; }
    const room = 0.06 * (high - low) || 1;
    return [panel.fromZero && low === 0 ? 0 : low - room, high + room];
  }

  limits(u, panel) {
    const { ctx, bbox } = u;
    for (const limit of panel.limits) {
      const y = u.valToPos(limit.value, "y", true);
      ctx.save();
      ctx.strokeStyle = ctx.fillStyle = limit.text ? this.css("--limit") : this.css("--soft");
      ctx.lineWidth = devicePixelRatio;
      if (limit.text) ctx.setLineDash([6 * devicePixelRatio, 4 * devicePixelRatio]);
      ctx.beginPath();
      ctx.moveTo(bbox.left, y);
      ctx.lineTo(bbox.left + bbox.width, y);
      ctx.stroke();
      ctx.textAlign = "right";
      ctx.font = `${11 * devicePixelRatio}px system-ui, sans-serif`;
      ctx.fillText(limit.text, bbox.left + bbox.width - 6, y - 5 * devicePixelRatio);
      ctx.restore();
    }
  }

  /* The start-up, which no metric counts, is shaded. */
  settled(u) {
    const settle = this.film.settle;
    if (!(settle > 0)) return;
    const { ctx, bbox } = u, x = u.scales.x, to = Math.min(settle, x.max), from = Math.max(0, x.min);
    if (to <= from) return;
    ctx.save();
    ctx.fillStyle = this.css("--start-up");
    const a = u.valToPos(from, "x", true);
    ctx.fillRect(a, bbox.top, u.valToPos(to, "x", true) - a, bbox.height);
    ctx.restore();
  }

  pointed(plot, event) {
    if (event.buttons) return; // a zoom is being drawn
    const x = event.clientX - plot.over.getBoundingClientRect().left;
    this.seek(plot.posToVal(x, "x"));
  }

  linkZoom(from) {
    if (this.linking || !this.plots.includes(from)) return;
    const { min, max } = from.scales.x;
    this.setZoom(min, max);
  }

  setZoom(min, max) {
    this.linking = true;
    for (const plot of this.plots) if (plot.scales.x.min !== min || plot.scales.x.max !== max) plot.setScale("x", { min, max });
    this.linking = false;
    this.plots.forEach((plot) => this.place(plot));
  }

  resetZoom() { this.setZoom(0, this.film.end || this.film.duration); }

  /* Put the time mark of every chart, and the values there into its legend. */
  show(t) {
    this.t = t;
    for (const plot of this.plots) {
      this.place(plot);
      if (plot.boa.say) plot.boa.say(t); else this.values(plot);
    }
  }

  place(plot) {
    const x = plot.valToPos(this.t, "x");
    plot.boa.mark.hidden = !(x >= 0 && x <= plot.over.clientWidth);
    plot.boa.mark.style.transform = `translateX(${x}px)`;
  }

  values(plot) {
    const { data, legend } = plot.boa, at = plot.valToIdx(this.t), many = legend.classList.contains("many");
    [...legend.children].forEach((item, k) => {
      const value = data[k + 1][at];
      item.lastChild.textContent = value === null || value === undefined ? "" : value.toPrecision(3);
      if (many) item.hidden = value === null || value === undefined;
    });
  }

  redraw() { this.plots.forEach((plot) => plot.redraw(false)); }
}
