// Memories: everything that is stored, newest first, by day and by kind.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {moment, count, day, empty, failed, get, isClaim, kindOf, loading, named, post, quoted, said, t, when} from '../core.js';
import {meta, state} from '../parts/hit.js';
import {actions} from '../parts/actions.js';
import '../parts/window.js';
import '../words.more.js';

const PAGE = 100;
const KINDS = ['episode', 'fact', 'note', 'entry', 'passage', 'summary', 'window'];
const STATES = ['active', 'superseded', 'expired', 'retracted', 'quarantined', 'candidate'];
const DAY = 864e5;

function filterOf(u) {
  const all = [];
  if (u.get('kind')) all.push({kind: u.get('kind')});
  if (u.get('session')) all.push({session: u.get('session')});
  if (u.get('tag')) all.push({tags: {contains: u.get('tag')}});
  if (u.get('source')) all.push({source_id: u.get('source')});
  const time = u.get('sort') === 'recorded' ? 'recorded_at' : 'event_time';
  if (u.get('from')) all.push({[time]: {gte: u.get('from') + 'T00:00:00Z'}});
  if (u.get('to')) all.push({[time]: {lt: u.get('to') + 'T00:00:00Z'}});
  return all.length > 1 ? {and: all} : all[0];
}

export function open(app) {
  const s = {items: [], next: undefined, done: false, error: null, busy: false, at: app.params.get('peek'), hist: null, full: null, facets: {}, started: false};
  let turn = 0;
  const u = () => app.params;
  async function more() {
    if (s.busy || s.done) return;
    const mine = turn;
    s.busy = true;
    const filter = filterOf(u());
    const sort = u().get('sort') === 'recorded' ? 'recorded' : 'event';
    try {
      const page = await get('/memories', {...app.scope, limit: PAGE, states: u().get('state') || 'active', filter: filter && JSON.stringify(filter), sort, newest: true, brief: true, cursor: s.next});
      if (mine !== turn) return;
      s.items = s.items.concat(page.items);
      s.next = page.next_cursor;
      s.done = !s.next;
    } catch (p) { if (mine !== turn) return; s.error = p; s.done = true; }
    s.busy = false; s.started = true;
    app.draw();
  }
  async function aside() {
    const mine = turn, f = filterOf(u()), filter = f && JSON.stringify(f);
    get('/stats?view=histogram', {...app.scope, by: 'day', time: u().get('sort') === 'recorded' ? 'recorded' : 'event', split: 'kind', states: u().get('state') || 'active', filter})
      .then((r) => { if (mine === turn) { s.hist = r.items; app.draw(); } }).catch(() => { s.hist = null; });
    for (const field of ['session', 'tag']) {
      get('/stats?view=facets', {...app.scope, field, limit: 50}).then((r) => { s.facets[field] = r.items; app.draw(); }).catch(() => {});
    }
  }
  function reload() {
    turn++;
    Object.assign(s, {items: [], next: undefined, done: false, error: null, busy: false, started: false});
    more();
    aside();
    app.draw();
  }
  const set = (p) => { app.set(p); reload(); };
  // look shows a memory beside the list: what the list knows of it at once, and all of it when it has come.
  async function look(id, {set = true} = {}) {
    s.at = id;
    if (set) app.set({peek: id});
    app.draw();
    if (!id || s.full?.id === id) return;
    try {
      const m = await get('/memories/' + id, app.scope);
      if (s.at === id) { s.full = m; app.draw(); }
    } catch { /* what the list knows stays */ }
  }
  const pick = (m) => look(s.at === m.id ? null : m.id);
  look(s.at, {set: false});
  reload();
  return {title: t('nav.memories'), view: () => view(s, {app, set, pick, more, reload}),
    key(e) {
      const i = s.items.findIndex((m) => m.id === s.at);
      if (e.key === 'j' || e.key === 'k') {
        const j = Math.min(Math.max(i + (e.key === 'j' ? 1 : -1), 0), s.items.length - 1);
        if (s.items[j]) { look(s.items[j].id); document.querySelector('window-list')?.reveal(j); }
        return true;
      }
      if (e.key === 'Enter' && s.at && !e.target.closest('a, button')) { app.go(app.link('memories/' + s.at)); return true; }
      if (e.key === 'Escape' && s.at) { look(null); return true; }
      if (e.key === 'y' && s.at) { app.copy(s.at); return true; }
      return false;
    }};
}

function view(s, a) {
  const u = a.app.params, at = s.full?.id === s.at ? s.full : s.items.find((m) => m.id === s.at), total = a.app.counts.stats?.kinds;
  const filtered = ['kind', 'session', 'tag', 'from', 'to', 'state', 'source'].some((k) => u.get(k));
  return html`<div class="head"><div><h1>${t('nav.memories')}</h1>${total ? html`<p class="cap">${Object.entries(total).filter(([, n]) => n).map(([k, n], i) =>
    html`${i ? ' · ' : ''}<span class="num">${count(n)}</span> ${named('kinds', k)}`)}</p>` : nothing}</div>${a.app.scopeLine()}</div>
  ${s.hist?.length ? histogram(s, a) : nothing}
  <div class="tools">${choice('kind', KINDS, 'kinds', u, a)}${choice('state', STATES, 'state', u, a)}
    ${pickOr('session', s, u, a)}${pickOr('tag', s, u, a)}
    <label>${t('list.sort')} <select @change=${(e) => a.set({sort: e.target.value})}><option value="" ?selected=${!u.get('sort')}>${t('list.event')}</option>
    <option value="recorded" ?selected=${u.get('sort') === 'recorded'}>${t('list.recorded')}</option></select></label>
    ${filtered ? html`<button class="link" @click=${() => a.set({kind: '', state: '', session: '', tag: '', from: '', to: '', source: ''})}>${t('list.clear')}</button>
      ${a.app.can('writer') ? html`<button class="link bad" @click=${() => forgetAll(a)}>${t('list.forget')}</button>` : nothing}` : nothing}
    <span class="grow"></span><span class="cap" role="status">${s.started ? html`<span class="num">${count(s.items.length)}</span>${s.done ? '' : '+'} ${t('list.shown')}` : ''}</span></div>
  ${s.error ? failed(s.error, a.reload) : !s.started ? loading() : !s.items.length ? empty(t(filtered ? 'list.none' : 'list.empty')) : html`
  <div class=${(at ? 'split' : '') + (s.hist?.length ? ' under' : '')}><window-list role="list" aria-label=${t('nav.memories')} .data=${{items: s.items, height: matchMedia('(max-width: 700px)').matches ? 60 : 44, more: a.more,
    row: (m) => row(m, s, a)}}></window-list>${at ? peek(at, a) : nothing}</div>`}`;
}

const choice = (name, values, group, u, a) => html`<label>${t('list.' + name)} <select @change=${(e) => a.set({[name]: e.target.value})}>
  <option value="" ?selected=${!u.get(name)}>${t(name === 'state' ? 'state.active' : 'list.all')}</option>${values.filter((v) => v !== 'active').map((v) =>
    html`<option value=${v} ?selected=${u.get(name) === v}>${named(group, v)}</option>`)}</select></label>`;

function pickOr(name, s, u, a) {
  const items = s.facets[name] || [];
  if (!items.length && !u.get(name)) return nothing;
  return html`<label>${t('list.' + name)} <input list=${'facet-' + name} .value=${u.get(name) || ''} size="14" @change=${(e) => a.set({[name]: e.target.value.trim()})}></label>
    <datalist id=${'facet-' + name}>${items.map((x) => html`<option value=${x.value}></option>`)}</datalist>`;
}

function row(m, s, a) {
  return html`<a class=${'mrow' + (m.state === 'active' ? '' : ' gone')} role="listitem" href=${a.app.link('memories/' + m.id)} aria-current=${s.at === m.id ? 'true' : nothing}
    @click=${(e) => { if (e.ctrlKey || e.metaKey || e.shiftKey || e.button) return; e.preventDefault(); if (s.at === m.id) a.app.go(a.app.link('memories/' + m.id)); else a.pick(m); }}>
    <span class="kind"><span class=${'tag ' + (isClaim(m) ? 'fact' : '')}>${named('kind', kindOf(m))}</span></span><span class="who">${said(m.speaker || m.scope?.user || (m.role ? named('role', m.role) : ''), 30)}</span>
    <span class="t">${isClaim(m) ? html`<span class="claim">${said(m.text, 200)}</span>` : html`<span class="said">${said(m.text, 200)}</span>`} ${state(m)}</span><time class="num" datetime=${m.event_time}>${
      day(m.event_time || m.recorded_at)}</time></a>`;
}

function peek(m, a) {
  return html`<aside class="peek card" aria-label=${t('list.peek')}>${m.speaker && !isClaim(m) ? html`<div class="speaker">${said(m.speaker, 80)}</div>` : nothing}
    ${isClaim(m) ? html`<div class="claim">${said(m.text, 2000)}</div>` : html`<div class="said">${quoted(m.text, 2000)}</div>`}
    <div class="meta">${meta(m)}</div>
    ${(m.fact?.evidence || []).slice(0, 2).map((e) => html`<p class="rests">${t('why.rests')} <span class="said">${quoted(e.quote, 200)}</span></p>`)}
    ${actions(a.app, m, a.reload)}</aside>`;
}

async function forgetAll(a) {
  const u = a.app.params;
  try {
    const request = {...a.app.scope, filter: filterOf(u) || {state: u.get('state')}};
    const dry = await post('/forget', {...request, dry_run: true});
    a.app.ask({title: t('forget.title'), label: t('act.forget'), bad: true, body: () => html`<p>${t('forget.many', {n: dry.ids.length})}</p>`,
      act: async () => {
        const r = await post('/forget', request);
        a.reload();
        a.app.say(t('say.forgotten', {n: r.ids.length}));
      }});
  } catch (p) { a.app.fail(p); }
}

function histogram(s, a) {
  const u = a.app.params, items = s.hist, from = +new Date(items[0].from), to = +new Date(items.at(-1).from) + DAY;
  const step = Math.max(1, Math.ceil((to - from) / DAY / 120)) * DAY, bins = Array(Math.ceil((to - from) / step)).fill(0);
  for (const x of items) bins[Math.floor((new Date(x.from) - from) / step)] += Object.values(x.counts).reduce((p, q) => p + q, 0);
  const max = Math.max(...bins), w = 1000 / bins.length, iso = (n) => new Date(n).toISOString().slice(0, 10);
  return html`<svg class="hist" viewBox="0 0 1000 62" preserveAspectRatio="none" role="group" aria-label=${t('list.histogram')}>${bins.map((n, i) => {
    const start = from + i * step, on = u.get('from') === iso(start);
    const pick = () => a.set(on ? {from: '', to: ''} : {from: iso(start), to: iso(start + step)});
    return svg`<g class=${on ? 'on' : ''} @click=${pick}><rect class="hit-area" x=${i * w} y="0" width=${w} height="62"></rect><rect x=${
      i * w + 0.5} y=${62 - (n ? Math.max(3, 58 * Math.sqrt(n / max)) : 0)} width=${Math.max(1, w - 1.5)} height=${
      n ? Math.max(3, 58 * Math.sqrt(n / max)) : 0}></rect><title>${iso(start) + ': ' + n}</title></g>`;
  })}</svg><div class="histaxis"><span>${day(from)}</span><span>${day(to - DAY)}</span></div>`;
}
