// Ask: a question, what was found for it and why, what was not used, and what a prompt gets.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {count, curl, day, failed, get, isClaim, named, plain, post, said, score, t, words} from '../core.js';
import {actions} from '../parts/actions.js';
import {bar, meta, state} from '../parts/hit.js';

const ARMS = ['lexical', 'exact', 'dense', 'fact'];
const PAST = 'active,superseded,expired';
const SHOWN = 8;

// settings are what the address says of a search; with a prefix, of the one that it is compared with.
function settings(params, p = '') {
  const arms = params.get(p + 'arms');
  return {arms: new Set(arms === null ? ARMS : arms.split(',').filter(Boolean)), as_of: params.get(p + 'as_of') || '',
    min: params.get(p + 'min') || '', k: +(params.get(p + 'k') || 8), past: params.get(p + 'past') === '1'};
}
function params(x, p = '') {
  return {[p + 'arms']: x.arms.size === ARMS.length ? '' : [...x.arms].join(',') || 'none', [p + 'as_of']: x.as_of,
    [p + 'min']: x.min, [p + 'k']: x.k === 8 ? '' : x.k, [p + 'past']: x.past ? '1' : ''};
}
export function request(x, q) {
  const r = {query: q, k: x.k};
  if (x.arms.size < ARMS.length) r.arms = [...x.arms].filter((a) => ARMS.includes(a));
  if (x.as_of) r.as_of = x.as_of;
  if (x.min) r.min_score = +x.min;
  if (x.past) r.states = PAST.split(',');
  return r;
}
const question = () => new URLSearchParams(location.hash.slice(1)).get('q') || '';

export function open(app) {
  const u = app.params;
  const s = {q: question(), a: settings(u), b: u.get('compare') ? settings(u, 'b.') : null, open: u.get('hit'), on: null,
    res: null, ctx: null, other: null, error: null, busy: false, texts: {}, all: false, budget: +(u.get('budget') || 500),
    why: u.get('why') !== null, traced: null, traceID: u.get('why') || ''};
  let asked = null;

  // What is seldom wanted is loaded when it is.
  async function parts() {
    if (s.b) s.compare ??= (await import('../parts/compare.js')).compare;
    if (!s.q) s.doors ??= (await import('../parts/doors.js')).doors;
    if (s.why) s.drawer ??= (await import('../parts/why.js')).drawer;
    app.draw();
  }
  async function run() {
    asked?.abort();
    parts();
    asked = new AbortController();
    const signal = asked.signal;
    const u = new URLSearchParams();
    if (s.q) u.set('q', s.q);
    app.set({...params(s.a), ...(s.b ? {compare: 1, ...params(s.b, 'b.')} : {compare: '', ...params(settings(new URLSearchParams()), 'b.')}),
      budget: s.budget === 500 ? '' : s.budget}, {hash: s.q ? '#' + u : ''});
    if (!s.q.trim()) { s.res = s.ctx = s.error = null; app.draw(); return; }
    s.busy = true; s.error = null; s.all = false; app.draw();
    const body = {...app.scope, ...request(s.a, s.q), explain: true};
    try {
      const [res, ctx, other] = await Promise.all([post('/search', body, {signal}),
        post('/context', {...app.scope, ...request(s.a, s.q), budget: s.budget, format: 'briefing', parts: true}, {signal}),
        s.b ? post('/search', {...app.scope, ...request(s.b, s.q), explain: true}, {signal}) : null]);
      Object.assign(s, {res, ctx, other, busy: false});
      if (!s.open || !res.hits.some((h) => h.memory.id === s.open)) s.open = s.b ? null : res.hits[0]?.memory.id;
      app.draw();
      await texts();
      if (s.traceID) await trace();
    } catch (p) {
      if (p.name === 'AbortError') return;
      s.error = p; s.busy = false; app.draw();
    }
  }
  // texts fetches the words of what was left out, in one call.
  async function texts() {
    const ids = (s.res.dropped || []).filter((d) => !(s.texts[d.id] ??= d.memory?.text)).slice(0, 100).map((d) => d.id);
    if (!ids.length) return;
    const page = await get('/memories', {...app.scope, limit: 100, filter: JSON.stringify({id: ids}),
      states: 'candidate,active,superseded,retracted,expired,quarantined'}).catch(() => ({items: []}));
    for (const m of page.items) s.texts[m.id] = m.text;
    app.draw();
  }
  async function trace() {
    const id = s.traceID.trim();
    if (!id) return;
    app.set({why: id});
    try {
      const r = await post('/search', {...app.scope, ...request(s.a, s.q || id), explain: true, trace: [id]});
      s.traced = {...(r.trace || [])[0], arms: r.explain?.arms, id};
      if (!s.texts[id]) s.texts[id] = (await get('/memories/' + id, app.scope).catch(() => ({}))).text;
    } catch (p) { s.traced = {error: p, id}; }
    app.draw();
  }
  const acts = {app, run, trace, draw: app.draw,
    pick(id) { s.open = s.open === id ? null : id; app.set({hit: s.open}); app.draw(); },
    compare() { s.b = s.b ? null : {...s.a, arms: new Set(s.a.arms)}; s.other = null; run(); },
    why() { s.why = !s.why; s.traced = null; s.traceID = ''; app.set({why: null}); parts().then(() => { if (s.why) focusWhy(); }); },
    curl: () => app.copy(curl({method: 'POST', path: '/search', body: {...app.scope, ...request(s.a, s.q), explain: true}}))};
  const focusWhy = () => setTimeout(() => document.querySelector('[name=why]')?.focus());
  run();
  return {title: t('nav.ask'), view: () => view(s, acts), close: () => asked?.abort(),
    moved() { if (question() === s.q) return false; s.q = question(); run(); return true; },
    key(e) {
      const hits = s.res?.hits || [], i = hits.findIndex((h) => h.memory.id === s.open);
      if (e.key === 'j' || e.key === 'k') {
        const h = hits[Math.min(Math.max(i + (e.key === 'j' ? 1 : -1), 0), hits.length - 1)];
        if (h) { s.open = h.memory.id; app.set({hit: s.open}); app.draw(); show(s.open); }
        return true;
      }
      if (e.key === 'Enter' && i >= 0 && e.target === document.body) { app.go(app.link('memories/' + s.open)); return true; }
      if (e.key === 'w') { acts.why(); return true; }
      if (e.key === 'y' && i >= 0) { app.copy(s.open); return true; }
      if (e.key === '.') { acts.curl(); return true; }
      if (e.key === 'Escape' && s.why) { acts.why(); return true; }
      return false;
    }};
}

const show = (id) => setTimeout(() => document.getElementById('hit-' + id)?.scrollIntoView({block: 'nearest'}));

function view(s, a) {
  return html`<h1 class="sr">${t('nav.ask')}</h1>
  <form class="ask" role="search" @submit=${(e) => { e.preventDefault(); s.q = e.target.q.value; s.open = null; a.run(); }}>
    <input name="q" aria-label=${t('ask.question')} placeholder=${t('ask.placeholder')} .value=${s.q} autocomplete="off"
      maxlength="4000" dir="auto"><kbd aria-hidden="true">/</kbd></form>
  ${options(s, s.a, a)}${s.b ? html`<div class="second"><b>${t('ask.against')}</b>${options(s, s.b, a, true)}</div>` : nothing}
  ${s.error ? failed(s.error, a.run) : nothing}
  ${s.res ? html`<div class=${(s.b ? 'cols even' : 'cols') + (s.busy ? ' stale' : '')}>${hits(s, a)}${!s.b ? prompt(s, a) : s.other && s.compare ? s.compare(s.res, s.other, (id) => a.app.link('memories/' + id)) : html`<section>${skeleton()}</section>`}</div>`
    : s.busy ? skeleton() : s.error ? nothing : s.doors?.(a.app) ?? nothing}`;
}

function options(s, x, a, second) {
  const change = (f) => (e) => { f(e); s.open = null; a.run(); };
  return html`<div class="opts"><span role="group" class="arms" aria-label=${t('ask.arms')}>${ARMS.map((k) => html`<button class="tog"
    aria-pressed=${String(x.arms.has(k))} @click=${change(() => (x.arms.has(k) ? x.arms.delete(k) : x.arms.add(k)))}><span
    class=${'sw ' + k}></span>${t('arm.' + k)}</button>`)}</span>
    <label>${t('ask.asof')} <input type="date" .value=${x.as_of} @change=${change((e) => { x.as_of = e.target.value; })}></label>
    <label>${t('ask.min')} <input type="number" min="0" max="1" step="0.05" .value=${x.min} placeholder="0" @change=${
      change((e) => { x.min = e.target.value; })}></label>
    <label>${t('ask.k')} <select @change=${change((e) => { x.k = +e.target.value; })}>${[...new Set([8, 20, 50, x.k])].map((n) =>
      html`<option value=${n} ?selected=${x.k === n}>${n}</option>`)}</select></label>
    <label class="check"><input type="checkbox" .checked=${x.past} @change=${change((e) => { x.past = e.target.checked; })}>${t('ask.past')}</label>
    ${second ? nothing : html`${a.app.scopeLine()}<span class="grow"></span><button class="link" aria-pressed=${String(!!s.b)}
      @click=${a.compare}>${t(s.b ? 'ask.compare.end' : 'ask.compare')}</button><button class="link" aria-expanded=${String(s.why)}
      @click=${a.why}>${t('ask.why')}</button>`}</div>`;
}

const given = (s, id) => (s.ctx?.parts || []).some((p) => p.id === id);
// without says why a hit is not in the prompt.
function without(s, id) {
  const left = (s.ctx?.left_out || []).find((x) => x.id === id);
  return left ? t('left.' + left.reason, {n: left.tokens}) : t('ask.out');
}

function funnel(s) {
  const {res} = s, found = res.hits.filter((h) => !h.weak);
  const n = (b, word, arm) => html`<span>${arm ? html`<span class=${'sw ' + arm}></span> ` : nothing}<b>${count(b)}</b> ${word}</span>`;
  const arrow = html`<span class="ar" aria-hidden="true">→</span>`;
  return html`<div class="funnel" role="status">${(res.explain?.arms || []).map((x) => n(x.candidates, t('funnel.' + x.arm), x.arm))}
    ${arrow}${n((res.dropped || []).length, t('funnel.dropped'))}${arrow}${n(found.length, t('funnel.hits', {n: found.length}))}${arrow}
    ${n(res.hits.filter((h) => given(s, h.memory.id)).length, t('funnel.prompt'))}</div>`;
}

function hits(s, a) {
  const {res} = s, max = Math.max(0.01, ...res.hits.map((h) => h.score));
  const strong = res.hits.filter((h) => !h.weak), weak = res.hits.filter((h) => h.weak);
  return html`<section aria-label=${t('ask.hits')}>${s.why ? s.drawer?.(s, a.trace) ?? nothing : nothing}${funnel(s)}
    ${res.partial ? html`<p class="banner">${t('ask.partial', {arms: (res.failed_arms || []).map((x) => named('arm', x)).join(', ')})}</p>` : nothing}
    ${res.abstained || !strong.length ? abstained(s, a) : nothing}
    ${strong.length ? html`<ol class="hits">${strong.map((h, i) => hit(s, a, h, i, max))}</ol>` : nothing}
    ${weak.length ? html`<h2 class="weakly">${t('ask.weak')}</h2><ol class="hits weak">${weak.map((h, i) =>
      hit(s, a, h, strong.length + i, max))}</ol>` : nothing}
    ${unused(s, a)}
    <p class="cap looked">${t('ask.looked')} <b>${said((res.explain?.terms || []).join(' · '), 200)}</b> · ${timings(res.explain?.timings_ms)}</p>
  </section>`;
}

const timings = (ms) => Object.entries(ms || {}).sort((x, y) => y[1] - x[1]).slice(0, 4).map(([k, v], i) =>
  html`${i ? ' · ' : ''}${plain(k)} <span class="num">${v.toFixed(1)} ms</span>`);

function abstained(s, a) {
  const best = (s.res.dropped || []).filter((d) => d.score > 0).sort((x, y) => y.score - x.score)[0];
  return html`<div class="state empty"><p class="big">${t('ask.nothing')}</p>${best ? html`<p>${t('ask.best')} <span class="said">${
    said(s.texts[best.id] || best.id, 160)}</span> <span class="num">${score(best.score)}</span></p>
    ${+s.a.min > 0 ? html`<button class="btn" @click=${() => { s.a.min = ''; a.run(); }}>${t('ask.lower')}</button>` : nothing}` : nothing}</div>`;
}

function hit(s, a, h, i, max) {
  const m = h.memory, open = s.open === m.id, on = s.on === m.id;
  const over = (id) => () => { if (s.on !== id) { s.on = id; a.draw(); } };
  return html`<li class=${'hit' + (on || open ? ' on' : '') + (m.state !== 'active' ? ' gone' : '')} id=${'hit-' + m.id} @mouseenter=${over(m.id)} @mouseleave=${over(null)}>
    <span class="rank">${i + 1}</span><div class="what">${m.speaker && !isClaim(m) ? html`<div class="speaker">${said(m.speaker, 60)}</div>` : nothing}
    <button class="open" aria-expanded=${String(open)} @click=${() => a.pick(m.id)}>${words(m, open ? 4000 : 400)}</button>
    <div class="meta">${meta(m)}${given(s, m.id) ? html`<span class="tag in">${t('ask.in')}</span>` : html`<span class="cap">${without(s, m.id)}</span>`}</div></div>
    <div class="score"><span class="v" title=${t('ask.score')}>${score(h.score)}</span>${bar(h, max)}</div>
    ${open ? details(s, a, h) : nothing}</li>`;
}

function details(s, a, h) {
  const m = h.memory, rows = Object.entries(h.parts || {});
  return html`<div class="why">${rows.length ? html`<div class="scroll" tabindex="0" role="region" aria-label=${t('why.table')}><table><thead><tr>${['by', 'rank', 'raw', 'norm', 'weight', 'gives'].map((k) =>
    html`<th scope="col">${t('why.' + k)}</th>`)}</tr></thead><tbody>${rows.map(([k, p]) => html`<tr><th scope="row"><span
    class=${'sw ' + k}></span> ${named('arm', k)}</th><td>${p.rank ?? ''}</td><td>${score(p.raw, 3)}</td><td>${score(p.norm, 3)}</td><td>× ${
    score(p.weight, 3)}</td><td>${score(p.norm * p.weight, 3)}</td></tr>`)}</tbody><tfoot><tr><th scope="row">${t('why.score')}</th><td></td><td></td><td></td><td></td><td>${
    score(h.score, 3)}</td></tr></tfoot></table></div>` : html`<p class="cap">${t('why.weak')}</p>`}
    ${(m.fact?.evidence || []).slice(0, 4).map((e) => html`<p class="rests">${t('why.rests')} <span class="said">“${said(e.quote, 300)}”</span>
      <a href=${a.app.link('memories/' + e.episode_id)}>${day(e.at)}</a></p>`)}
    ${(h.facts || []).map((f) => html`<p class="rests">${t('why.with')} <span class="claim">${said((f.memory || f).text, 200)}</span> ${state(f.memory || f)}</p>`)}
    ${actions(a.app, m, a.run)}</div>`;
}

function unused(s, a) {
  const drops = s.res.dropped || [];
  if (!drops.length) return nothing;
  const shown = s.all ? drops : drops.slice(0, SHOWN);
  return html`<details class="drop" open><summary>${t('ask.unused', {n: drops.length})}</summary><ul>${shown.map((d) => html`<li class="droprow">
    <a class="t" href=${a.app.link('memories/' + d.id)}>${s.texts[d.id] ? said(s.texts[d.id], 160) : html`<span class="mono">${d.id}</span>`}</a>
    <span class="r">${named('reason', d.reason)}</span><span class="num">${score(d.score)}</span></li>`)}</ul>
    ${drops.length > shown.length ? html`<button class="btn" @click=${() => { s.all = true; a.draw(); }}>${t('act.all', {n: drops.length})}</button>` : nothing}</details>`;
}

function prompt(s, a) {
  const c = s.ctx;
  if (!c) return html`<aside></aside>`;
  const bytes = new TextEncoder().encode(c.text), decoder = new TextDecoder();
  const parts = (c.parts || []).map((p) => ({...p, at: p.hit || p.id, text: decoder.decode(bytes.subarray(p.start, p.end)).replace(/\n$/, '')}));
  const on = (id) => id && (s.on === id || s.open === id);
  return html`<aside class="side"><div class="card"><h2>${t('prompt.title')}</h2>
    <div class="budget"><span><b class="num">${c.tokens}</b> ${t('prompt.of')} <label class="sr" for="budget">${t('prompt.budget')}</label><select id="budget" @change=${(e) => { s.budget = +e.target.value; a.run(); }}>${
      [...new Set([250, 500, 1000, 2000, s.budget])].sort((x, y) => x - y).map((n) => html`<option value=${n} ?selected=${n === s.budget}>${n}</option>`)}</select> ${t('prompt.tokens')}</span>
      <span class="cap">${c.left ? t('prompt.left', {n: c.left}) : t('prompt.fits')}</span></div>
    ${segments(parts, s, on)}
    <div class="block" tabindex="0" role="region" aria-label=${t('prompt.title')}>${parts.map((p) => html`<span class=${'ln' + (p.at ? ' link' : '') + (on(p.at) ? ' on' : '')}
      title=${t('part.' + p.why, {n: p.tokens})} @mouseenter=${() => { if (p.at && s.on !== p.at) { s.on = p.at; a.draw(); } }} @mouseleave=${() => { s.on = null; a.draw(); }}
      @click=${() => { if (p.at) { s.open = p.at; a.draw(); show(p.at); } }}>${said(p.text, 3000)}</span>`)}</div>
    <div class="acts"><button class="btn" @click=${() => a.app.copy(c.text)}>${t('act.copy')}</button><button class="btn" @click=${a.curl}>${t('act.curl')}</button></div></div></aside>`;
}

// segments is the budget as a bar: each part of the prompt as wide as its tokens, and what is left of it.
function segments(parts, s, on) {
  const scale = 200 / Math.max(s.budget, parts.reduce((n, p) => n + p.tokens, 0));
  let x = 0, n = 0;
  return html`<svg class="bar" viewBox="0 0 200 8" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="200" height="8" rx="2"></rect>${parts.map((p) => {
    const w = p.tokens * scale, from = x;
    x += w;
    if (p.at) n++;
    return svg`<rect class=${'seg ' + (!p.at ? 'frame' : on(p.at) ? 'on' : n % 2 ? 'b' : '')} x=${from} width=${Math.max(0.3, w - 0.5)} height="8"></rect>`;
  })}</svg>`;
}

const skeleton = () => html`<div class="skeleton" role="status" aria-label=${t('state.loading')}><i></i><i></i><i></i><i></i></div>`;
