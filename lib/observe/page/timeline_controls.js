/* The controls of the page of a run, and its texts and tables. */

/* ---- hover, wheel, drag, keys ---- */
const timeAt = (px) => view.t0 + (px - layout.left) / (width - layout.left - layout.right) * (view.t1 - view.t0);
const workerAt = (py) => view.w0 + (py - layout.gap) / rowsHeight() * (view.w1 - view.w0);
function batchAt(px, py) {
  const worker = Math.floor(workerAt(py)), time = timeAt(px);
  if (worker < 0 || worker >= numWorkers || py < layout.gap || py > layout.gap + rowsHeight()) return -1;
  const i = firstAfter(rows[worker], rows[worker + 1], time);
  return i < rows[worker + 1] && start[i] <= time ? i : -1;
}
function textOf(i, worker) {
  const label = record.operations[operation[i]].label;
  let text = `${operation[i]} ${label}\nworker ${record.workers_of_rows[worker]} on ${hostName(worker)}, tasks ${firstTasks()[i]} to ${firstTasks()[i] + count[i] - 1}: ${outcomes[outcome[i]]}\n` +
      `${seconds(start[i] * record.tick_s)} to ${seconds(stop[i] * record.tick_s)}, for ${seconds((stop[i] - start[i]) * record.tick_s)}`;
  if (read[i] + written[i] > 0) text += `\nread ${size(read[i])}, written ${size(written[i])}`;
  if (memory[i] > 0) text += `\nmemory ${size(memory[i])} of ${size(record.operations[operation[i]].memory_promised)} promised`;
  return text;
}
const hover = byId("hover"), plot = byId("plot");
let drag = null;
plot.addEventListener("pointermove", (event) => {
  const box = canvas.getBoundingClientRect(), px = event.clientX - box.left, py = event.clientY - box.top;
  if (drag) {
    const dt = (drag.x - px) / (width - layout.left - layout.right) * (drag.view.t1 - drag.view.t0);
    const dw = (drag.y - py) / rowsHeight() * (drag.view.w1 - drag.view.w0);
    show({t0: drag.view.t0 + dt, t1: drag.view.t1 + dt, w0: drag.view.w0 + dw, w1: drag.view.w1 + dw});
  }
  const i = batchAt(px, py);
  hover.hidden = i < 0;
  if (i < 0) return;
  hover.textContent = textOf(i, Math.floor(workerAt(py)));
  hover.style.left = Math.max(0, Math.min(px + 12, width - hover.offsetWidth - 4)) + "px";
  hover.style.top = (py + 14) + "px";
});
plot.addEventListener("pointerdown", (event) => {
  const box = canvas.getBoundingClientRect();
  drag = {x: event.clientX - box.left, y: event.clientY - box.top, view};
  plot.setPointerCapture(event.pointerId);
});
plot.addEventListener("pointerup", () => { drag = null; });
plot.addEventListener("pointercancel", () => { drag = null; });
plot.addEventListener("pointerleave", () => { hover.hidden = true; });
function zoom(factor, time, worker) {
  const dt = (view.t1 - view.t0) * factor, t = (time - view.t0) / (view.t1 - view.t0);
  const v = {t0: time - dt * t, t1: time + dt * (1 - t), w0: view.w0, w1: view.w1};
  if (worker !== null) {
    const dw = (view.w1 - view.w0) * factor, p = (worker - view.w0) / (view.w1 - view.w0);
    v.w0 = worker - dw * p;
    v.w1 = worker + dw * (1 - p);
  }
  show(v);
}
plot.addEventListener("wheel", (event) => {
  event.preventDefault();
  const box = canvas.getBoundingClientRect();
  zoom(Math.pow(1.0015, event.deltaY), timeAt(event.clientX - box.left), event.shiftKey ? workerAt(event.clientY - box.top) : null);
}, {passive: false});
const centre = () => (view.t0 + view.t1) / 2;
const moved = (dt, dw) => show({t0: view.t0 + dt * (view.t1 - view.t0), t1: view.t1 + dt * (view.t1 - view.t0),
                                w0: view.w0 + dw * (view.w1 - view.w0), w1: view.w1 + dw * (view.w1 - view.w0)});
const keys = {
  "+": () => zoom(0.5, centre(), null), "=": () => zoom(0.5, centre(), null), "-": () => zoom(2, centre(), null),
  "0": () => show(whole()), ArrowLeft: () => moved(-0.2, 0), ArrowRight: () => moved(0.2, 0),
  ArrowUp: () => moved(0, -0.2), ArrowDown: () => moved(0, 0.2),
};
plot.addEventListener("keydown", (event) => {
  if (!keys[event.key]) return;
  event.preventDefault();
  keys[event.key]();
});
byId("zoom-in").addEventListener("click", keys["+"]);
byId("zoom-out").addEventListener("click", keys["-"]);
byId("reset").addEventListener("click", keys["0"]);
byId("path").addEventListener("click", () => {
  hasPath = !hasPath;
  byId("path").setAttribute("aria-pressed", hasPath);
  request();
});
function search(text) {
  pattern = text.trim().toLowerCase();
  document.querySelectorAll("#operations tbody tr").forEach((row, op) => row.classList.toggle("chosen", pattern !== "" && isMatch(op)));
  request();
}
byId("search").addEventListener("input", (event) => search(event.target.value));

/* ---- texts and tables ---- */
byId("title").textContent = record.title;
byId("summary").textContent = `${record.outcome} after ${seconds(record.elapsed_s)} on ${record.executor}` +
    `${record.is_simulated ? " (simulated)" : ""}, begun ${record.began}; ${record.batches.toLocaleString("en")} batches on ${numWorkers.toLocaleString("en")} workers` +
    (record.batches_per_line > 1 ? `; a line of tasks.csv.gz is up to ${record.batches_per_line} batches of a worker` : "");
const shown = record.operations.slice(0, 40);
shown.forEach((op, i) => {
  const item = cell("li", `${i} ${op.label}`), mark = document.createElement("i");
  mark.style.background = colourText(palette[i]);
  item.prepend(mark);
  item.addEventListener("click", () => { byId("search").value = `${i} ${op.label}`; search(byId("search").value); });
  byId("legend").append(item);
});
const known = (value, format) => (value === undefined ? "" : format(value));
fill(byId("operations"), [["", ""], ["operation", "text"], ["tasks", ""], ["done", ""], ["resumed", ""], ["failures", ""], ["backups", ""], ["begin", ""], ["end", ""], ["busy", ""], ["start-up", ""], ["waited", ""], ["median task", ""], ["longest", ""], ["read", ""], ["written", ""], ["memory", ""], ["promised", ""]],
     record.operations.map((op, i) => [i, op.label, op.tasks, op.done, op.resumed, op.failures, op.backups, seconds(op.begin_s), seconds(op.end_s), seconds(op.busy_s), seconds(op.start_up_s), seconds(Object.values(op.waited_s).reduce((a, b) => a + b, 0)), seconds(op.task_s["0.5"]), seconds(op.task_s["1"]), known(op.bytes_read, size), known(op.bytes_written, size), known(op.memory_measured, size), size(op.memory_promised)]));
if (record.failures.length > 0) {
  byId("failures-section").hidden = false;
  fill(byId("failures"), [["operation", "text"], ["task", ""], ["worker", ""], ["attempt", ""], ["begin", ""], ["tried again", "text"], ["cause", "text cause"]],
       record.failures.slice(0, 500).map((f) => [`${f.operation} ${record.operations[f.operation].label}`, f.task, f.worker, f.attempt, seconds(f.begin_s), f.is_retried ? "yes" : "no", f.cause]));
}
const path = record.critical_path, share = (time) => (path.end_s > 0 ? (100 * time / path.end_s).toPrecision(3) + " %" : "");
fill(byId("critical"), [["", "text"], ["attempts", ""], ["time", ""], ["of the run", ""]],
     [...path.operations.map((part) => [`${part.operation} ${record.operations[part.operation].label}`, part.attempts, seconds(part.busy_s), share(part.busy_s)]),
      ["waits", "", seconds(path.waits_s), share(path.waits_s)]]);
fill(byId("idle"), [["reason", "text"], ["time", ""]], Object.entries(record.idle_s).map(([reason, time]) => [{inputs: "tasks that are left read outputs of tasks that run", memory: "no further task fits into the memory", pause: "failed tasks wait for their next attempt"}[reason] || reason, seconds(time)]));
fill(byId("workers"), [["worker", ""], ["host", "text"], ["asked for", ""], ["ready", ""], ["start-up", ""], ["done", ""], ["busy", ""], ["failed or dropped", ""], ["idle", ""], ["for inputs", ""], ["for memory", ""], ["for a pause", ""]],
     record.idle_workers.map(([worker, host, asked, ready, startUp, done, ...times]) => [worker, host, ...[asked, ready, startUp].map((time) => (time === "" ? "" : seconds(+time))), done, ...times.map((time) => seconds(+time))]));
fill(byId("context"), [["", "text"], ["", "text"]], Object.entries(record.context));
byId("explanation").textContent = record.explanation;

window.tessera = {draws: 0, drawTime: 0, batches: record.batches, view: () => view};
fromAddress();
window.addEventListener("resize", resize);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", request);
window.addEventListener("hashchange", () => { fromAddress(); request(); });
resize();
