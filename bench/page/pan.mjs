/**
 * Panning over ten million spans: CPU of the page's process, all its threads, for each frame, counted by the kernel. All zoom levels are gone
 * through, from half the run down to single spans, with the keys that a user presses; at the ends of the run it turns round, so that every frame
 * shows something else. Then random pixels of every level are compared with a
 * scan of all spans: those of the canvas, and those that the page's own code makes of the tiles.
 */
import { median, mulberry32 } from '../harness.mjs';
import { SUBJECTS, scanned, spansOf } from './spans.mjs';
import { cpuMs, nextFrames, openTimeline, peakMb, processesOf } from './view.mjs';

/** Presses of W between two zooms: each shows 0.8 of what was there. */
const PRESSES = 3;
/** A press of D or A moves by this part of the view. */
const PAN = 0.12;
const FRAMES = 24;
const PIXELS = 100;

export async function panCost(report, { browser, url, code, spans, server }) {
  const page = await openTimeline(browser, url);
  const timeline = await timelineOf(page.page);
  const renderers = await processesOf(browser, 'renderer');
  const displays = await processesOf(browser, 'GPU');
  const idle = [];
  for (let frame = 0; frame < FRAMES; frame++) idle.push(await frameCost(page.page, renderers, async () => undefined));
  const { panned } = await import(code);
  const width = await widthOf(page.page);
  const [, ...steps] = await zoomsOf(timeline, code, width);
  const zooms = [];
  let direction = PAN;
  // Where the last zoom left off: keys move that view.
  let shown;
  for (const { level, presses, zoomIn } of steps) {
    await pressed(page.page, 'w', presses);
    shown = zoomIn(shown);
    await page.tiles.settled();
    const before = cpuMs(displays).all;
    const frames = [];
    for (let frame = 0; frame < FRAMES; frame++) {
      if (panned(shown, direction, timeline.durationNs, width).from === shown.from) direction = -direction;
      shown = panned(shown, direction, timeline.durationNs, width);
      frames.push(await frameCost(page.page, renderers, () => page.page.keyboard.press(direction > 0 ? 'd' : 'a')));
    }
    zooms.push({ level, frames, display: (cpuMs(displays).all - before) / FRAMES });
  }
  const all = zooms.flatMap(({ frames }) => frames.map(frame => frame.all));
  const main = zooms.flatMap(({ frames }) => frames.map(frame => frame.main));
  const memory = { pageMb: Math.max(...renderers.map(peakMb)), serverMb: peakMb(server) };
  await page.page.close();
  const compared = await comparedPixels(await openTimeline(browser, url), timeline, { code, spans, url });
  report({
    case: 'pan/frame-cpu-ms-p95',
    value: percentile(all, 0.95),
    low: percentile(all, 0.5),
    high: Math.max(...all),
    unit: 'ms',
    goal: '<= 16',
    mainThread: percentile(main, 0.95),
    worstZoom: Math.max(...zooms.map(({ frames }) => median(frames.map(frame => frame.all)))),
    withoutPan: median(idle.map(frame => frame.all)),
    display: Math.max(...zooms.map(({ display }) => display)),
    frames: all.length,
    zooms: zooms.length,
    levels: new Set(zooms.map(({ level }) => level)).size,
    ...memory,
    ...compared,
  });
}

const percentile = (values, part) =>
  [...values].sort((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))];

const pressed = async (page, key, times) => {
  for (let press = 0; press < times; press++) await page.keyboard.press(key);
};

async function frameCost(page, pids, work) {
  const before = cpuMs(pids);
  await work();
  await nextFrames(page);
  const after = cpuMs(pids);
  return { all: after.all - before.all, main: after.main - before.main };
}

/** The timeline's section, as the page got it. */
const timelineOf = page =>
  page.evaluate(async () => {
    const { sections } = JSON.parse(await (await fetch('document.json')).text());
    return sections.find(({ kind }) => kind === 'timeline').data;
  });

const widthOf = page => page.evaluate(() => globalThis.document.querySelector('.timeline canvas').width);

/** From the whole run on to single spans, with the level that the page draws there on a canvas of this width. */
async function zoomsOf(timeline, code, width) {
  const { levelFor, zoomed } = await import(code);
  const whole = { from: 0, to: timeline.durationNs };
  const zoomIn = (from = whole) => {
    let view = from;
    for (let press = 0; press < PRESSES; press++) view = zoomed(view, 0.8, 0.5, timeline.durationNs);
    return view;
  };
  let view = whole;
  const zooms = [{ presses: 0, level: levelFor(timeline, view, width), zoomIn: (from = whole) => from }];
  while (zooms.at(-1).level > 0) {
    view = zoomIn(view);
    zooms.push({ presses: PRESSES, level: levelFor(timeline, view, width), zoomIn });
  }
  return zooms;
}

async function comparedPixels({ page, tiles }, timeline, { code, spans, url }) {
  const { levelFor, panned } = await import(code);
  // Lanes stand in the order of their files: the name has the number.
  const lanes = timeline.lanes.map(({ name }) => spansOf(Number(name.split('#')[1]), spans / timeline.lanes.length));
  const truth = { timeline, lanes, random: mulberry32(1), code: await import(code) };
  const width = await widthOf(page);
  let view = { from: 0, to: timeline.durationNs };
  const levels = new Set();
  let [canvasPixels, tilePixels] = [0, 0];
  const zooms = await zoomsOf(timeline, code, width);
  for (const { presses, zoomIn } of zooms) {
    await pressed(page, 'w', presses);
    view = zoomIn(view);
    await pressed(page, 'd', 2);
    for (let press = 0; press < 2; press++) view = panned(view, PAN, timeline.durationNs, width);
    await tiles.settled();
    canvasPixels += await compareCanvas(page, view, width, truth);
    levels.add(levelFor(timeline, view, width));
  }
  for (let level = 0; level <= timeline.coarsest; level++) tilePixels += await compareTiles(page, level, truth);
  await page.close();
  // Coarser levels are for narrower canvases.
  const all = zooms[0].level + 1;
  if (levels.size !== all) throw new Error(`of ${all} levels ${levels.size} were shown at ${url.host}`);
  return { canvasPixels, tilePixels };
}

/** Pixels of the canvas: each has the colour of the subject with most time in it, as high as all of them take of its time. */
async function compareCanvas(page, view, width, { timeline, lanes, random, code }) {
  const { rowsOf, levelFor, levelBinNs, AXIS, MINIMAP } = code;
  const { rows } = rowsOf(timeline, () => true);
  const level = levelFor(timeline, view, width);
  const bin = level === 0 ? undefined : levelBinNs(timeline, level);
  const points = Array.from({ length: PIXELS }, () => {
    const row = rows[Math.floor(random() * rows.length)];
    return { row, x: Math.floor(random() * width), bottom: MINIMAP + AXIS + row.y + row.height };
  });
  const shown = await page.evaluate(
    columnsAt,
    points.map(({ x, bottom, row }) => ({ x, bottom, height: row.height })),
  );
  const perPixel = (view.to - view.from) / width;
  for (const [at, { row, x }] of points.entries()) {
    const { depth } = timeline.lanes[row.lane].series.find(({ key }) => key === row.series);
    const from = view.from + x * perPixel;
    const times = timesIn(lanes[row.lane][depth], from, from + perPixel, bin);
    const fault = differs(shown.columns[at], times, perPixel, row.height, timeline, shown.colours);
    if (fault !== undefined) throw new Error(`pixel ${x} of ${row.series} at level ${level}: ${fault}`);
  }
  return points.length;
}

/** Time of each subject in a pixel: bins that lie in it in part count by that part. */
function timesIn(spans, from, to, bin) {
  if (bin === undefined) return scanned(spans, from, to);
  const times = new Map();
  for (let start = Math.floor(from / bin) * bin; start < to; start += bin) {
    const part = (Math.min(to, start + bin) - Math.max(from, start)) / bin;
    for (const [subject, ns] of scanned(spans, start, start + bin))
      times.set(subject, (times.get(subject) ?? 0) + part * ns);
  }
  return times;
}

function differs(column, times, perPixel, height, { subjects }, colours) {
  const total = [...times.values()].reduce((sum, ns) => sum + ns, 0);
  const most = Math.max(0, ...times.values());
  // Sums in another order differ in their last digits.
  const likely = [...times]
    .filter(([, ns]) => ns >= most * (1 - 1e-9))
    .map(([subject]) => {
      const { key, label } = subjects.find(each => each.key === SUBJECTS[subject]);
      return colours[`${key.split(':')[0]} ${label}`];
    });
  const high = likely.length === 0 ? 0 : column.findIndex(colour => colour !== column[0]);
  if (total <= 1e-6)
    return column.some(colour => Object.values(colours).includes(colour)) ? 'it has a span' : undefined;
  if (!likely.includes(column[0])) return `it is ${column[0]} and not ${likely.join(' or ')}`;
  const exact = Math.min(1, total / perPixel) * height;
  const wanted = [exact - 1e-6, exact + 1e-6].map(value => Math.max(2, Math.round(value)));
  const shownHigh = high < 0 ? column.length : high;
  return wanted.includes(Math.min(shownHigh, height)) ? undefined : `it is ${shownHigh} high and not ${wanted[0]}`;
}

/** Runs in the page: the colours of a row's column from its bottom up, and those of all subjects. */
function columnsAt(points) {
  const { document, getComputedStyle } = globalThis;
  const canvas = document.querySelector('.timeline canvas');
  const { data, width } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
  const colourAt = (x, y) => {
    const at = 4 * (y * width + x);
    return `rgb(${data[at]}, ${data[at + 1]}, ${data[at + 2]})`;
  };
  const colours = {};
  for (const row of document.querySelectorAll('.timeline tbody tr')) {
    const label = `${row.querySelector('small').textContent.trim()} ${row.querySelector('title').textContent}`;
    colours[label] = getComputedStyle(row.querySelector('rect')).fill;
  }
  const columns = points.map(({ x, bottom, height }) =>
    Array.from({ length: height }, (_, up) => colourAt(x, bottom - 1 - up)),
  );
  return { columns, colours };
}

/** What the page's code makes of served tiles, where pixels are as wide as the level's bins. */
async function compareTiles(page, level, { timeline, lanes, random, code }) {
  const { PixelWriter, decodeTile, levelBinNs, tilesIn } = code;
  const width = level === 0 ? 997 : levelBinNs(timeline, level);
  const writer = new PixelWriter();
  for (let pixel = 0; pixel < PIXELS; pixel++) {
    const lane = Math.floor(random() * lanes.length);
    const { key, depth } = timeline.lanes[lane].series[Math.floor(random() * 2)];
    const from = width * Math.floor((random() * timeline.durationNs) / width);
    const view = { from, to: from + width };
    writer.begin(view, 1);
    for (const index of tilesIn(timeline, level, view)) {
      const tile = await tileAt(page, `${key}/${level}/${index}`);
      if (tile !== undefined) writer.add(decodeTile(tile), timeline.binNs, level, index);
    }
    const times = [...writer.totals()].map(([subject, ns]) => [SUBJECTS.indexOf(timeline.subjects[subject].key), ns]);
    const wanted = scanned(lanes[lane][depth], from, from + width);
    const isSame = times.length === wanted.size && times.every(([subject, ns]) => wanted.get(subject) === ns);
    if (!isSame) throw new Error(`tile ${key}/${level} at ${from}: ${JSON.stringify([times, [...wanted]])}`);
  }
  return PIXELS;
}

async function tileAt(page, address) {
  const bytes = await page.evaluate(async path => {
    const answer = await fetch(`tiles/${path}`);
    return answer.status === 200 ? Array.from(new Uint8Array(await answer.arrayBuffer())) : undefined;
  }, address);
  return bytes === undefined ? undefined : Uint8Array.from(bytes);
}
