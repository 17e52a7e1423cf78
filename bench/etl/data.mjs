/** What the plain jobs read, made on the spot and the same every time: a web server's log, and orders to be looked up. */
import { closeSync, openSync, writeSync } from 'node:fs';
import { mulberry32 } from '../harness.mjs';

const BEGIN = Date.UTC(2026, 2, 2);
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const VISITORS = 20_000;
const CUSTOMERS = 5_000;

const BROWSERS = [
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/145.0.0.0 Safari/537.36',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15',
  'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 19_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
];
const BOTS = [
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
  'ExampleCrawler/1.3 (+https://crawler.example/about)',
];
const PAGES = Array.from({ length: 400 }, (_, page) => `/articles/${page}/what-is-new-in-section-${page % 17}`);
const FILES = ['/styles/main.css', '/scripts/app.js', '/images/logo.png', '/favicon.ico'];

/** Writes `count` lines of a log in the combined format, in the order of time. A tenth are bots', a tenth are no success. */
export function writeLog(path, count) {
  const random = mulberry32(20);
  const pick = list => list[Math.floor(random() * list.length)];
  let time = BEGIN;
  writeInPieces(path, count, () => {
    time += Math.floor(random() * 120);
    // Few visitors come often, many seldom.
    const visitor = Math.floor(VISITORS * random() ** 2);
    const isBot = random() < 0.1;
    const address = `${isBot ? 66 : 10 + (visitor % 150)}.${visitor >> 8}.${visitor & 255}.${(visitor * 7) % 251}`;
    const target = random() < 0.3 ? pick(FILES) : pick(PAGES);
    const status = random() < 0.9 ? 200 : pick([301, 304, 404, 500]);
    const referrer = random() < 0.5 ? '-' : `https://www.example.com${pick(PAGES)}`;
    const agent = isBot ? pick(BOTS) : BROWSERS[visitor % BROWSERS.length];
    const request = `GET ${target} HTTP/1.1`;
    return `${address} - - [${stamp(time)}] "${request}" ${status} ${Math.floor(random() * 40_000)} "${referrer}" "${agent}"`;
  });
}

function stamp(time) {
  const at = new Date(time);
  const two = number => String(number).padStart(2, '0');
  const day = `${two(at.getUTCDate())}/${MONTHS[at.getUTCMonth()]}/${at.getUTCFullYear()}`;
  return `${day}:${two(at.getUTCHours())}:${two(at.getUTCMinutes())}:${two(at.getUTCSeconds())} +0000`;
}

/** Writes `count` orders in JSON Lines, each with the number of a customer about whom a service knows more. */
export function writeOrders(path, count) {
  const random = mulberry32(16);
  let order = 0;
  writeInPieces(path, count, () =>
    JSON.stringify({
      order: ++order,
      customer: Math.floor(random() * CUSTOMERS),
      amount: Math.round(random() * 100_000) / 100,
      items: Array.from({ length: 1 + Math.floor(random() * 4) }, () => Math.floor(random() * 1000)),
    }),
  );
}

function writeInPieces(path, count, line) {
  const file = openSync(path, 'w');
  for (let written = 0; written < count; ) {
    const lines = [];
    for (; lines.length < 10_000 && written < count; written++) lines.push(line());
    writeSync(file, `${lines.join('\n')}\n`);
  }
  closeSync(file);
}
