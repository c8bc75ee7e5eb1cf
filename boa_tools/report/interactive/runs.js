"use strict";
/* Charts over many runs: bars of a set, curves of a sweep. Switches take runs out of all of them. */

const RUNS_HEIGHT = 210;
const GROUP_WIDTH = 0.8; // of the distance between two groups
const LETTER = 6.2; // px

class RunCharts {
  constructor(place) {
    this.place = place;
    this.plots = [];
    this.css = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.plots.forEach((plot) => plot.redraw(false)));
  }

  /* told: what stands above the chart for a place along x. */
  chart(title, options, data, told) {
    const box = document.createElement("div"), head = document.createElement("div"), holder = document.createElement("div");
    const words = Object.assign(document.createElement("span"), { className: "told" });
    head.className = "chart-title";
    head.append(Object.assign(document.createElement("b"), { textContent: title }), words);
    holder.className = "chart";
    holder.setAttribute("role", "img");
    holder.setAttribute("aria-label", title);
    box.append(head, holder);
    this.place.append(box);
    const axis = { stroke: () => this.css("--soft"), grid: { stroke: () => this.css("--line"), width: 1 }, ticks: { show: false }, font: "11px system-ui, sans-serif" };
    const plot = new uPlot({
      width: holder.clientWidth || 360, height: RUNS_HEIGHT, legend: { show: false }, padding: [8, 12, 0, 0],
      cursor: { y: false, drag: { x: false, y: false, setScale: false }, points: { show: false } },
      ...options, axes: [{ ...axis, ...options.axes[0] }, { ...axis, size: 48, ...options.axes[1] }],
      hooks: { setCursor: [(u) => { words.textContent = u.cursor.left >= 0 ? told(u.posToVal(u.cursor.left, "x")) : ""; }] },
    }, data, holder);
    new ResizeObserver(() => holder.clientWidth && plot.setSize({ width: holder.clientWidth, height: RUNS_HEIGHT })).observe(holder);
    this.plots.push(plot);
    return plot;
  }

  number(value) { return value === null || value === undefined ? "–" : String(+value.toPrecision(3)); }

  upTo(low, high) { return [Math.min(low ?? 0, 0), (high ?? 0) > 0 ? 1.06 * high : 1]; }
}

/* A bar for each member of a set. */
class BarCharts extends RunCharts {
  constructor(place, data) {
    super(place);
    this.data = data;
    this.on = data.runs.map(() => true);
    const count = data.kinds.length, last = data.groups.length - 1;
    this.x = data.runs.map(({ group, kind }) => group + (kind - (count - 1) / 2) * GROUP_WIDTH / count);
    this.order = data.runs.map((_, k) => k).sort((a, b) => this.x[a] - this.x[b]);
    const letters = Math.max(...data.groups.map((name) => name.length));
    const turned = () => letters * LETTER * data.groups.length > (place.clientWidth || 1000) / 3 - 60;
    const series = data.kinds.flatMap(({ colour }) => [true, false].map((completed) => ({
      fill: completed ? colour : `${colour}55`, stroke: colour, width: completed ? 0 : 1.2, points: { show: false },
      paths: uPlot.paths.bars({ size: [0.9, 70] }),
    })));
    for (const chart of data.charts)
      this.chart(chart.title, {
        scales: { x: { time: false, range: () => [-0.5, last + 0.5] }, y: { range: (_, low, high) => this.upTo(low, high) } },
        axes: [{
          splits: () => data.groups.map((_, k) => k), values: () => data.groups, grid: { show: false },
          rotate: turned() ? -30 : 0, size: turned() ? 20 + 0.55 * LETTER * letters : 26,
        }, {}],
        series: [{}, ...series],
      }, this.columns(chart), (x) => this.told(chart, x));
  }

  columns(chart) {
    const { kinds, runs } = this.data;
    return [this.order.map((k) => this.x[k]), ...kinds.flatMap((_, kind) => [true, false].map((completed) =>
      this.order.map((k) => (this.on[k] && runs[k].kind === kind && runs[k].completed === completed ? chart.values[k] : null))))];
  }

  told(chart, x) {
    const near = this.order.filter((k) => this.on[k]).sort((a, b) => Math.abs(this.x[a] - x) - Math.abs(this.x[b] - x))[0];
    return near === undefined ? "" : `${this.data.runs[near].labels.join(", ")}: ${this.number(chart.values[near])}`;
  }

  /* Show these runs, true or false for each. */
  show(on) {
    this.on = on;
    this.data.charts.forEach((chart, k) => this.plots[k].setData(this.columns(chart)));
  }
}

/* Medians over one varied key, with the middle half of the runs behind them. */
class SpreadCharts extends RunCharts {
  constructor(place, data) {
    super(place);
    this.data = data;
    const x = data.x, levels = ["least", "low", "middle", "high", "most"];
    const room = data.logarithmic ? [x[0] / 1.15, x[x.length - 1] * 1.15] : [x[0] - 0.06 * (x[x.length - 1] - x[0]), x[x.length - 1] + 0.06 * (x[x.length - 1] - x[0])];
    for (const chart of data.charts) {
      const series = data.lines.flatMap(({ colour }) => levels.map((level) => (level === "middle"
        ? { stroke: colour, width: 1.8, points: { show: true, size: 6, fill: colour } }
        : { stroke: colour, width: level === "least" || level === "most" ? 0.8 : 0, dash: [2, 3], points: { show: false } })));
      const bands = data.lines.map(({ colour }, k) => ({ series: [5 * k + 4, 5 * k + 2], fill: `${colour}33` }));
      const none = x.map(() => null);
      this.chart(chart.title, {
        scales: {
          x: { time: false, distr: data.logarithmic ? 3 : 1, range: () => room },
          y: { range: (_, low, high) => (chart.top ? [0, chart.top] : this.upTo(low, high)) },
        },
        axes: [{ size: 42, label: data.label, labelSize: 16, labelFont: "11px system-ui, sans-serif",
          ...(data.ticks ? { splits: () => x, values: () => data.ticks } : { values: (_, ticks) => ticks.map((v) => (v === null ? "" : String(+v.toPrecision(4)))) }) }, {}],
        series: [{}, ...series], bands,
      }, [x, ...chart.lines.flatMap((line) => levels.map((level) => line[level] || none))], (at) => this.told(chart, at));
    }
  }

  told(chart, at) {
    const { x, lines, ticks } = this.data, near = x.reduce((best, v, k) => (Math.abs(v - at) < Math.abs(x[best] - at) ? k : best), 0);
    const values = chart.lines.flatMap((line, k) => (this.plots[0].series[5 * k + 3].show ? [`${lines[k].label} ${this.number(line.middle[near])}`.trim()] : []));
    return `${ticks ? ticks[near] : this.number(x[near])}: ${values.join("   ")}`;
  }

  show(on) {
    on.forEach((shown, line) => {
      for (const plot of this.plots) for (let level = 1; level <= 5; level++) plot.setSeries(5 * line + level, { show: shown });
    });
  }
}

function switchButton(label, colour, pressed) {
  const button = Object.assign(document.createElement("button"), { type: "button", textContent: label });
  button.setAttribute("aria-pressed", "true");
  if (colour) button.style.setProperty("--swatch", colour); else button.classList.add("plain");
  button.addEventListener("click", pressed);
  return button;
}

/* A set: a switch for each variant of each axis, a box for each member in the table. */
function setPage(data) {
  const figure = document.querySelector("figure[data-runs]"), place = figure.querySelector(".charts-grid");
  figure.classList.add("moving");
  const charts = new BarCharts(place, data), boxes = [...document.querySelectorAll("input[data-run]")];
  const chips = [], switches = figure.querySelector(".switches");
  const update = () => {
    charts.show(boxes.map((box) => box.checked));
    boxes.forEach((box) => box.closest("tr").classList.toggle("off", !box.checked));
    for (const { button, runs } of chips) button.setAttribute("aria-pressed", String(runs.some((k) => boxes[k].checked)));
  };
  data.axes.forEach((axis, place) => {
    const row = document.createElement("div");
    row.append(Object.assign(document.createElement("span"), { textContent: axis }));
    for (const label of new Set(data.runs.map((run) => run.labels[place]))) {
      const runs = data.runs.flatMap((run, k) => (run.labels[place] === label ? [k] : []));
      const kind = data.kinds.find(({ label: text }) => place > 0 && text === label);
      const button = switchButton(label, kind && kind.colour, () => {
        const checked = !runs.some((k) => boxes[k].checked);
        runs.forEach((k) => { boxes[k].checked = checked; });
        update();
      });
      chips.push({ button, runs });
      row.append(button);
    }
    switches.append(row);
  });
  boxes.forEach((box) => box.addEventListener("change", update));
  return charts;
}

/* A sweep: a switch for each curve, of one figure each. */
function sweepPage(data) {
  return Object.fromEntries(Object.entries(data).map(([name, over]) => {
    const figure = document.querySelector(`figure[data-runs="${CSS.escape(name)}"]`), place = figure.querySelector(".charts-grid");
    figure.classList.add("moving");
    const charts = new SpreadCharts(place, over), switches = figure.querySelector(".switches"), on = over.lines.map(() => true);
    if (over.lines.length > 1) over.lines.forEach(({ label, colour }, k) => {
      const button = switchButton(label, colour, () => {
        on[k] = !on[k];
        button.setAttribute("aria-pressed", String(on[k]));
        charts.show(on);
      });
      switches.append(button);
    });
    return [name, charts];
  }));
}

(function () {
  document.documentElement.classList.add("js");
  const data = JSON.parse(document.getElementById("runs").textContent);
  window.boa = data.charts ? setPage(data) : sweepPage(data);
  document.documentElement.dataset.ready = "yes";
})();
