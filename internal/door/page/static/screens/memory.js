// One memory: its words, the turns around it, the facts that rest on it, what it replaced.
import {html, nothing} from '../vendor/lit-html.js';
import {moment, day, failed, get, isClaim, kindOf, loading, named, percent, quoted, said, t, verb} from '../core.js';
import {actions} from '../parts/actions.js';
import {erase} from '../parts/erase.js';
import {diff} from '../parts/diff.js';
import {meta, state} from '../parts/hit.js';
import '../words.more.js';

const STEP = 20000; // characters that one press of "more" shows
const ALL = 'candidate,active,superseded,retracted,expired,quarantined';
const AROUND = 4; // turns before and after

export function open(app, route) {
  const s = {m: null, error: null, turns: [], facts: [], versions: [], shown: STEP};
  const id = route.id;
  async function load() {
    s.error = null;
    try {
      s.m = await get('/memories/' + id, app.scope);
      app.draw();
    } catch (p) { s.error = p; app.draw(); return; }
    const m = s.m, list = (filter, limit = 100) => get('/memories', {...app.scope, filter: JSON.stringify(filter), states: ALL, limit})
      .then((p) => p.items).catch(() => []);
    const jobs = [get('/memories/' + id + '?view=history', app.scope).then((h) => { s.versions = h.versions; }).catch(() => {})];
    if (!isClaim(m) && m.scope.session) {
      jobs.push(list({and: [{session: m.scope.session}, {kind: 'episode'}, {seq: {gte: Math.max(0, m.seq - AROUND)}}, {seq: {lte: m.seq + AROUND}}]})
        .then((x) => { s.turns = x.sort((p, q) => p.seq - q.seq || p.event_time.localeCompare(q.event_time)); }));
    }
    if (m.source_id && !isClaim(m)) {
      jobs.push(list({and: [{kind: 'fact'}, {source_id: m.source_id}]}).then((x) => {
        s.facts = x.filter((f) => (f.fact?.evidence || []).some((e) => e.episode_id === id));
      }));
    }
    await Promise.all(jobs);
    app.draw();
  }
  load();
  return {title: t('kind.memory'), view: () => view(s, {app, load, id}),
    key(e) {
      const i = s.turns.findIndex((x) => x.id === id);
      if (e.key === 'j' || e.key === 'k') {
        const next = s.turns[i + (e.key === 'j' ? 1 : -1)];
        if (next) app.go(app.link('memories/' + next.id), {replace: true});
        return true;
      }
      if (e.key === 'y') { app.copy(id); return true; }
      if (e.key === 'Escape') { history.back(); return true; }
      return false;
    }};
}

function view(s, a) {
  const m = s.m;
  if (s.error) return html`<h1>${t('kind.memory')}</h1>${failed(s.error, a.load)}`;
  if (!m) return loading();
  return html`<article><h1 class="sr">${t('kind.memory')}</h1><div class="one"><div>
    <div class="speaker">${m.speaker && !isClaim(m) ? said(m.speaker, 120) : nothing}</div>
    <div class=${'lead ' + (isClaim(m) ? 'claim' : 'said')}>${isClaim(m) ? said(m.text, s.shown) : html`<span class="long">${quoted(m.text, s.shown)}</span>`}</div>
    ${m.text.length > s.shown ? html`<button class="btn" @click=${() => { s.shown += STEP; a.app.draw(); }}>${t('act.more')}</button>` : nothing}
    <div class="meta">${meta(m)}</div>
    ${actions(a.app, m, a.load, {open: false})}
    ${m.fact ? fact(m, a) : nothing}
    ${s.turns.length > 1 ? html`<section class="part"><h2>${t('memory.around')} <span class="cap">${said(m.scope.session, 60)}</span></h2>${s.turns.map((x) => turn(x, m, a))}</section>` : nothing}
    ${s.facts.length ? html`<section class="part"><h2>${t('memory.facts')} <span class="num">${s.facts.length}</span></h2>${s.facts.map((f) => html`<div class="turn"><span class="by">${
      verb(f.fact.verb)}</span><a href=${a.app.link('memories/' + f.id)}><span class="claim">${said(f.text, 400)}</span></a>${state(f)}</div>`)}</section>` : nothing}
    ${s.versions.length > 1 ? html`<section class="part"><h2>${t('memory.versions')} <span class="num">${s.versions.length}</span></h2>${s.versions.map((v, i) => html`<div class="version">
      <div class="cap">${t('memory.version', {n: v.version})} · ${day(v.recorded_at)} · ${named('state', v.state)}</div>${s.versions[i + 1]
        ? diff(s.versions[i + 1].text, v.text) : html`<div class="said">${said(v.text, 2000)}</div>`}</div>`)}</section>` : nothing}
    </div><aside>${properties(m, a)}</aside></div></article>`;
}

function turn(x, m, a) {
  const inner = html`<span class="said">${said(x.text, 600)}</span>`;
  return html`<div class=${'turn' + (x.id === m.id ? ' this' : '')}><span class="by">${said(x.speaker || named('role', x.role), 40)}</span>${x.id === m.id ? inner
    : html`<a href=${a.app.link('memories/' + x.id)}>${inner}</a>`}</div>`;
}

function fact(m, a) {
  const f = m.fact;
  return html`<section class="part"><h2>${t('memory.rests')} <span class="num">${(f.evidence || []).length}</span></h2>${(f.evidence || []).map((e) => html`<div class="turn">
    <span class="by">${day(e.at)}${e.ends ? html` <span class="tag past">${t('memory.ends')}</span>` : nothing}</span><a href=${a.app.link('memories/' + e.episode_id)}><span class="said">${
      quoted(e.quote, 600)}</span></a><span></span><span class="cap">${e.rule ? t('memory.rule', {rule: e.rule}) : e.model ? t('memory.model', {model: e.model}) : ''} · ${percent(e.confidence ?? f.confidence)}</span></div>`)}</section>`;
}

function properties(m, a) {
  const rows = [['kind', named('kind', kindOf(m))], ['state', named('state', m.state)], ['said', m.event_time && moment(m.event_time)], ['recorded', moment(m.recorded_at)],
    ['until', m.valid_until && day(m.valid_until)], ['user', m.scope?.user], ['project', m.scope?.project], ['session', m.scope?.session
      && html`<a href=${a.app.link('memories', {session: m.scope.session})}>${said(m.scope.session, 60)}</a>`], ['agent', m.scope?.agent], ['channel', m.scope?.channel],
    ['trust', m.trust && named('trust', m.trust)], ['who', m.fact && html`<a href=${a.app.link('entities/' + m.fact.entity_id)}>${t('memory.entity')}</a>`],
    ['verification', m.fact?.verification && named('verification', m.fact.verification.status)], ['tags', m.tags?.join(', ')], ['external', m.external_id],
    ['version', m.version], ['embedder', m.embedding?.model]];
  return html`<dl class="facts">${rows.filter(([, v]) => v).map(([k, v]) => html`<dt>${t('prop.' + k)}</dt><dd>${typeof v === 'string' ? said(v, 200) : v}</dd>`)}
    <dt>id</dt><dd class="mono">${m.id}</dd></dl>
    <div class="acts"><button class="btn" @click=${() => a.app.copy(m.id)}>${t('act.copyid')}</button>${m.source_id ? html`<a class="btn" href=${
      a.app.link('memories', {source: m.source_id})}>${t('memory.source')}</a>` : nothing}${a.app.can('admin') ? html`<button class="btn bad" @click=${() =>
      erase(a.app, {ids: [m.id]}, () => a.app.go(a.app.link('memories')))}>${t('act.erase')}</button>` : nothing}</div>`;
}
