// Entities: whom and what is spoken of.
import {html, nothing} from '../vendor/lit-html.js';
import {call, count, day, empty, failed, get, loading, named, query, said, t} from '../core.js';
import '../words.more.js';

const PAGE = 100;

export function open(app) {
  const s = {items: [], next: undefined, error: null, started: false, q: app.params.get('q') || '', at: -1};
  let turn = 0, wait;
  async function load(cursor) {
    const mine = ++turn;
    const u = app.params;
    try {
      const page = await get('/graph/entities?view=search', {...app.scope, q: s.q, type: u.get('type'), sort: u.get('sort'), limit: PAGE, cursor});
      if (mine !== turn) return;
      s.items = cursor ? s.items.concat(page.items) : page.items;
      s.next = page.next_cursor;
      s.error = null;
    } catch (p) { if (mine === turn) s.error = p; }
    s.started = true;
    app.draw();
  }
  const typed = (v) => { clearTimeout(wait); wait = setTimeout(() => { s.q = v; app.set({q: v}); load(); }, 150); };
  load();
  return {title: t('nav.entities'), view: () => view(s, {app, load, typed}), close: () => clearTimeout(wait),
    key(e) {
      if (e.key === 'j' || e.key === 'k') {
        const rows = document.querySelectorAll('.erow');
        s.at = Math.min(Math.max(s.at + (e.key === 'j' ? 1 : -1), 0), rows.length - 1);
        rows[s.at]?.focus();
        return true;
      }
      return false;
    }};
}

function view(s, a) {
  const u = a.app.params;
  return html`<div class="head"><div><h1>${t('nav.entities')}</h1><p>${t('entities.help')}</p></div>${a.app.scopeLine()}</div>
  <div class="tools"><label><span class="sr">${t('entities.find')}</span><input type="search" placeholder=${t('entities.find')} .value=${s.q} @input=${(e) => a.typed(e.target.value)}></label>
    <label>${t('list.sort')} <select @change=${(e) => { a.app.set({sort: e.target.value}); a.load(); }}>${['facts', 'name', 'heard'].map((k) => html`<option value=${k}
      ?selected=${(u.get('sort') || 'facts') === k}>${t('entities.' + k)}</option>`)}</select></label>
    <span class="grow"></span>${a.app.can('writer') ? html`<button class="btn" @click=${() => tell(a.app)}>${t('entities.new')}</button>` : nothing}</div>
  ${s.error ? failed(s.error, () => a.load()) : !s.started ? loading() : !s.items.length ? empty(t(s.q ? 'entities.none' : 'entities.empty')) : html`<ul class="rows">${s.items.map(({entity: e, facts, past, last_heard: heard}) => html`<li>
    <a class="erow" href=${a.app.link('entities/' + e.id)}><span class="name">${said(e.name, 120)}</span><span class="cap">${named('type', e.type)}</span><span class="cap ids">${(e.identifiers || []).slice(0, 3).map((i, n) =>
      html`${n ? ' · ' : ''}${said(i.value, 50)}`)}</span><span class="num" title=${t('entities.facts')}>${count(facts)}${past ? html`<span class="cap"> +${count(past)}</span>` : nothing}</span>
    <span class="num last">${day(heard || e.created_at)}</span></a></li>`)}</ul>
    ${s.next ? html`<div class="acts"><button class="btn" @click=${() => a.load(s.next)}>${t('act.more')}</button></div>` : nothing}`}`;
}

// tell makes an entity of a sentence that is about it.
function tell(app) {
  app.ask({title: t('entities.new'), label: t('act.tell'), body: () => html`<p class="cap">${t('tell.help')}</p>
    <label class="field">${t('tell.type')}<select name="type">${['name', 'email', 'phone', 'user_id'].map((v) => html`<option value=${v}>${named('identifier', v)}</option>`)}</select></label>
    <label class="field">${t('tell.value')}<input name="value" required maxlength="255"></label>
    <label class="field">${t('tell.words')}<textarea name="content" rows="3" required></textarea></label>`,
    act: async (f) => {
      const r = await call('POST', '/graph/assimilate' + query({}), {...app.scope, identifier: {type: f.type, value: f.value}, content: f.content});
      app.go(app.link('entities/' + r.entity.id));
    }});
}
