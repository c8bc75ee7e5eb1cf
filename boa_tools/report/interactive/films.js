"use strict";
/* One run, or two side by side, with one clock. */

(function () {
  const root = document.documentElement;
  root.classList.add("js");
  const films = [...document.querySelectorAll("script.film")].map((element) => new Film(JSON.parse(element.textContent)));
  const longest = films.reduce((a, b) => (b.duration > a.duration ? b : a));
  const named = films.length > 1;
  const clock = {
    duration: longest.duration,
    events: films.flatMap((film, k) => film.events.map(([t, text, trip]) => [t, named ? `${k + 1}: ${text}` : text, trip]))
      .sort((a, b) => a[0] - b[0]),
  };
  const end = Math.max(...films.map((film) => film.end));
  const listeners = [], all = [], stages = [];
  document.querySelectorAll(".run").forEach((run, k) => {
    const film = films[k], joints = film.robot.links - 1, find = (name) => run.querySelector(name);
    const stage = new Stage(find("canvas"), film, { tip: find(".tip"), controls: find(".controls") });
    const torques = new Bars(find(".torque-bars"), joints, film.robot.torqueLimit, "N m", "Torque of each joint");
    const forces = loadBars(find(".force-bars"), film.robot);
    const charts = new Charts(film, (t) => { if (!player.playing) player.seek(t); });
    film.panels.forEach((panel) => charts.add(find(".charts"), panel));
    if (film.raster) charts.addRaster(find(".charts"), film.raster);
    all.push(charts);
    stages.push(stage);
    listeners.push((t) => {
      const at = Math.min(t, film.duration), loads = film.loadsAt(at);
      stage.draw(at);
      charts.show(at);
      torques.show(loads.torque);
      forces.show(loads.force, film.contactsAt(at));
    });
  });
  const zoom = (min, max) => all.forEach((charts) => charts.setZoom(min, max));
  all.forEach((charts) => { charts.linkZoom = (from) => { if (!charts.linking && !zoom.busy) { zoom.busy = true; zoom(from.scales.x.min, from.scales.x.max); zoom.busy = false; } }; charts.resetZoom = () => zoom(0, end); });
  zoom(0, end);
  document.getElementById("zoom-out").addEventListener("click", () => zoom(0, end));
  const player = new Player(clock, listeners);
  player.seek(0);
  root.dataset.ready = "yes";
  window.boa = { films, player, stages, charts: all };
})();
