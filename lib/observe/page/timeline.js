/* The page of a run. Every batch of tasks is drawn: a pixel has the mean colour of the worker time
   that it covers. Sums are kept as differences along a row, so that a batch costs the same however
   wide it is drawn. This file reads the record; timeline_drawing.js and timeline_controls.js follow it in
   one module. */
const record = JSON.parse(document.getElementById("record").textContent);
const byId = (id) => document.getElementById(id);

/* ---- columns ---- */
async function inflated(name) {
  const text = atob(byId("column-" + name).textContent.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < bytes.length; ++i) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}
/* Returns the numbers of a column: the first bytes of the varints of all numbers, then the second
   bytes of the numbers that have two, and so on. */
async function numbers(name, size = record.batches) {
  const bytes = await inflated(name), values = new Float64Array(size);
  let at = 0, open = null;
  for (let scale = 1; at < bytes.length; scale *= 128) {
    const more = [];
    for (let k = 0, last = open ? open.length : values.length; k < last; ++k) {
      const i = open ? open[k] : k, byte = bytes[at++];
      values[i] += (byte & 127) * scale;
      if (byte > 127) more.push(i);
    }
    open = more;
  }
  return values;
}
const [gap, duration, operation, count, outcome, read, written, memory, step] = await Promise.all(
    ["gap", "duration", "operation", "count", "outcome", "read", "written", "memory", "first"].map((name) => numbers(name)));
const [startStep, startBegin, startDuration] = await Promise.all(
    ["start-row", "start-begin", "start-duration"].map((name) => numbers(name, record.starts)));
/* rows[w] is the number of the first batch of worker w; the batches of a worker follow each other. */
const rows = new Uint32Array(record.rows.length + 1);
for (let w = 0; w < record.rows.length; ++w) rows[w + 1] = rows[w] + record.rows[w];
const start = gap, stop = duration;
for (let w = 0; w < record.rows.length; ++w) {
  let time = 0;
  for (let i = rows[w]; i < rows[w + 1]; ++i) {
    start[i] = time + gap[i];
    stop[i] = time = start[i] + duration[i];
  }
}
/* starts[w] is the number of the first start of worker w. */
const starts = new Uint32Array(record.rows.length + 1);
for (let k = 0, w = 0; k < record.starts; ++k) {
  w += startStep[k];
  starts[w + 1] += 1;
}
for (let w = 0; w < record.rows.length; ++w) starts[w + 1] += starts[w];
/* hostOf[w] is the number of the host of worker w. */
const hostOf = new Uint32Array(record.rows.length);
record.hosts.reduce((from, [, count], host) => (hostOf.fill(host, from, from + count), from + count), 0);
const borders = [...hostOf.keys()].filter((w) => w > 0 && hostOf[w] !== hostOf[w - 1]);
const hostName = (w) => record.hosts[hostOf[w]][0] || "unknown host";
/* Returns the first tasks of all batches. Their column is in the order of operations and begins;
   it is put in order when it is asked for, as that takes some time. */
let first = null;
function firstTasks() {
  if (first) return first;
  const keys = start.map((time, i) => time * start.length + i).sort();
  const ofOperation = record.operations.map(() => []);
  for (const key of keys) {
    const i = key % start.length;
    ofOperation[operation[i]].push(i);
  }
  first = new Float64Array(start.length);
  let at = 0;
  for (const batches of ofOperation) {
    let task = 0;
    for (const i of batches) {
      const distance = step[at++];
      first[i] = task + (distance % 2 === 0 ? distance / 2 : -(distance + 1) / 2);
      task = first[i] + count[i];
    }
  }
  return first;
}
const numWorkers = record.rows.length;
const ticks = Math.max(1, record.elapsed_ticks);
const outcomes = ["ended", "failed", "dropped"];

/* ---- texts ---- */
const seconds = (value) => +value.toPrecision(4) + " s";
const size = (value) => {
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  for (; value >= 1000 && unit + 1 < units.length; ++unit) value /= 1000;
  return (unit === 0 ? value : value.toPrecision(3)) + " " + units[unit];
};
const cell = (tag, text, kind) => {
  const element = document.createElement(tag);
  element.textContent = text;
  if (kind) element.className = kind;
  return element;
};
function fill(table, head, lines) {
  const row = table.createTHead().insertRow();
  for (const [text, kind] of head) row.append(cell("th", text, kind));
  const body = table.createTBody();
  for (const line of lines) {
    const fields = body.insertRow();
    line.forEach((text, i) => fields.append(cell("td", text, head[i][1])));
  }
}

/* ---- colours ---- */
const palette = record.operations.map((_, i) => {
  const hue = (i * 137.508 + 210) % 360, light = 0.5 + 0.12 * ((i % 3) - 1), chroma = 0.42;
  const channel = (n) => {
    const k = (n + hue / 30) % 12;
    return 255 * (light - chroma * Math.min(light, 1 - light) * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
  };
  return [channel(0), channel(8), channel(4)];
});
const failed = [214, 39, 40], dropped = [140, 140, 140], starting = [169, 196, 220];
const waitColours = ["#d9b23c", "#c0504d", "#8c8c8c"];
const colourText = (c) => `rgb(${c.map(Math.round).join(",")})`;

/* ---- view ---- */
const whole = () => ({t0: 0, t1: ticks, w0: 0, w1: Math.max(1, numWorkers)});
let view = whole(), pattern = "", hasPath = true;
function limited(v) {
  const dt = Math.min(Math.max(v.t1 - v.t0, 20), ticks), dw = Math.min(Math.max(v.w1 - v.w0, 1), Math.max(1, numWorkers));
  const t0 = Math.min(Math.max(v.t0, 0), ticks - dt), w0 = Math.min(Math.max(v.w0, 0), Math.max(1, numWorkers) - dw);
  return {t0, t1: t0 + dt, w0, w1: w0 + dw};
}
function fromAddress() {
  const parts = location.hash.slice(1).split(",").map(Number);
  if (parts.length === 4 && parts.every(Number.isFinite)) view = limited({t0: parts[0], t1: parts[1], w0: parts[2], w1: parts[3]});
}
function show(v) {
  view = limited(v);
  history.replaceState(null, "", "#" + [view.t0, view.t1, view.w0, view.w1].map((x) => +x.toFixed(2)).join(","));
  request();
}
const isMatch = (op) => pattern === "" || `${op} ${record.operations[op].label}`.toLowerCase().includes(pattern);
