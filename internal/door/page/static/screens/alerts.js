// Alerts: what saved searches wait for, and what they have raised, latest first.
import {html, nothing} from '../vendor/lit-html.js';
import {call, empty, failed, get, loading, moment, named, post, query, said, t} from '../core.js';
import '../words.more.js';

const KINDS = ['match', 'changed', 'amount', 'deadline', 'contradiction', 'lag'];

export function open(app) {
  const s = {searches: null, items: [], error: null};
  async function load() {
    try {
      const [searches, alerts] = await Promise.all([get('/searches', app.scope), newest(app)]);
      Object.assign(s, {searches: searches.items, items: alerts, error: null});
    } catch (p) { s.error = p; }
    app.draw();
  }
  load();
  return {title: t('nav.alerts'), view: () => view(s, {app, load})};
}

// newest reads on to the end, since alerts come oldest first, and keeps the last ones.
async function newest(app) {
  let items = [], after = 0;
  for (let pages = 0; pages < 100; pages++) {
    const p = await get('/alerts', {...app.scope, open: app.params.get('all') ? '' : true, after, limit: 100});
    items = items.concat(p.items).slice(-200);
    if (!p.more) break;
    after = p.next;
  }
  return items.reverse();
}

function view(s, a) {
  const {app} = a, all = app.params.get('all'), name = (id) => s.searches.find((q) => q.id === id)?.name || id;
  return html`<div class="head"><div><h1>${t('nav.alerts')}</h1><p>${t('alerts.help')}</p></div>${app.scopeLine()}</div>
  <div class="tools"><label class="check"><input type="checkbox" .checked=${!!all} @change=${(e) => { app.set({all: e.target.checked ? 1 : ''}); a.load(); }}>${t('alerts.all')}</label><span class="grow"></span>${
    app.can('writer') ? html`<button class="btn" @click=${() => save(a)}>${t('alerts.new')}</button>` : nothing}</div>
  ${s.error ? failed(s.error, a.load) : !s.searches ? loading() : html`${!s.items.length ? empty(t(s.searches.length ? 'alerts.none' : 'alerts.empty')) : html`<ul class="rows">${s.items.map((x) => html`<li class=${'chg' + (x.acknowledged_at ? ' gone' : '')}>
    <span><span class=${'tag ' + (['contradiction', 'amount', 'lag'].includes(x.kind) ? 'harm' : 'fact')}>${named('alert', x.kind)}</span></span>
    <span>${x.memory_id ? html`<a href=${app.link('memories/' + x.memory_id)}>${said(name(x.search_id), 120)}</a>` : said(name(x.search_id), 120)} <span class="cap">${moment(x.at)}${x.due ? html` · ${t('alerts.due', {day: moment(x.due)})}` : nothing}</span></span>
    <span class="acts">${!x.acknowledged_at && app.can('writer') ? html`<button class="btn" @click=${() => seen(a, x)}>${t('alerts.seen')}</button>` : nothing}</span></li>`)}</ul>`}
  <section class="part"><h2>${t('alerts.searches')} <span class="num">${s.searches.length}</span></h2>${s.searches.map((q) => html`<div class="fct"><span class="vb">${named('kinds', q.of === 'memories' ? 'episode' : 'fact')}</span><span class="vl">${said(q.name, 120)}</span><span class="conf">${
    q.alerts.map((k) => html`<span class="tag">${named('alert', k)}</span> `)}</span>${q.query ? html`<div class="ev">${said(q.query, 300)}</div>` : nothing}${app.can('writer') ? html`<div class="acts"><button class="btn bad" @click=${() => remove(a, q)}>${t('alerts.delete')}</button></div>` : nothing}</div>`)}</section>`}`;
}

async function seen(a, x) {
  try { await post('/alerts/acknowledge', {...a.app.scope, ids: [x.id]}); a.load(); } catch (p) { a.app.fail(p); }
}

function remove(a, q) {
  a.app.ask({title: t('alerts.delete'), label: t('alerts.delete'), bad: true, body: () => html`<p>${said(q.name, 120)}</p><p class="cap">${t('alerts.delete.help')}</p>`,
    act: async () => { await call('DELETE', '/searches/' + q.id + query(a.app.scope)); a.load(); }});
}

function save(a) {
  a.app.ask({title: t('alerts.new'), label: t('act.save'), body: () => html`<label class="field">${t('alerts.name')}<input name="name" required maxlength="255"></label>
    <label class="field">${t('alerts.of')}<select name="of"><option value="facts">${named('kinds', 'fact')}</option><option value="memories">${named('kinds', 'episode')}</option></select></label>
    <label class="field">${t('alerts.query')}<input name="query" maxlength="1024"></label>
    <fieldset class="kinds"><legend class="cap">${t('alerts.when')}</legend>${KINDS.map((k) => html`<label class="check"><input type="checkbox" name=${'on.' + k} ?checked=${k === 'match' || k === 'changed'}>${named('alert', k)}</label>`)}</fieldset>
    <label class="field">${t('alerts.amount')}<input name="amount" inputmode="decimal" maxlength="40"></label>`,
    act: async (f) => {
      const r = {...a.app.scope, name: f.name, of: f.of, alerts: KINDS.filter((k) => f['on.' + k])};
      if (f.query) r.query = f.query;
      if (f.amount) r.amount = f.amount;
      await post('/searches', r);
      a.load();
    }});
}
