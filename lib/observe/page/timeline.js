"use strict";
/* The page of a run. Every batch of tasks is drawn: a pixel has the mean colour of the worker time
   that it covers. Sums are kept as differences along a row, so that a batch costs the same however
   wide it is drawn. */
(async () => {
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

  /* ---- drawing ---- */
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
})();
