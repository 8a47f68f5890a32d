// How a fact bears on others of its owner: what is known of it, with the words, and a form to add to it.
import {html, nothing} from '../vendor/lit-html.js';
import {get, label, named, post, query, quoted, said, t} from '../core.js';
import {state} from './hit.js';
import '../words.more.js';

const TYPES = ['depends_on', 'blocks', 'causes', 'part_of', 'settles', 'replaces'];

export function relations(app, f, others) {
  const d = {list: null, error: null};
  const load = async () => {
    try { d.list = await get('/facts/' + f.id + '?view=relations', app.scope); } catch (p) { d.error = p; }
    app.draw();
  };
  const shown = (id) => {
    const x = id === f.id ? f : d.list.facts.find((x) => x.id === id) || {text: id};
    return html`${said(x.text, 120)} ${state(x)}`;
  };
  load();
  app.ask({title: t('relations.title'), wide: true, label: app.can('writer') ? t('relations.add') : '', body: () => html`<p class="claim">${said(f.text, 300)} ${state(f)}</p>
    ${d.error ? html`<p class="error">${said(d.error.message, 300)}</p>` : !d.list ? nothing : !d.list.relations.length ? html`<p class="cap">${t('relations.none')}</p>` : html`<ul class="plainly">${d.list.relations.map((r) => html`<li>${shown(r.from)} <b>${
      named('relation', r.type)}</b> ${shown(r.to)}${r.memory.fact?.evidence?.[0]?.quote ? html` <span class="said">${quoted(r.memory.fact.evidence[0].quote, 160)}</span>` : nothing} ${app.can('writer') ? html`<button type="button" class="link" @click=${
      () => app.forget([r.id], load)}>${t('relations.delete')}</button>` : nothing}</li>`)}</ul>`}
    ${app.can('writer') ? html`<label class="field">${t('relations.type')}<select name="type">${TYPES.map((k) => html`<option value=${k}>${named('relation', k)}</option>`)}</select></label>
    <label class="field">${t('relations.to')}<select name="to" required>${others.filter((o) => o.id !== f.id && o.fact.fact_type !== 'relation').map((o) => html`<option value=${o.id}>${label(o.text)}</option>`)}</select></label>` : nothing}`,
    act: async (form) => { await post('/facts/' + f.id + '/relations' + query(app.scope), {type: form.type, to: form.to}); }});
}
