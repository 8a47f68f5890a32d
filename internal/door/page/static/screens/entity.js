// One entity: what held when, what holds, who is around, and what can be put right.
import {html, nothing} from '../vendor/lit-html.js';
import {call, day, failed, get, loading, named, percent, post, query, quoted, said, t, verb} from '../core.js';
import {actions} from '../parts/actions.js';
import {erase, save} from '../parts/erase.js';
import {ego} from '../parts/ego.js';
import {state} from '../parts/hit.js';
import {from, lanes, until, value} from '../parts/lanes.js';
import '../words.more.js';

const PAST = 'superseded,expired';
const GROUPS = ['profile', 'relationship', 'preference', 'possession', 'event', 'plan', 'task', 'decision', 'schedule', 'financial', 'constraint'];

const factsOf = async (app, id) => (await get('/graph/entities/' + id, {view: 'facts', ...app.scope, states: 'active,' + PAST})).facts;

export function open(app, route) {
  const id = route.id, at = app.params.get('as_of');
  const s = {e: null, facts: [], hood: null, history: [], summary: null, error: null, at: at ? Date.parse(at) : null, open: null, started: false};
  async function load() {
    s.error = null;
    try {
      s.e = await get('/graph/entities/' + id, app.scope);
      if (s.e.merged_into) { app.go(app.link('entities/' + s.e.merged_into), {replace: true}); return; }
      app.draw();
      s.facts = await factsOf(app, id);
      s.started = true;
      app.draw();
    } catch (p) { s.error = p; app.draw(); return; }
    around();
    get('/graph/entities/' + id, {view: 'history', ...app.scope, limit: 50}).then((h) => { s.history = h.items.filter((c) => c.action !== 'created'); app.draw(); }).catch(() => {});
    const i = s.e.identifiers[0];
    if (i) get('/graph/entities/lookup?view=summary', {...app.scope, type: i.type, value: i.value}).then((r) => { s.summary = r; app.draw(); }).catch(() => {});
  }
  async function around() {
    try {
      s.hood = await get('/graph/entities/' + id, {view: 'neighborhood', ...app.scope, hops: 2, limit: 60});
    } catch { s.hood = null; }
    app.draw();
  }
  const scrub = (time) => {
    s.at = time;
    app.set({as_of: time ? new Date(time).toISOString().slice(0, 10) : ''});
    app.draw();
  };
  load();
  return {get title() { return s.e?.name || t('nav.entities'); }, view: () => view(s, {app, load, scrub, id}),
    key(e) {
      if (e.key === 'y') { app.copy(id); return true; }
      if (e.key === 'Escape') { history.back(); return true; }
      return false;
    }};
}

// held are the facts that held at a time; without one, those that hold.
export const held = (facts, at) => (at ? facts.filter((f) => from(f) <= at && (f.state === 'active' || (until(f) ?? 0) > at)) : facts.filter((f) => f.state === 'active'));

function view(s, a) {
  if (s.error) return html`<h1>${t('nav.entities')}</h1>${failed(s.error, a.load)}`;
  if (!s.e) return loading();
  const {app} = a, now = held(s.facts, null), past = s.facts.filter((f) => f.state !== 'active'), shown = held(s.facts, s.at);
  const heard = s.facts.length ? Math.max(...s.facts.map(from)) : null, groups = {};
  for (const f of shown) (groups[GROUPS.includes(f.fact.fact_type) ? f.fact.fact_type : 'other'] ??= []).push(f);
  return html`<div class="ehead"><div><span class="cap">${named('type', s.e.type)}</span><h1>${said(s.e.name, 200)}</h1><div class="ident">${(s.e.identifiers || []).map((i) => html`<span class="tag wide">${
    named('identifier', i.type)} · ${said(i.value, 80)}</span>`)}${(s.e.aliases || []).map((x) => html`<span class="tag wide">${said(x, 60)}</span>`)}
    ${s.started ? html`<span class="cap">${t('entity.counts', {now: now.length, past: past.length})}${heard ? ' · ' + t('entity.heard', {day: day(heard)}) : ''}</span>` : nothing}</div></div>
    ${buttons(s, a)}</div>
  ${!s.started ? loading() : s.facts.length ? html`${lanes(s.facts, s.at, a.scrub)}<div class="ecols"><section aria-label=${t('entity.facts')}>
    <p class="cap" role="status">${s.at ? html`${t('entity.held', {day: day(s.at), n: shown.length})} <button class="btn" @click=${() => a.scrub(null)}>${t('entity.now')}</button>` : nothing}</p>
    ${[...GROUPS, 'other'].filter((g) => groups[g]).map((g) => html`<div class="grp"><h2>${t('group.' + g)} <span class="num">${groups[g].length}</span></h2>${groups[g].map((f) => fact(f, s, a, false))}</div>`)}
    ${!s.at && past.length ? html`<div class="grp"><h2>${t('entity.past')} <span class="num">${past.length}</span></h2>${past.map((f) => fact(f, s, a, true))}</div>` : nothing}
    ${changesOf(s)}</section>
    <aside class="side">${s.hood ? html`<div class="card"><h2>${t('entity.around', {name: ''})}${said(s.e.name, 60)} ${s.at ? html`<span class="cap">${t('lanes.now')}</span>` : nothing}</h2>${
      ego(s.hood, (id) => app.link('entities/' + id))}</div>` : nothing}
      ${s.summary?.summary || s.summary?.text ? html`<div><h2>${t('entity.prompt')}</h2><div class="prose" tabindex="0" role="region" aria-label=${t('entity.prompt')}>${said(s.summary.summary || s.summary.text, 5000)}</div></div>` : nothing}</aside></div>`
    : html`<div class="state empty"><p>${t('entity.nothing')}</p></div>`}`;
}

function buttons(s, a) {
  const {app} = a;
  return html`<div class="acts"><a class="btn" href=${app.link('ask') + '#' + new URLSearchParams({q: s.e.name})}>${t('entity.ask')}</a>
    ${app.can('writer') ? html`<button class="btn" @click=${() => rename(s, a)}>${t('entity.rename')}</button><button class="btn" @click=${() => merge(s, a)}>${t('entity.merge')}</button>
    ${(s.e.merged || []).length ? html`<button class="btn" @click=${() => split(s, a)}>${t('entity.split')}</button>` : nothing}` : nothing}
    <button class="btn" @click=${() => save('entity-' + s.e.id + '.json', JSON.stringify({entity: s.e, facts: s.facts}, null, 1))}>${t('act.export')}</button>
    ${app.can('admin') ? html`<button class="btn bad" @click=${() => erase(app, {entities: [s.e.id]}, () => app.go(app.link('entities')))}>${t('act.erase')}</button>` : nothing}</div>`;
}

// The words shown are those that a fact began with, or for what is past, those that ended it.
function evidence(f, gone, at) {
  const all = f.fact.evidence || [], began = all.filter((e) => (!e.ends || f.fact.polarity === 'negated') && (!at || new Date(e.at) <= at));
  return (gone && all.findLast((e) => e.ends)) || began.at(-1) || all[0];
}

function fact(f, s, a, gone) {
  const e = evidence(f, gone, s.at), more = (f.fact.evidence || []).length - 1, open = s.open === f.id;
  return html`<div class=${'fct' + (gone ? ' gone' : '')}><span class="vb">${f.fact.polarity === 'negated' ? t('entity.not') + ' ' : ''}${verb(f.fact.verb)}</span>
    <span class="vl">${said(value(f), 200)}</span><span class="conf">${gone ? html`<span class="tag past">${t('until', {day: day(until(f) || f.recorded_at)})}</span>`
      : html`${t('entity.since', {day: day(f.event_time)})} · ${percent(f.fact.confidence)}${state(f)}`}</span>
    ${e?.quote ? html`<div class="ev">${quoted(e.quote, 300)}<a href=${a.app.link('memories/' + e.episode_id)}>${day(e.at)}</a>${more > 0 ? html`<span class="cap"> ${t('entity.more', {n: more})}</span>` : nothing}
      <button class="link cap" aria-expanded=${String(open)} @click=${() => { s.open = open ? null : f.id; a.app.draw(); }}>${t(open ? 'act.less' : 'act.details')}</button></div>` : nothing}
    ${open ? html`${actions(a.app, f, a.load)}<div class="acts"><button class="btn" @click=${async () => (await import('../parts/relations.js')).relations(a.app, f, s.facts)}>${t('relations.title')}</button></div>` : nothing}</div>`;
}

const changesOf = (s) => (s.history.length ? html`<div class="grp"><h2>${t('entity.history')} <span class="num">${s.history.length}</span></h2>${s.history.map((c) => html`<div class="fct"><span class="vb">${
  day(c.at)}</span><span>${named('change', c.action)} ${said(Object.values(c.added || {}).flat().map((v) => (typeof v === 'object' ? v.value : v)).join(', '), 160)}</span><span class="conf">${said(c.by, 40)}</span></div>`)}</div>` : nothing);

function rename(s, a) {
  a.app.ask({title: t('entity.rename'), label: t('act.save'), body: () => html`<label class="field">${t('entity.name')}<input name="name" required .value=${s.e.name} maxlength="255"></label>
    <label class="field">${t('entity.alias')}<input name="alias" maxlength="255"></label>`,
    act: async (f) => {
      const body = {version: s.e.version};
      if (f.name !== s.e.name) body.name = f.name;
      if (f.alias) body.add_aliases = [f.alias];
      await call('PATCH', '/graph/entities/' + s.e.id + query(a.app.scope), body);
      a.load();
    }});
}

// merge shows both before it joins them.
function merge(s, a) {
  const d = {found: [], pick: null, q: ''};
  const find = async (q) => {
    d.q = q;
    try {
      const p = await get('/graph/entities?view=search', {...a.app.scope, q, limit: 9});
      d.found = p.items.map((f) => f.entity).filter((e) => e.id !== s.e.id).slice(0, 8);
    } catch { d.found = []; }
    a.app.draw();
  };
  find('');
  a.app.ask({title: t('merge.title'), label: t('entity.merge.do'), wide: true, body: () => html`<p class="cap">${t('merge.help')}</p>
    <label class="field">${t('entities.find')}<input type="search" @input=${(e) => find(e.target.value)}></label>
    <div class="plainly" role="radiogroup" aria-label=${t('merge.title')}>${d.found.map((e) => html`<label class="check"><input type="radio" name="from" value=${e.id} required @change=${async () => {
      d.pick = e; d.facts = null; a.app.draw();
      d.facts = await factsOf(a.app, e.id).catch(() => null);
      a.app.draw();
    }}>${said(e.name, 80)} <span class="cap">${named('type', e.type)} ${(e.identifiers || []).map((i) => i.value).join(' · ').slice(0, 80)}</span></label><br>`)}</div>
    ${d.pick ? html`<p class="state">${t('merge.preview', {into: s.e.name, from: d.pick.name, n: s.facts.length + (d.facts || []).length})}</p>
      <ul class="plainly">${(d.facts || []).slice(0, 8).map((f) => html`<li class="claim">${said(f.text, 120)}${state(f)}</li>`)}</ul>` : nothing}`,
    act: async (f) => {
      const r = await post('/graph/entities/' + s.e.id + '/merge' + query(a.app.scope), {from: f.from});
      a.load();
      a.app.say(t('say.merged'), r.change, a.load);
    }});
}

function split(s, a) {
  a.app.ask({title: t('entity.split'), label: t('entity.split.do'), body: () => html`<p class="cap">${t('split.help')}</p>${(s.e.merged || []).map((id) => html`<label class="check"><input type="radio"
    name="merged" value=${id} required><span class="mono">${id}</span></label>`)}`,
    act: async (f) => {
      await post('/graph/entities/' + s.e.id + '/split' + query(a.app.scope), {merged: f.merged});
      a.load();
    }});
}
