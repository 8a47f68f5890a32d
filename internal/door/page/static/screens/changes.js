// Changes: what was learned, replaced and forgotten, day by day.
import {html, nothing} from '../vendor/lit-html.js';
import {call, day, empty, failed, get, isClaim, loading, named, query, said, t} from '../core.js';
import {state} from '../parts/hit.js';
import '../words.more.js';

const KINDS = ['learned', 'replaced', 'ended', 'forgotten', 'planned'];

export function open(app) {
  const s = {items: [], next: undefined, error: null, started: false};
  async function load(cursor) {
    const u = app.params;
    try {
      const p = await get('/changes', {...app.scope, kinds: u.get('kinds'), from: u.get('from') && u.get('from') + 'T00:00:00Z', limit: 100, cursor});
      s.items = cursor ? s.items.concat(p.items) : p.items;
      s.next = p.next_cursor;
      s.error = null;
    } catch (p) { s.error = p; }
    s.started = true;
    app.draw();
  }
  load();
  return {title: t('nav.changes'), view: () => view(s, {app, load})};
}

function view(s, a) {
  const u = a.app.params, days = [];
  for (const c of s.items) {
    const d = c.at.slice(0, 10);
    if (days.at(-1)?.d !== d) days.push({d, items: []});
    days.at(-1).items.push(c);
  }
  return html`<div class="head"><div><h1>${t('nav.changes')}</h1><p>${t('changes.help')}</p></div>${a.app.scopeLine()}</div>
  <div class="tools"><label>${t('list.kind')} <select @change=${(e) => { a.app.set({kinds: e.target.value}); a.load(); }}><option value="">${t('list.all')}</option>${KINDS.map((k) => html`<option value=${k}
    ?selected=${u.get('kinds') === k}>${t('change.' + k)}</option>`)}</select></label><label>${t('changes.from')} <input type="date" .value=${u.get('from') || ''} @change=${(e) => { a.app.set({from: e.target.value}); a.load(); }}></label></div>
  ${s.error ? failed(s.error, () => a.load()) : !s.started ? loading() : !s.items.length ? empty(t('changes.empty')) : html`${days.map((d) => html`<section><h2 class="day">${day(d.d, {weekday: 'long', day: 'numeric', month: 'long', year: 'numeric'})} <span class="cap">${sum(d.items)}</span></h2>${
    d.items.map((c) => change(c, a))}</section>`)}${s.next ? html`<div class="acts"><button class="btn" @click=${() => a.load(s.next)}>${t('act.more')}</button></div>` : nothing}`}`;
}

function sum(items) {
  const n = {};
  for (const c of items) n[c.kind] = (n[c.kind] || 0) + 1;
  return KINDS.filter((k) => n[k]).map((k) => t('change.' + k) + ' ' + n[k]).join(', ');
}

function change(c, a) {
  const m = c.after || c.before, undo = a.app.can('writer') && c.kind === 'forgotten' && c.before;
  const text = (x, cls) => html`<span class=${cls + ' ' + (isClaim(x) ? 'claim' : 'said')}>${said(x.text, 240)}</span>${x === c.after ? state(x) : nothing}`;
  const quote = (x) => (x?.fact?.evidence?.[0]?.quote ? html`<div class="cap said">“${said(x.fact.evidence[0].quote, 160)}”</div>` : nothing);
  return html`<div class="chg"><span><span class=${'tag ' + ({learned: 'fact', forgotten: 'harm', replaced: 'past', ended: 'past'}[c.kind] || '')}>${named('change', c.kind)}</span></span>
    <a class="plainlink" href=${m ? a.app.link('memories/' + m.id) : c.entity_id ? a.app.link('entities/' + c.entity_id) : a.app.link('changes')}>${c.before ? text(c.before, 'from') : nothing}${
      c.after ? html`${text(c.after, '')}${quote(c.after)}` : nothing}${!m ? html`<span class="mono">${c.entity_id || c.source_id}</span>` : nothing}</a>
    <span class="acts">${c.by ? html`<span class="cap">${said(c.by, 40)}</span>` : nothing}${undo ? html`<button class="btn" @click=${async () => {
      try {
        await call('PATCH', '/memories/' + c.before.id + query(a.app.scope), {state: 'active'});
        a.load();
              } catch (p) { a.app.fail(p); }
    }}>${t('act.restore')}</button>` : nothing}</span></div>`;
}
