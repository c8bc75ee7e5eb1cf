"use strict";
/* A report: film, stage, charts and player put together. */

/* Blocks that show their heading only, until it is clicked or a link leads to them. */
function foldPage() {
  for (const block of document.querySelectorAll("[data-fold]")) {
    const head = block.querySelector("h2");
    const fold = (folded) => { block.classList.toggle("folded", folded); head.setAttribute("aria-expanded", String(!folded)); };
    const turn = () => fold(!block.classList.contains("folded"));
    Object.assign(head, { tabIndex: 0, role: "button" });
    head.addEventListener("click", turn);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") turn(); });
    for (const link of document.querySelectorAll(`a[href="#${block.id}"]`)) link.addEventListener("click", () => fold(false));
    fold(location.hash !== `#${block.id}`);
  }
}

(function () {
  const root = document.documentElement, started = performance.now();
  const film = new Film(JSON.parse(document.getElementById("film").textContent));
  if (film.time.length < 2) return;
  root.classList.add("js");
  document.getElementById("film-figure").hidden = false;
  document.querySelector(".player").hidden = false;
  const stage = new Stage(document.getElementById("stage"), film, { tip: document.getElementById("tip"), controls: document.querySelector(".controls") });
  const small = new Stage(document.getElementById("small-stage"), film, { small: true });
  const joints = film.robot.links - 1;
  const torques = new Bars(document.getElementById("torque-bars"), joints, film.robot.torqueLimit, "N m", "Torque of each joint");
  const forces = loadBars(document.getElementById("force-bars"), film.robot);
  const charts = new Charts(film, (t) => { if (!player.playing) player.seek(t); });
  const player = new Player(film, [
    (t) => stage.draw(t),
    (t) => { if (document.body.classList.contains("scrolled")) small.draw(t); },
    (t) => charts.show(t),
    (t) => { const loads = film.loadsAt(t); torques.show(loads.torque); forces.show(loads.force, film.contactsAt(t)); },
  ]);
  for (const figure of document.querySelectorAll("figure[data-plot]")) {
    const panels = film.panels.filter((panel) => panel.name === figure.dataset.plot);
    const raster = figure.dataset.plot === "contacts" && film.raster;
    if (!panels.length && !raster) continue;
    const place = document.createElement("div");
    place.className = "live";
    figure.append(place);
    figure.classList.add("moving");
    panels.forEach((panel) => charts.add(place, panel));
    if (raster) charts.addRaster(place, raster);
  }
  charts.resetZoom();
  foldPage();
  document.getElementById("zoom-out").addEventListener("click", () => charts.resetZoom());
  for (const [id, factor] of [["closer", 0.7], ["farther", 1.4]])
    document.getElementById(id).addEventListener("click", () => stage.zoom(factor));
  document.getElementById("follow").addEventListener("click", () => { stage.view = null; stage.draw(player.t); });
  new IntersectionObserver(([entry]) => {
    document.body.classList.toggle("scrolled", !entry.isIntersecting && entry.boundingClientRect.top < 0);
    small.draw(player.t);
  }).observe(document.getElementById("stage"));
  for (const line of document.querySelectorAll("[data-seek]"))
    line.addEventListener("click", () => { player.stop(); player.seek(+line.dataset.seek); });
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", () => { charts.redraw(); stage.draw(player.t); });
  player.seek(Math.min(film.settle, film.duration));
  root.dataset.ready = Math.round(performance.now() - started);
  window.boa = { film, player, charts, stage };
})();
