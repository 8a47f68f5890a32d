// What can be done to a memory from wherever it is shown. Who may only read sees none of it.
import {html, nothing} from '../vendor/lit-html.js';
import {at, call, post, query, quoted, isClaim, said, t} from '../core.js';

export function actions(app, m, then, {open = true} = {}) {
  const correctable = isClaim(m) || ['note', 'entry'].includes(m.kind);
  return html`<div class="acts">${open ? html`<a class="btn" href=${app.link('memories/' + m.id)}>${t('act.open')}</a>` : nothing}
    ${app.can('writer') && m.state === 'active' ? html`${correctable
      ? html`<button class="btn" @click=${() => correct(app, m, then)}>${t('act.correct')}</button>` : nothing}${isClaim(m) ? judgements(app, m, then) : nothing}
      <button class="btn bad" @click=${() => app.forget([m.id], then)}>${t('act.forget')}</button>` : nothing}
    ${app.can('writer') && m.state === 'retracted' ? html`<button class="btn" @click=${async () => {
      try { await call('PATCH', '/memories/' + m.id + query(app.scope), {state: 'active'}); then?.(); } catch (p) { app.fail(p); }
    }}>${t('act.restore')}</button>` : nothing}</div>`;
}

// judgements are what a person says of a fact without other words.
export const judgements = (app, m, then) => [...(m.fact.requires_action ? ['done'] : []), 'ended', 'reject', 'not_about_me'].map((d) => html`<button class="btn" @click=${
  () => (d === 'ended' ? ended(app, m, then) : judge(app, m.id, {decision: d}, then))}>${t('decide.' + d)}</button>`);

async function judge(app, id, decision, then) {
  try {
    const r = await post('/review?do=decide', {...app.scope, ids: [id], ...decision});
    if (r.failed) throw new Error(r.items[0].error.detail);
    then?.();
    app.say(t('review.done.' + decision.decision, {n: 1}), r.change, then);
  } catch (p) { app.fail(p); }
}

// ended asks since when something is no longer true.
export function ended(app, m, then, act = (decision) => judge(app, m.id, decision, then)) {
  app.ask({title: t('decide.ended'), label: t('decide.ended'), body: () => html`<p class="was">${said(m.text, 400)}</p>
    <label class="field">${t('correct.at')}<input type="date" name="at"></label>`,
    act: (f) => act({decision: 'ended', ...(f.at ? {at: f.at + 'T00:00:00Z'} : {})})});
}

// correct says what holds instead. What somebody said is never changed: only what was concluded from it, and notes.
export function correct(app, m, then) {
  app.ask({title: t('correct.title'), label: t('act.correct.do'),
    body: () => html`<p class="was">${isClaim(m) ? said(m.text) : quoted(m.text)}</p>
      <label class="field">${t(isClaim(m) ? 'correct.fact' : 'correct.text')}<textarea name="text" rows="3" required
        maxlength="4000" .value=${isClaim(m) ? '' : m.text}></textarea></label>
      ${isClaim(m) ? html`<label class="field">${t('correct.at')}<input type="date" name="at"></label>
      <label class="field">${t('correct.note')}<input name="note" maxlength="400"></label>` : nothing}`,
    act: async (form) => {
      const body = {text: form.text};
      if (form.at) body.at = form.at + 'T00:00:00Z';
      if (form.note) body.note = form.note;
      const r = isClaim(m) ? await post(at('/facts/' + m.id + '?do=supersede', app.scope), body)
        : await call('PATCH', '/memories/' + m.id + query(app.scope), {text: form.text, version: m.version});
      then?.();
      app.say(t('say.corrected'), r.change, then);
    }});
}
