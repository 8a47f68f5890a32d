// Mine: what is known about the person whose key this is, in sentences, each with the words that it rests on.
import {html, nothing} from '../vendor/lit-html.js';
import {day, empty, failed, get, loading, quoted, said, t} from '../core.js';
import {correct, judgements} from '../parts/actions.js';
import {save} from '../parts/erase.js';
import {state} from '../parts/hit.js';
import '../words.more.js';

export function open(app) {
  const s = {items: [], next: undefined, error: null, started: false};
  const user = app.me?.scope?.user || app.params.get('user') || '';
  async function load(cursor) {
    try {
      const p = await get('/memories', {...app.scope, ...(user ? {user} : {}), filter: '{"kind":"fact"}', sort: 'event', newest: true, limit: 100, cursor});
      s.items = typeof cursor === 'string' ? s.items.concat(p.items) : p.items;
      s.next = p.next_cursor;
      s.error = null;
    } catch (p) { s.error = p; }
    s.started = true;
    app.draw();
  }
  // download writes everything of the person to a file, a memory a line.
  async function download() {
    const lines = [];
    let cursor;
    try {
      do {
        const p = await get('/memories', {...app.scope, ...(user ? {user} : {}), limit: 100, cursor});
        lines.push(...p.items.map((m) => JSON.stringify(m)));
        cursor = p.next_cursor;
      } while (cursor);
      save('memories.jsonl', lines.join('\n') + '\n');
    } catch (p) { app.fail(p); }
  }
  load();
  return {title: t('nav.mine'), view: () => view(s, {app, load: () => load(), more: () => load(s.next), download})};
}

function view(s, a) {
  return html`<div class="mine"><div class="head"><div><h1>${t('mine.title')}</h1><p>${t('mine.help')}</p></div><button class="btn" @click=${a.download}>${t('mine.download')}</button></div>
  ${s.error ? failed(s.error, a.load) : !s.started ? loading() : !s.items.length ? empty(t('mine.empty')) : html`<div>${s.items.map((m) => {
    const e = m.fact?.evidence?.[0];
    return html`<div class="fct"><span class="vl">${said(m.text, 600)} ${state(m)}</span>${e ? html`<div class="ev">${quoted(e.quote, 300)} <span class="cap">${day(e.at)}</span></div>` : nothing}
      ${a.app.can('writer') ? html`<div class="acts"><button class="btn" @click=${() => correct(a.app, m, a.load)}>${t('act.correct')}</button>${judgements(a.app, m, a.load)}<button class="btn bad" @click=${() => a.app.forget([m.id], a.load)}>${t('act.forget')}</button></div>` : nothing}</div>`;
  })}</div>${s.next ? html`<div class="acts"><button class="btn" @click=${a.more}>${t('act.more')}</button></div>` : nothing}`}</div>`;
}
