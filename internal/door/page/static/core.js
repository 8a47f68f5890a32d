// What every screen needs: calls of the API, stored text as text, words, dates and numbers.
import {html, nothing} from './vendor/lit-html.js';
import {en} from './words.js';

// Problem is an answer of the API that says what is wrong, or that there was none.
export class Problem extends Error {
  constructor(p) {
    super(p.detail || p.title || String(p.status));
    Object.assign(this, {status: 0, kind: 'unavailable', request_id: ''}, p);
  }
  // absent: this server does not offer the call.
  get absent() {
    return this.status === 501;
  }
}

export const API = '/api/v1';
const listeners = {unauthenticated: () => {}, offline: () => {}};
export const on = (event, f) => { listeners[event] = f; };

export function query(params) {
  const q = new URLSearchParams();
  for (const [k, v] of Object.entries(params || {})) {
    if (v !== undefined && v !== null && v !== '' && v !== false) q.set(k, v);
  }
  const text = q.toString();
  return text && '?' + text;
}

// calls are the last ones that the screen made, so that it can show them as curl.
export const calls = [];

let written = 0;
export const wrote = () => written; // when this page last changed something
const READS = /^\/(search|context|session$)/;

// position is that of the latest write, so that what is read on standbys shows it.
let position = '';

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC';

export async function call(method, path, body, {signal, raw, form} = {}) {
  if (method !== 'GET' && !READS.test(path)) written = Date.now();
  const headers = {Accept: 'application/json', 'X-Trilith-Time-Zone': zone};
  if (position) headers['Trilith-Position'] = position;
  if (body && !form) headers['Content-Type'] = raw || 'application/json';
  calls.push({method, path, body: form || raw ? null : body});
  if (calls.length > 8) calls.shift();
  let res;
  try {
    res = await fetch(API + path, {method, headers, signal, credentials: 'same-origin',
      body: body && (form || raw ? body : JSON.stringify(body))});
  } catch (e) {
    if (e.name === 'AbortError') throw e;
    listeners.offline(true);
    throw new Problem({detail: t('offline.detail'), kind: 'offline'});
  }
  listeners.offline(false);
  position = res.headers.get('Trilith-Position') || position;
  let answer;
  try { answer = await res.json(); } catch { answer = {status: res.status, detail: t('error.unreadable')}; }
  if (!res.ok) {
    const p = new Problem({...answer, status: res.status, retry: +res.headers.get('Retry-After') || 0});
    if (res.status === 401 && !path.startsWith('/session')) listeners.unauthenticated(p);
    throw p;
  }
  return answer;
}

// A path may have a parameter already, the one that chooses among the operations of a resource.
export const at = (path, params) => path.includes('?') ? path + query(params).replace('?', '&') : path + query(params);
export const get = (path, params, options) => call('GET', at(path, params), undefined, options);
export const post = (path, body, options) => call('POST', path, body, options);

// curl is a call as somebody would type it. The key stays a variable.
export function curl({method, path, body}) {
  const quote = (s) => "'" + s.replaceAll("'", "'\\''") + "'";
  const parts = ['curl', '-H', '"Authorization: Bearer $TRILITH_KEY"'];
  if (body) parts.push('--json', quote(JSON.stringify(body)));
  else if (method !== 'GET') parts.push('-X', method);
  return parts.concat(quote(location.origin + API + path)).join(' ');
}

// Words: one table of messages in each language. A message with a bar has one form for 1 and one for other numbers.
let table = en;
export let language = 'en';
export async function speak(code) {
  table = code === 'de' ? (await import('./words.de.js')).de : en;
  language = code;
  document.documentElement.lang = code;
}
export function t(key, values) {
  let m = table[key] ?? en[key] ?? key;
  if (values && 'n' in values && m.includes('|')) m = m.split('|')[values.n === 1 ? 0 : 1];
  return values ? m.replace(/\{(\w+)\}/g, (_, k) => (typeof values[k] === 'number' ? count(values[k]) : values[k])) : m;
}
// named is the word for a value of the API, or the value itself with spaces.
export const named = (group, value) => table[group + '.' + value] ?? en[group + '.' + value] ?? plain(value);
export const plain = (v) => String(v ?? '').replace(/_/g, ' ');
export const verb = (v) => plain(v).replace(/^has /, '');

const locale = () => (language === 'de' ? 'de-DE' : 'en-GB');
const dates = {};
export function day(time, options = {day: 'numeric', month: 'short', year: 'numeric'}) {
  if (!time) return '';
  const key = locale() + JSON.stringify(options);
  dates[key] ??= new Intl.DateTimeFormat(locale(), {timeZone: 'UTC', ...options});
  return dates[key].format(typeof time === 'string' ? new Date(time.replace(/[+-]\d\d:\d\d$/, 'Z')) : time); // on the clock of the speaker
}
export const moment = (time) => day(time, {day: 'numeric', month: 'short', year: 'numeric', hour: '2-digit', minute: '2-digit'});
export const when = (time) => html`<time datetime=${new Date(time).toISOString()} title=${time}>${day(time)}</time>`;
export const count = (n) => new Intl.NumberFormat(locale()).format(n);
export const percent = (x) => Math.round(x * 100) + '\u00a0%';
export const score = (x, digits = 2) => (x ?? 0).toFixed(digits);

// Characters that cannot be seen, and those that turn the direction of what follows, are shown by their names: a page
// that hides them hides what they are used for. Those that join pictures, and nothing else, stay as they are.
const NAMES = {
  0xad: 'SHY', 0x61c: 'ALM', 0x180e: 'MVS', 0x200b: 'ZWSP', 0x200c: 'ZWNJ', 0x200d: 'ZWJ', 0x200e: 'LRM', 0x200f: 'RLM',
  0x202a: 'LRE', 0x202b: 'RLE', 0x202c: 'PDF', 0x202d: 'LRO', 0x202e: 'RLO', 0x2060: 'WJ', 0x2066: 'LRI', 0x2067: 'RLI',
  0x2068: 'FSI', 0x2069: 'PDI', 0xfeff: 'BOM', 0x2028: 'LSEP', 0x2029: 'PSEP', 0x34f: 'CGJ', 0x3164: 'HF', 0xffa0: 'HF'};
const HIDDEN = new RegExp('[\\u0000-\\u0008\\u000b\\u000c\\u000e-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160' +
  '\\u17b4\\u17b5\\u180b-\\u180f\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufeff\\uffa0\\ufff9-\\ufffb' +
  '\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]+', 'gu');
const JOINS = /^\u200d$/;
const PICTURE_END = /[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}]$/u;
const PICTURE = /^\p{Extended_Pictographic}/u;
const code = (c) => 'U+' + c.codePointAt(0).toString(16).toUpperCase().padStart(4, '0');

export function pieces(text) {
  const out = [];
  let from = 0;
  for (const m of text.matchAll(HIDDEN)) {
    const end = m.index + m[0].length;
    if (JOINS.test(m[0]) && PICTURE_END.test(text.slice(0, m.index)) && PICTURE.test(text.slice(end))) continue;
    if (m.index > from) out.push(text.slice(from, m.index));
    out.push({hidden: [...m[0]]});
    from = end;
  }
  if (from < text.length) out.push(text.slice(from));
  return out;
}

function chip({hidden}) {
  const names = hidden.slice(0, 3).map((c) => NAMES[c.codePointAt(0)] || code(c));
  const label = names.join(' ') + (hidden.length > 3 ? ' ×' + hidden.length : '');
  const title = t('text.hidden', {n: hidden.length}) + ': ' + hidden.slice(0, 8).map(code).join(' ');
  return html`<span class="chip" title=${title}>${label}</span>`;
}

// said renders stored text: as text, whatever it says, at most max characters of it.
export function said(text, max = 600) {
  text = String(text ?? '');
  let rest = 0;
  if (text.length > max) {
    const cut = text.codePointAt(max - 1) > 0xffff ? max - 1 : max;
    rest = text.length - cut;
    text = text.slice(0, cut);
  }
  return html`<bdi dir="auto" class="stored">${pieces(text).map((p) => (p.hidden ? chip(p) : p))}</bdi>${rest
    ? html` <span class="cap more">${t('text.more', {n: rest})}</span>` : nothing}`;
}
// quoted is what somebody said, with the quotation marks of the page's language.
export const quoted = (text, max) => html`<span class="q">${t('quote.open')}</span>${said(text, max)}<span
  class="q">${t('quote.close')}</span>`;
// label is stored text for an attribute, where no chip can stand.
export const label = (text, max = 120) => pieces(String(text ?? '').slice(0, max))
  .map((p) => (p.hidden ? '⟨' + (NAMES[p.hidden[0].codePointAt(0)] || code(p.hidden[0])) + '⟩' : p)).join('');

// States of a screen that has nothing to show yet.
export const loading = () => html`<p class="state wait" role="status">${t('state.loading')}</p>`;
export const empty = (...lines) => html`<div class="state empty">${lines.map((l) => html`<p>${l}</p>`)}</div>`;
export function failed(p, again) {
  if (p.absent) return html`<div class="state absent" role="status"><p>${t('state.absent')}</p></div>`;
  return html`<div class="state bad" role="alert"><p>${said(p.message, 500)}</p>
    ${p.request_id ? html`<p class="cap mono">${t('error.request', {id: p.request_id})}</p>` : nothing}
    ${again ? html`<button class="btn" @click=${again}>${t('act.retry')}</button>` : nothing}</div>`;
}
// remains says whether a memory says what holds, what was said, or something else.
export const kindOf = (m) => (m.kind === 'episode' || m.kind === 'passage' ? 'said' : m.kind);
export const isClaim = (m) => m.kind === 'fact';
export const words = (m, max) => (isClaim(m) ? html`<div class="claim">${said(m.text, max)}</div>`
  : html`<div class="said">${quoted(m.text, max)}</div>`);
export const swallow = () => {};
