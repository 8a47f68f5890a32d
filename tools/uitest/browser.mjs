// What the tests of the page need: a server with a memory of its own, and a browser that may talk to nobody else.
import {spawn} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {createRequire} from 'node:module';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

const require = createRequire(process.env.TRILITH_UITEST_CACHE + '/');
const {chromium} = require('playwright-core');
const axe = readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');

const FLAGS = ['--no-sandbox', '--disable-gpu', '--disable-quic', '--disable-background-networking', '--disable-component-update', '--disable-sync',
  '--force-color-profile=srgb', '--font-render-hinting=none', '--hide-scrollbars'];

let browser;
export async function launch() {
  browser ??= await chromium.launch({executablePath: process.env.CHROMIUM, args: FLAGS});
  return browser;
}
export const version = async () => (await launch()).version();
const running = new Set();
// closeAll ends what the tests of a file have started, also where one failed.
export async function closeAll() {
  await browser?.close();
  browser = null;
  for (const stop of running) await stop();
}

// start runs trilith with arguments and waits for its address.
export async function start(args, {home = mkdtempSync(join(tmpdir(), 'trilith-ui-')), keep = false} = {}) {
  const child = spawn(process.env.TRILITH_PROGRAM, args, {cwd: home, env: {PATH: process.env.PATH, HOME: home, TZ: 'UTC'}, stdio: ['ignore', 'pipe', 'inherit']});
  const lines = [];
  const base = await new Promise((resolve, reject) => {
    const wanted = args[0] === 'serve' ? /on (http:\/\/[\d.:]+)$/ : /^(http:\/\/[\d.:]+)\/ui\//;
    createInterface({input: child.stdout}).on('line', (l) => { lines.push(l); const m = l.match(wanted); if (m) resolve(m[1]); });
    child.on('exit', (code) => reject(new Error('trilith ended with ' + code + '\n' + lines.join('\n'))));
  });
  const stop = () => new Promise((resolve) => {
    if (child.exitCode !== null) { running.delete(stop); resolve(); return; }
    child.on('exit', () => { running.delete(stop); if (!keep) rmSync(home, {recursive: true, force: true}); resolve(); });
    child.kill('SIGINT');
  });
  running.add(stop);
  const api = async (method, path, body, key) => {
    const res = await fetch(base + '/api/v1' + path, {method, headers: {...(body ? {'Content-Type': 'application/json'} : {}), ...(key ? {Authorization: 'Bearer ' + key} : {})},
      body: body && JSON.stringify(body)});
    const answer = await res.json();
    if (!res.ok) throw new Error(method + ' ' + path + ' = ' + res.status + ' ' + JSON.stringify(answer).slice(0, 300));
    return answer;
  };
  return {base, home, lines, api, stop, pid: child.pid};
}
export const serve = (options = {}) => start(['serve', '--store', 'sqlite:' + (options.store || 'memory.db'), '--addr', options.addr || '127.0.0.1:0'], options);
export const demo = () => start(['demo', '--ui']);

// open gives a page of the server. Whatever it asks of another host, and whatever it complains about, is in problems.
export async function open(server, path, {theme = 'light', width = 1316, height = 914, locale = 'en-GB', context, at} = {}) {
  const c = context || await (await launch()).newContext({viewport: {width, height}, colorScheme: theme, locale, timezoneId: 'UTC', reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write']});
  const page = await c.newPage();
  const problems = [];
  await page.route('**/*', (route) => {
    const url = route.request().url();
    if (url.startsWith(server.base) || url.startsWith('data:') || url.startsWith('blob:')) route.continue();
    else { problems.push('asked for ' + url); route.abort(); }
  });
  page.on('pageerror', (e) => problems.push('error: ' + e.message));
  page.on('dialog', (d) => { problems.push('dialog: ' + d.message()); d.dismiss(); });
  page.on('console', (m) => { if (m.type() === 'error' && !/status of 4\d\d|status of 501|ERR_CONNECTION/.test(m.text())) problems.push('console: ' + m.text()); });
  if (at) await page.clock.setFixedTime(new Date(at));
  const waiting = new Set(); // requests without an answer; a stream of events has no end
  page.on('request', (r) => { if (!r.url().includes('/api/v1/events')) waiting.add(r); });
  for (const end of ['requestfinished', 'requestfailed']) page.on(end, (r) => waiting.delete(r));
  page.on('framenavigated', () => waiting.clear());
  page.waiting = waiting;
  if (path) { await page.goto(server.base + path); await settled(page); }
  return {page, context: c, problems};
}

// settled waits until the page asks for nothing and has drawn.
export async function settled(page) {
  for (let quiet = 0; quiet < 5;) {
    await new Promise((r) => setTimeout(r, 60));
    quiet = page.waiting.size ? 0 : quiet + 1;
  }
  await page.evaluate(() => document.fonts.ready.then(() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))));
}

// violations are what axe finds against WCAG 2.2 AA.
export async function violations(page) {
  await page.evaluate(axe);
  const result = await page.evaluate(() => window.axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa']}));
  return result.violations.map((v) => v.id + ': ' + v.nodes.slice(0, 3).map((n) => n.target.join(' ') + ' ' + (n.any[0]?.message || n.all[0]?.message || '')).join(' | '));
}

// squeezed are texts of which a line holds two letters at most: their column has no room.
export const squeezed = (page) => page.evaluate(() => {
  const out = [], walk = document.createTreeWalker(document.querySelector('main'), NodeFilter.SHOW_TEXT);
  for (let n = walk.nextNode(); n; n = walk.nextNode()) {
    const words = n.data.trim(), range = document.createRange();
    range.selectNodeContents(n);
    if (words.length > 4 && range.getClientRects().length > words.length / 2) out.push(words.slice(0, 60));
  }
  return out;
});
export const sideways = (page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
export const text = (page, selector = 'main') => page.locator(selector).innerText();
