// Review: what waits for a person, one after the other, by keyboard.
import {html, nothing} from '../vendor/lit-html.js';
import {at, day, failed, get, loading, named, percent, plain, post, query, quoted, said, t, verb} from '../core.js';
import {ended} from '../parts/actions.js';
import {state} from '../parts/hit.js';
import {value} from '../parts/lanes.js';
import '../words.more.js';

const REASONS = ['conflict', 'quarantined', 'candidate', 'low_trust', 'ambiguous_entity', 'ambiguous_match', 'future'];
const KEYS = {v: 'verify', e: 'ended', o: 'done', x: 'reject', m: 'not_about_me', n: 'dismiss'};
const key = (d) => Object.keys(KEYS).find((k) => KEYS[k] === d);

export function open(app) {
  const s = {items: [], error: null, started: false, i: 0, at: app.params.get('i'), chosen: new Set(), turns: {}, done: 0, last: null, busy: false, more: false};
  async function load() {
    s.error = null;
    try {
      const p = await get('/review', {...app.scope, reasons: app.params.get('reason'), limit: 100});
      s.items = p.items;
      s.more = !!p.next_cursor;
      const i = s.items.findIndex((x) => x.id === s.at);
      s.i = i < 0 ? Math.min(s.i, Math.max(0, s.items.length - 1)) : i;
    } catch (p) { s.error = p; }
    s.started = true;
    show();
  }
  async function show() {
    const item = s.items[s.i];
    s.at = item?.id;
    app.set({i: s.at});
    app.draw();
    document.querySelector('.queue .on')?.scrollIntoView({block: 'nearest'});
    const e = item?.memory?.fact?.evidence?.[0], session = item?.memory?.scope?.session;
    if (!e || !session || s.turns[item.id]) return;
    const at = await get('/memories/' + e.episode_id, app.scope).catch(() => null);
    if (!at) return;
    s.turns[item.id] = await get('/memories', {...app.scope, limit: 20, filter: JSON.stringify({and: [{session}, {kind: 'episode'}, {seq: {gte: Math.max(0, at.seq - 2)}}, {seq: {lte: at.seq + 2}}]})})
      .then((p) => p.items.sort((x, y) => x.seq - y.seq)).catch(() => []);
    app.draw();
  }
  const step = (n) => { s.i = Math.min(Math.max(s.i + n, 0), s.items.length - 1); show(); };
  async function decide(decision, ids = s.chosen.size ? [...s.chosen] : [s.at]) {
    const item = s.items[s.i];
    if (s.busy || !ids[0] || !app.can('writer') || ids.length === 1 && !item?.actions.includes(decision)) return;
    if (ids.length > 1) { many(decision, ids); return; }
    if (decision === 'ended') { ended(app, item.memory, null, (d) => run(d, ids)); return; }
    await run({decision}, ids);
  }
  async function run(d, ids) {
    s.busy = true;
    try {
      const r = await post('/review?do=decide', {...app.scope, ids, ...d});
      const bad = r.items.filter((x) => x.error); // one cannot be decided so, and the others are
      if (bad.length === ids.length) throw new Error(bad[0].error.detail);
      ids = ids.filter((id) => !bad.some((x) => x.id === id));
      s.items = s.items.filter((x) => !ids.includes(x.id));
      s.chosen.clear();
      s.done += ids.length;
      s.i = Math.min(s.i, Math.max(0, s.items.length - 1));
      s.last = {decision: d.decision, ids};
      app.say(t('review.done.' + d.decision, {n: ids.length}), r.change, () => back(ids));
      app.refresh();
      if (!s.items.length && s.more) await load(); else show();
    } catch (p) { app.fail(p); }
    s.busy = false;
  }
  // back shows again what was decided and is undone.
  async function back(ids) {
    s.done -= ids.length;
    s.last = null;
    s.at = ids[0];
    await load();
  }
  async function many(decision, ids) {
    try {
      const dry = await post('/review?do=decide', {...app.scope, ids, decision, dry_run: true});
      const fine = dry.items.filter((x) => !x.error).map((x) => x.id);
      app.ask({title: t('review.many', {n: fine.length}), label: t('decide.' + decision), wide: true, bad: decision === 'reject',
        body: () => html`<ul class="plainly">${s.items.filter((x) => ids.includes(x.id)).slice(0, 30).map((x) => html`<li><span class="claim">${said(called(x), 160)}</span>${
          fine.includes(x.id) ? nothing : html` <span class="tag harm">${t('review.refused')}</span>`}</li>`)}</ul>`,
        act: () => run({decision}, fine)});
    } catch (p) { app.fail(p); }
  }
  function supersede() {
    const item = s.items[s.i];
    if (!item?.actions.includes('edit') || !app.can('writer')) return;
    app.ask({title: t('correct.title'), label: t('act.correct.do'), body: () => html`<p class="was">${said(item.memory.text, 400)}</p>
      <label class="field">${t('correct.fact')}<textarea name="text" rows="2" required></textarea></label>`,
      act: async (f) => {
        const r = await post(at('/facts/' + item.id + '?do=supersede', app.scope), {text: f.text});
        s.done++;
        app.say(t('say.corrected'), r.change, () => back([item.id]));
        app.refresh();
        load();
      }});
  }
  // belongs says what a paper belongs to: a payment settles it, anything else is a part of it.
  async function belongs(to) {
    const item = s.items[s.i];
    if (s.busy || !app.can('writer')) return;
    s.busy = true;
    try {
      await post('/facts/' + item.id + '/relations' + query(app.scope), {type: item.memory.fact.financial?.type === 'payment' ? 'settles' : 'part_of', to});
      s.items = s.items.filter((x) => x.id !== item.id);
      s.i = Math.min(s.i, Math.max(0, s.items.length - 1));
      s.done++;
      app.say(t('review.belongs.done'));
      app.refresh();
      show();
    } catch (p) { app.fail(p); }
    s.busy = false;
  }
  const pick = (id) => { if (s.chosen.has(id)) s.chosen.delete(id); else s.chosen.add(id); app.draw(); };
  load();
  return {title: t('nav.review'), view: () => view(s, {app, load, decide, step, pick, supersede, belongs, go: (i) => { s.i = i; show(); }}),
    key(e) {
      if (e.key === 'j') step(1);
      else if (e.key === 'k') step(-1);
      else if (e.key === ' ' && s.at && app.can('writer')) { pick(s.at); step(1); }
      else if (e.key === 's') supersede();
      else if (e.key === 'V' && e.shiftKey && s.chosen.size) many('verify', [...s.chosen]);
      else if (e.key === 'z' && app.toast?.undo) document.querySelector('.toast .btn')?.click();
      else if (e.key === 'Enter' && s.at && e.target === document.body) app.go(app.link('memories/' + s.at));
      else if (KEYS[e.key]) decide(KEYS[e.key]);
      else if (e.key === 'y' && s.at) app.copy(s.at);
      else return false;
      return true;
    }};
}

function view(s, a) {
  const u = a.app.params, item = s.items[s.i];
  return html`<div class="head"><div>${item ? html`<p class="cap">${t('nav.review')} · <span class="num">${s.i + 1} / ${s.items.length}${s.more ? '+' : ''}</span>${s.done ? html` · ${t('review.decided', {n: s.done})}` : nothing}</p>`
    : html`<h1>${t('nav.review')}</h1>`}</div>
    <div class="tools"><label>${t('review.reason')} <select @change=${(e) => { a.app.set({reason: e.target.value}); s.i = 0; a.load(); }}><option value="">${t('list.all')}</option>${REASONS.map((r) =>
      html`<option value=${r} ?selected=${u.get('reason') === r}>${named('reason.why', r)}</option>`)}</select></label>${a.app.scopeLine()}</div></div>
  ${s.error ? failed(s.error, a.load) : !s.started ? loading() : !item ? html`<div class="state empty"><p class="big">${t('review.empty')}</p><p>${s.last ? t('review.last', {what: t('decide.' + s.last.decision)})
    : t('review.empty.help')}</p></div>` : html`<div class="rev"><ol class="queue" tabindex="0" aria-label=${t('review.queue')}>${s.items.map((x, i) => html`<li class=${i === s.i ? 'on' : ''}>${a.app.can('writer') ? html`<input type="checkbox" aria-label=${
      t('review.choose')} .checked=${s.chosen.has(x.id)} @change=${() => a.pick(x.id)}>` : nothing}<button aria-current=${i === s.i ? 'true' : nothing} @click=${() => a.go(i)}><span class="clip">${said(called(x), 70)}</span><span class="cap">${
      named('reason.why', x.reason)}</span></button></li>`)}</ol>${theCase(item, s, a)}</div>`}`;
}

const called = (x) => x.memory?.text || x.name; // a name that could mean several has no memory

function theCase(item, s, a) {
  const m = item.memory || {text: called(item)}, f = m.fact, turns = s.turns[item.id] || [], quotes = new Set((f?.evidence || []).map((e) => e.episode_id));
  const about = item.entities?.[0]?.name || item.name || item.whose;
  return html`<article class="rcase" aria-live="polite"><span class="tag past">${named('reason.why', item.reason)}</span> ${state(m)}${about ? html` <span class="cap">${said(about, 80)}</span>` : nothing}
    <h1>${f ? said(m.text, 500) : html`<span class="said">${quoted(m.text, 1000)}</span>`}</h1><p class="cap">${said(t('question.' + item.reason), 500)}</p>
    ${(item.others || []).length ? html`<div class="pairs"><div><h2>${t('review.this')}</h2>${side(m, a)}</div>${(item.reason === 'ambiguous_match' ? item.others : item.others.slice(0, 3)).map((o) => html`<div><h2>${t(item.reason === 'ambiguous_match' ? 'review.perhaps' : 'review.against')}</h2>${side(o, a)}${
      item.reason === 'ambiguous_match' && a.app.can('writer') ? html`<button class="btn" @click=${() => a.belongs(o.id)}>${t('review.belongs')}</button>` : nothing}</div>`)}</div>` : nothing}
    ${turns.length ? html`<section class="part"><h2>${t('review.said')}</h2>${turns.map((x) => html`<div class=${'turn' + (quotes.has(x.id) ? ' this' : '')}><span class="by">${said(x.speaker || named('role', x.role), 40)}</span><span class="said">${
      said(x.text, 500)}</span></div>`)}</section>` : (f?.evidence || []).map((e) => html`<p class="said">${quoted(e.quote, 400)} <span class="cap">${day(e.at)}</span></p>`)}
    ${f ? html`<dl class="facts part"><dt>${verb(f.verb)}</dt><dd>${said(value(m), 200)}</dd><dt>${t('review.sure')}</dt><dd class="num">${percent(f.confidence)}</dd><dt>${t('prop.trust')}</dt><dd>${named('trust', m.trust)}</dd>
      <dt>${t('prop.said')}</dt><dd>${day(m.event_time)}</dd></dl>` : nothing}
    ${a.app.can('writer') ? html`<div class="choices">${item.actions.map((d) => choice(d, a))}</div>` : nothing}</article>`;
}

const side = (m, a) => html`<div class="claim">${said(m.text, 300)} ${state(m)}</div>${(m.fact?.evidence || []).slice(0, 1).map((e) => html`<div class="said">${quoted(e.quote, 300)}</div><a class="cap" href=${
  a.app.link('memories/' + e.episode_id)}>${day(e.at)}</a>`)}`;
const choice = (d, a) => html`<div class="choice"><button class=${'btn' + (d === 'reject' ? ' bad' : '')} @click=${() => (d === 'edit' ? a.supersede() : a.decide(d))}>${t('decide.' + (d === 'edit' ? 'supersede' : d))} <kbd>${
  d === 'edit' ? 's' : key(d)}</kbd></button><span>${t('decide.' + (d === 'edit' ? 'supersede' : d) + '.means')}</span></div>`;
