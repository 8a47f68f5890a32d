// Import: what a file is, what of it would be stored, and taking it all back.
import {html, nothing} from '../vendor/lit-html.js';
import {call, count, failed, get, moment, plain, query, said, t} from '../core.js';
import '../words.more.js';

const FORMATS = 'ChatGPT, Claude, Claude Code, mem0, MCP, PDF, Markdown, Text, ZIP';
const POLL = 700;

export function open(app) {
  const s = {files: [], dry: null, run: null, past: null, error: null, busy: ''};
  let timer;
  const form = (dry) => {
    const f = new FormData();
    if (dry) f.append('dry_run', 'true');
    for (const [k, v] of Object.entries(app.scope)) f.append(k, v);
    for (const x of s.files) {
      f.append('modified', new Date(x.lastModified).toISOString());
      f.append('files', x);
    }
    return f;
  };
  async function list() {
    try { s.past = (await get('/imports', app.scope)).items; } catch (p) { s.error = p; }
    app.draw();
  }
  async function look(files) {
    Object.assign(s, {files: [...files], dry: null, run: null, error: null, busy: 'dry'});
    app.draw();
    try { s.dry = await call('POST', '/imports', form(true), {form: true}); } catch (p) { s.error = p; }
    s.busy = '';
    app.draw();
  }
  // watch asks how far the import is for as long as it runs.
  async function watch(id) {
    try {
      const now = await get('/imports/' + id, app.scope);
      if (s.busy === 'store') { s.run = now; app.draw(); }
    } catch { /* it is not there before its files are */ }
    if (s.busy === 'store') timer = setTimeout(watch, POLL, id);
  }
  async function store() {
    s.busy = 'store'; s.run = s.dry; app.draw();
    timer = setTimeout(watch, POLL, s.dry.id);
    try { s.run = await call('POST', '/imports', form(false), {form: true}); s.dry = null; } catch (p) { s.error = p; s.run = null; }
    clearTimeout(timer);
    s.busy = '';
    app.refresh();
    list();
  }
  async function undo(r) {
    const path = '/imports/' + r.id + query(app.scope);
    try {
      const {forgotten: n} = await call('DELETE', path + (path.includes('?') ? '&' : '?') + 'dry_run=true');
      app.ask({title: t('import.undo'), label: t('import.undo'), bad: true, body: () => html`<p>${t('forget.many', {n})}</p>`, act: async () => {
        const done = await call('DELETE', path);
        s.run = s.dry = null; s.files = [];
        app.refresh();
        list();
        app.say(t('import.undone', {n: done.forgotten}));
      }});
    } catch (p) { app.fail(p); }
  }
  list();
  if (app.dropped) { const files = app.dropped; app.dropped = null; look(files); }
  return {title: t('nav.import'), view: () => view(s, {app, look, store, undo}), close: () => { s.busy = ''; clearTimeout(timer); }};
}

function view(s, a) {
  const r = s.run || s.dry;
  return html`<div class="head"><div><h1>${t('nav.import')}</h1><p>${t('import.help')}</p></div>${a.app.scopeLine()}</div>
  <label class="dropzone"><input type="file" multiple ?disabled=${s.busy === 'store'} @change=${(e) => { if (e.target.files.length) a.look(e.target.files); }}><span class="big">${t('import.drop')}</span><span class="cap">${t('import.formats', {formats: FORMATS})}</span></label>
  ${s.error ? failed(s.error) : nothing}${s.error?.absent ? html`<p>${t('import.cli')} <code>trilith import FILE</code></p>` : nothing}
  ${s.busy === 'dry' ? html`<p class="state" role="status">${t('import.reading')}</p>` : nothing}
  ${r ? result(s, r, a) : nothing}
  ${s.past?.length ? html`<section class="part"><h2>${t('import.past')}</h2><ul class="files">${s.past.map((x) => html`<li>
    <b>${names(x)}</b><span class="cap">${moment(x.started_at)} · ${t('import.state.' + x.state)} · ${t('import.got', {n: x.stored})}</span>
    ${a.app.can('writer') && x.state !== 'undone' && x.state !== 'running' ? html`<button class="btn bad" @click=${() => a.undo(x)}>${t('act.undo')}</button>` : nothing}</li>`)}</ul></section>` : nothing}`;
}

const names = (r) => said(r.files.map((f) => f.name).join(', '), 200);

function result(s, r, a) {
  const running = s.busy === 'store', figure = (n, word) => html`<div><b>${count(n)}</b><span>${word}</span></div>`;
  return html`<section class="part" role="status"><h2>${t(running ? 'import.running' : s.dry ? 'import.would' : 'import.stored')} <span class="cap">${names(r)}</span></h2>
    ${running ? html`<progress max="1" value=${r.state === 'running' && r.bytes ? r.bytes_read / r.bytes : 0} aria-label=${t('import.running')}></progress><p class="cap">${t('import.keep')}</p>` : nothing}
    <div class="figures"><div><b>${said([...new Set(r.files.map((f) => plain(f.format || '?')))].join(', '), 60)}</b><span>${t('import.format')}</span></div>${
      Object.entries(r.found).filter(([, n]) => n).map(([k, n]) => figure(n, t('import.' + k)))}
    ${figure(running && r.state === 'dry' ? 0 : r.stored, t(s.dry && !running ? 'import.new' : 'import.stored'))}${figure(r.skipped, t('import.skipped'))}</div>
    ${r.rejected_count || r.refused ? html`<h2>${t('import.rejected')} <span class="num">${count(r.rejected_count)}</span></h2><ul class="files">${
      Object.entries(r.refused || {}).map(([reason, n]) => html`<li><b class="num">${count(n)}</b><span>${said(plain(reason), 200)}</span></li>`)}${
      r.rejected.slice(0, 50).map((x) => html`<li><b class="mono">${said(x.file + (x.line ? ':' + x.line : ''), 120)}</b><span>${said(x.reason, 300)}</span></li>`)}</ul>` : nothing}
    <div class="acts">${running ? nothing : s.dry ? html`<button class="btn pri" ?disabled=${!r.stored} @click=${a.store}>${t('import.act')}</button>` : html`<a class="btn" href=${a.app.link('memories', {sort: 'recorded'})}>${t('import.see')}</a>
      <button class="btn bad" @click=${() => a.undo(r)}>${t('import.undo')}</button>`}</div></section>`;
}
