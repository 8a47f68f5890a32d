// Recalls: what was asked, by whom, what was given for it, and what would be given now.
import {html, nothing} from '../vendor/lit-html.js';
import {moment, count, day, empty, failed, get, loading, named, percent, said, score, t, words} from '../core.js';
import '../words.more.js';

const VIAS = ['mcp', 'rest', 'cli', 'library'];

export function open(app, route) {
  if (route.id) return one(app, route.id);
  const s = {items: [], next: undefined, error: null, started: false};
  async function load(cursor) {
    const u = app.params;
    try {
      const p = await get('/recalls', {...app.scope, via: u.get('via'), empty: u.get('empty') ? 'true' : '', limit: 100, cursor});
      s.items = cursor ? s.items.concat(p.items) : p.items;
      s.next = p.next_cursor;
      s.off = p.off || p.log === 'off';
      s.error = null;
    } catch (p) { s.error = p; }
    s.started = true;
    app.draw();
  }
  load();
  return {title: t('nav.recalls'), view: () => list(s, {app, load})};
}

function list(s, a) {
  const u = a.app.params, none = s.items.filter((r) => !r.found).length;
  return html`<div class="head"><div><h1>${t('nav.recalls')}</h1><p>${t('recalls.help')}</p></div>${a.app.scopeLine()}</div>
  <div class="tools"><label>${t('recalls.via')} <select @change=${(e) => { a.app.set({via: e.target.value}); a.load(); }}><option value="">${t('list.all')}</option>${VIAS.map((v) => html`<option value=${v} ?selected=${u.get('via') === v}>${
    named('via', v)}</option>`)}</select></label><label class="check"><input type="checkbox" .checked=${!!u.get('empty')} @change=${(e) => { a.app.set({empty: e.target.checked ? 1 : ''}); a.load(); }}>${t('recalls.empty.only')}</label>
    <span class="grow"></span>${s.items.length && !u.get('empty') ? html`<span class="cap">${t('recalls.share', {share: percent(none / s.items.length), n: s.items.length})}</span>` : nothing}</div>
  ${s.error ? failed(s.error, () => a.load()) : !s.started ? loading() : s.off ? empty(t('recalls.off')) : !s.items.length ? empty(t('recalls.none')) : html`<ul class="rows">${s.items.map((r) => html`<li><a class="rec" href=${a.app.link('recalls/' + r.id)}>
    <span><span class="said">${said(r.request?.query || '', 200)}</span><span class="cap">${moment(r.at)} · ${named('via', r.via)} · ${said(r.key_name, 40)}${r.scope?.user ? html` · ${said(r.scope.user, 30)}` : nothing}</span></span>
    <span class="num">${r.found ? t('recalls.hits', {n: r.found}) : html`<span class="tag past">${t('recalls.nothing')}</span>`}</span><span class="num hide">${r.tokens ? t('recalls.tokens', {n: r.tokens}) : ''}</span><span class="num hide">${r.ms?.toFixed(0)} ms</span></a></li>`)}</ul>
    ${s.next ? html`<div class="acts"><button class="btn" @click=${() => a.load(s.next)}>${t('act.more')}</button></div>` : nothing}`}`;
}

function one(app, id) {
  const s = {r: null, again: null, memories: {}, error: null, busy: false};
  async function fetchAll(ids) {
    const missing = ids.filter((x) => !s.memories[x]).slice(0, 100);
    if (!missing.length) return;
    const p = await get('/memories', {...app.scope, limit: 100, states: 'candidate,active,superseded,retracted,expired,quarantined', filter: JSON.stringify({id: missing})}).catch(() => ({items: []}));
    for (const m of p.items) s.memories[m.id] = m;
  }
  async function load() {
    try {
      s.r = await get('/recalls/' + id, app.scope);
      app.draw();
      await fetchAll(s.r.hits.map((h) => h.id));
    } catch (p) { s.error = p; }
    app.draw();
  }
  async function again() {
    s.busy = true; app.draw();
    try {
      s.again = await get('/recalls/' + id + '?view=again', app.scope);
      for (const h of s.again.now.hits) s.memories[h.memory.id] = h.memory;
      await fetchAll([...s.again.gone, ...s.again.new]);
    } catch (p) { app.fail(p); }
    s.busy = false; app.draw();
  }
  load();
  return {title: t('nav.recalls'), view: () => detail(s, {app, again, load}), key(e) { if (e.key === 'Escape') { app.go(app.link('recalls')); return true; } return false; }};
}

function detail(s, a) {
  const r = s.r;
  if (s.error) return html`<h1>${t('nav.recalls')}</h1>${failed(s.error, a.load)}`;
  if (!r) return loading();
  const now = s.again?.now.hits;
  const hit = (id, sc, i, mark) => html`<li class="hit"><span class="rank">${i + 1}</span><div class="what">${s.memories[id] ? html`<a class="open" href=${a.app.link('memories/' + id)}>${words(s.memories[id], 400)}</a>`
    : html`<span class="mono">${id}</span> <span class="tag past">${t('recalls.gone')}</span>`}${mark ? html`<div class="meta"><span class="tag fact">${mark}</span></div>` : nothing}</div><div class="score"><span class="v">${score(sc)}</span></div></li>`;
  return html`<div class="head"><div><span class="cap">${t('recalls.asked', {at: moment(r.at), by: r.key_name})} · ${named('via', r.via)}</span><h1 class="big">${said(r.request.query, 1000)}</h1>
    <p class="cap">${t('recalls.hits', {n: r.found})}${r.tokens ? ' · ' + t('recalls.tokens', {n: r.tokens}) : ''} · ${r.ms?.toFixed(1)} ms${r.abstained ? ' · ' + t('ask.nothing') : ''}</p></div>
    <div class="acts"><button class="btn pri" ?disabled=${s.busy} @click=${a.again}>${t('recalls.again')}</button><a class="btn" href=${a.app.link('ask', {as_of: r.request.as_of?.slice(0, 10)}) + '#' + new URLSearchParams({q: r.request.query})}>${t('recalls.open')}</a></div></div>
  ${s.again ? html`<p class="banner" role="status">${s.again.new.length || s.again.gone.length ? t('recalls.diff', {came: s.again.new.length, gone: s.again.gone.length}) : t('recalls.equal')}</p>` : nothing}
  <div class=${now ? 'cols even' : ''}><section><h2>${t('recalls.then')}</h2>${r.hits.length ? html`<ol class="hits">${r.hits.map((h, i) => hit(h.id, h.score, i, now && s.again.gone.includes(h.id) ? t('recalls.left') : ''))}</ol>` : empty(t('recalls.nothing'))}</section>
  ${now ? html`<section><h2>${t('recalls.now')}</h2><ol class="hits">${now.map((h, i) => hit(h.memory.id, h.score, i, s.again.new.includes(h.memory.id) ? t('compare.came') : ''))}</ol></section>` : nothing}</div>`;
}
