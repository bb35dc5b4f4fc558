/* The drawing of the page of a run: rows of workers, and curves below them. */

const canvas = byId("canvas"), context = canvas.getContext("2d");
const layout = {left: 64, right: 8, gap: 20, axis: 22, busy: 60, memory: 60, bytes: 60};
let width = 0, height = 0, ratio = 1, pending = false;
const rowsHeight = () => Math.max(60, Math.min(520, numWorkers * 18));
function resize() {
  ratio = window.devicePixelRatio || 1;
  width = canvas.parentElement.clientWidth;
  height = rowsHeight() + layout.axis + 4 * layout.gap + layout.busy + layout.memory + layout.bytes + 8;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  request();
}
function request() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => { pending = false; draw(); });
}
/* Adds `weight` over [a, b) to a row of differences. */
function add(row, at, a, b, weight) {
  const i = Math.floor(a), j = Math.floor(b), fa = a - i, fb = b - j;
  row[at + i] += weight * (1 - fa);
  row[at + i + 1] += weight * fa;
  row[at + j] -= weight * (1 - fb);
  row[at + j + 1] -= weight * fb;
}
/* Returns the number of the first batch of [from, to) that ends after `time`. */
function firstAfter(from, to, time) {
  while (from < to) {
    const middle = (from + to) >> 1;
    if (stop[middle] > time) to = middle; else from = middle + 1;
  }
  return from;
}
/* Sums the visible batches: of each band the colours, of all bands the totals. A band is a worker,
   or the workers that share a line of pixels. */
function sums(columns, lines) {
  const stride = columns + 2, perTick = columns / (view.t1 - view.t0);
  const from = Math.floor(view.w0), to = Math.min(numWorkers, Math.ceil(view.w1));
  const numBands = Math.max(1, Math.min(to - from, lines)), bandsPerWorker = numBands / Math.max(1, to - from);
  const shares = new Float32Array(numBands);
  const colours = [0, 1, 2].map(() => new Float32Array(stride * numBands));
  const covered = new Float32Array(stride * numBands);
  const totals = Object.fromEntries(["busy", "read", "written", "measured", "promised", "allowed"].map((name) => [name, new Float64Array(stride)]));
  const paint = (at, a, b, colour, alpha) => {
    add(covered, at, a, b, alpha);
    for (let c = 0; c < 3; ++c) add(colours[c], at, a, b, colour[c] * alpha);
  };
  const promised = record.operations.map((op) => op.memory_promised);
  const fade = record.operations.map((_, op) => (isMatch(op) ? 1 : 0.12));
  for (let w = from; w < to; ++w) {
    const band = Math.min(numBands - 1, Math.floor((w - from) * bandsPerWorker)), at = band * stride;
    shares[band] += 1;
    for (let k = starts[w]; k < starts[w + 1]; ++k) {
      const a = Math.max(0, (startBegin[k] - view.t0) * perTick), b = Math.min(columns, (startBegin[k] + startDuration[k] - view.t0) * perTick);
      if (b > a) paint(at, a, b, starting, pattern === "" ? 1 : 0.12);
    }
    for (let i = firstAfter(rows[w], rows[w + 1], view.t0); i < rows[w + 1] && start[i] < view.t1; ++i) {
      const a = Math.max(0, (start[i] - view.t0) * perTick), b = Math.min(columns, (stop[i] - view.t0) * perTick);
      const colour = outcome[i] === 0 ? palette[operation[i]] : outcome[i] === 1 ? failed : dropped;
      const alpha = fade[operation[i]];
      paint(at, a, b, colour, alpha);
      add(totals.busy, 0, a, b, 1);
      const rate = 1 / Math.max(1, stop[i] - start[i]);
      if (read[i] > 0) add(totals.read, 0, a, b, read[i] * rate);
      if (written[i] > 0) add(totals.written, 0, a, b, written[i] * rate);
      if (memory[i] > 0) add(totals.measured, 0, a, b, memory[i]);
      if (promised[operation[i]] > 0) add(totals.promised, 0, a, b, promised[operation[i]]);
    }
  }
  totals.allowed = totals.busy.map((difference) => difference * record.allowed_memory);
  return {stride, from, bandsPerWorker, numBands, shares, colours, covered, totals};
}
function paper() {
  const value = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
  return value.slice(0, 3);
}
const ink = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
function drawRows(sum, columns, lines, x, y) {
  const image = context.createImageData(columns, lines), back = paper();
  const workersPerLine = (view.w1 - view.w0) / lines;
  let drawn = -1;
  for (let line = 0; line < lines; ++line) {
    const worker = view.w0 + line * workersPerLine;
    const band = Math.min(sum.numBands - 1, Math.floor((worker - sum.from) * sum.bandsPerWorker + 1e-6));
    const start = line * columns * 4;
    /* A gap between the bars of workers. */
    const isGap = workersPerLine < 0.25 && Math.floor(worker) !== Math.floor(worker + workersPerLine);
    if (band === drawn && !isGap) {
      image.data.copyWithin(start, start - columns * 4, start);
      continue;
    }
    drawn = isGap ? -1 : band;
    const share = isGap ? Infinity : Math.max(1, sum.shares[band]);
    let cover = 0, red = 0, green = 0, blue = 0;
    for (let i = 0, at = band * sum.stride, to = start; i < columns; ++i, ++at, to += 4) {
      cover += sum.covered[at];
      red += sum.colours[0][at];
      green += sum.colours[1][at];
      blue += sum.colours[2][at];
      const free = Math.max(0, 1 - cover / share);
      image.data[to] = back[0] * free + red / share;
      image.data[to + 1] = back[1] * free + green / share;
      image.data[to + 2] = back[2] * free + blue / share;
      image.data[to + 3] = 255;
    }
  }
  context.putImageData(image, x, y);
}
function curve(values, most, x, y, w, h, colour, isFilled) {
  context.beginPath();
  context.moveTo(x, y + h);
  let value = 0;
  for (let i = 0; i < values.length - 2; ++i) {
    value += values[i];
    context.lineTo(x + (i + 0.5) * w / (values.length - 2), y + h - h * Math.min(1, Math.max(0, value) / most));
  }
  context.lineTo(x + w, y + h);
  context.globalAlpha = isFilled ? 0.45 : 1;
  if (isFilled) { context.fillStyle = colour; context.fill(); } else { context.strokeStyle = colour; context.stroke(); }
  context.globalAlpha = 1;
}
const greatest = (values) => {
  let most = 0, value = 0;
  for (let i = 0; i < values.length - 2; ++i) { value += values[i]; most = Math.max(most, value); }
  return most;
};
function frame(x, y, w, h, title, top) {
  context.strokeStyle = ink("--line");
  context.strokeRect(x + 0.5, y + 0.5, w - 1, h - 1);
  context.fillStyle = ink("--faint");
  context.textAlign = "left";
  context.fillText(title, x, y - 5, w);
  context.textAlign = "right";
  if (top) context.fillText(top, x - 6, y + 10);
}
function drawAxis(x, y, w) {
  const span = (view.t1 - view.t0) * record.tick_s, raw = span / Math.max(2, w / 110);
  const power = Math.pow(10, Math.floor(Math.log10(raw)));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= raw);
  context.fillStyle = ink("--faint");
  context.textAlign = "center";
  for (let t = Math.ceil(view.t0 * record.tick_s / step) * step; t <= view.t1 * record.tick_s; t += step) {
    const at = x + (t / record.tick_s - view.t0) / (view.t1 - view.t0) * w;
    context.fillRect(at, y, 1, 4);
    if (at < x + w - 20) context.fillText(+t.toPrecision(6) + " s", at, y + 15);
  }
}
/* Above the busy workers the idle ones, by the reasons for which they wait. */
function drawWaits(busy, visible, x, y, w, h) {
  const waits = record.waits;
  const untilTime = (time, from) => {
    let i = from;
    while (i + 2 < waits.length && waits[i + 1][0] <= time) ++i;
    const [a, b] = [waits[i], waits[Math.min(i + 1, waits.length - 1)]];
    const part = b[0] > a[0] ? Math.min(1, Math.max(0, (time - a[0]) / (b[0] - a[0]))) : 0;
    return [i, a.slice(1).map((value, r) => value + part * (b[r + 1] - value))];
  };
  const columns = busy.length - 2, perColumn = (view.t1 - view.t0) / columns;
  let [at, before] = untilTime(view.t0, 0), value = 0;
  for (let i = 0; i < columns; ++i) {
    const [next, until] = untilTime(view.t0 + (i + 1) * perColumn, at);
    value += busy[i];
    const idle = h * (1 - Math.min(1, Math.max(0, value) / visible));
    let top = y;
    until.forEach((time, r) => {
      const part = idle * Math.min(1, (time - before[r]) / perColumn);
      context.fillStyle = waitColours[r];
      if (part > 0) context.fillRect(x + i * w / columns, top, w / columns, part);
      top += part;
    });
    [at, before] = [next, until];
  }
}
function drawMemory(totals, x, y, w, h) {
  const used = Math.max(...record.samples.map((s) => s[1]), greatest(totals.measured), greatest(totals.promised), 0);
  const allowed = greatest(totals.allowed);
  if (Math.max(used, allowed) < 1) return frame(x, y, w, h, "memory: nothing measured or promised");
  /* Far above the rest the limit would flatten it: its line is then at the top. */
  const most = allowed < 5 * used || used < 1 ? Math.max(used, allowed) : used;
  const limit = record.allowed_memory > 0 ? `, allowed (red), ${size(record.allowed_memory)} a worker${allowed > most ? ", is above" : ""}` : "";
  frame(x, y, w, h, `memory: peaks of busy workers (filled), promised to their tasks (line), of the process (blue)${limit}`, size(most));
  curve(totals.measured, most, x, y, w, h, "#3a9a5b", true);
  curve(totals.promised, most, x, y, w, h, "#c9702b", false);
  if (allowed > 0) curve(totals.allowed, most, x, y, w, h, "#c0504d", false);
  context.beginPath();
  for (const [time, value] of record.samples) {
    const at = x + (time - view.t0) / (view.t1 - view.t0) * w;
    if (at >= x && at <= x + w) context.lineTo(at, y + h - h * value / most);
  }
  context.strokeStyle = "#2b7bba";
  context.stroke();
}
function drawBytes(totals, x, y, w, h) {
  const rate = Math.max(greatest(totals.read), greatest(totals.written));
  if (!(rate * (view.t1 - view.t0) > 0.5)) return frame(x, y, w, h, "bytes per second: none read or written");
  frame(x, y, w, h, "bytes per second: read (filled), written", size(rate / record.tick_s) + "/s");
  curve(totals.read, rate, x, y, w, h, "#8a63b8", true);
  curve(totals.written, rate, x, y, w, h, "#c9702b", false);
}
/* Draws a line between the workers of two hosts, unless lines would cover the workers. */
function drawHosts(x, y, w, h) {
  const visible = borders.filter((worker) => worker > view.w0 && worker < view.w1);
  if (visible.length * 4 > h) return;
  context.fillStyle = ink("--text");
  for (const worker of visible) context.fillRect(x, y + (worker - view.w0) / (view.w1 - view.w0) * h - 0.5, w, 1);
}
/* Frames the spans of the critical path, and joins them. */
function drawPath(x, y, w, h) {
  const across = (time) => x + (time - view.t0) / (view.t1 - view.t0) * w, height = h / (view.w1 - view.w0);
  const down = (worker) => y + (worker - view.w0) * height;
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = ink("--text");
  context.lineWidth = 1.5;
  context.beginPath();
  let before = null;
  for (const [, row, begin, end] of record.critical_spans) {
    const middle = down(row + 0.5), high = Math.max(3, height - 2);
    if (before) {
      context.moveTo(across(before.end), before.middle);
      context.lineTo(across(begin), middle);
    }
    context.rect(across(begin), middle - high / 2, Math.max(1, across(end) - across(begin)), high);
    before = {end, middle};
  }
  context.stroke();
  context.restore();
}
let lastDraw = 0;
function draw() {
  const begun = performance.now();
  const x = layout.left, w = Math.max(50, width - layout.left - layout.right);
  const columns = Math.max(1, Math.round(w * ratio)), lines = Math.max(1, Math.round(rowsHeight() * ratio));
  const sum = sums(columns, lines);
  context.setTransform(1, 0, 0, 1, 0, 0);
  context.fillStyle = ink("--paper");
  context.fillRect(0, 0, canvas.width, canvas.height);
  const top = layout.gap;
  drawRows(sum, columns, lines, Math.round(x * ratio), Math.round(top * ratio));
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  drawHosts(x, top, w, rowsHeight());
  if (hasPath) drawPath(x, top, w, rowsHeight());
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "alphabetic";
  frame(x, top, w, rowsHeight(), record.starts > 0 ? "workers by host; their start-up (pale blue)" : "workers by host", String(Math.floor(view.w0)));
  let y = top + rowsHeight();
  drawAxis(x, y, w);
  y += layout.axis + layout.gap;
  const visible = Math.max(1, view.w1 - view.w0);
  frame(x, y, w, layout.busy, "busy workers (green); idle ones wait for inputs (yellow), memory (red), a pause (grey)", String(Math.ceil(visible)));
  drawWaits(sum.totals.busy, visible, x, y, w, layout.busy);
  curve(sum.totals.busy, visible, x, y, w, layout.busy, "#3a9a5b", true);
  y += layout.busy + layout.gap;
  drawMemory(sum.totals, x, y, w, layout.memory);
  y += layout.memory + layout.gap;
  drawBytes(sum.totals, x, y, w, layout.bytes);
  lastDraw = performance.now() - begun;
  window.tessera.draws += 1;
  window.tessera.drawTime = lastDraw;
}
