// Dialogs of the frame that are seldom opened: the keyboard's sheet, whose memories a screen is about, and signing in.
import {html, nothing} from '../vendor/lit-html.js';
import {call, get, said, t} from '../core.js';
import '../words.more.js';

const SHEET = ['/', 'g a … c', 'j k', 'Enter', 'Esc', 'w', 'y', '.', '?', 'v x d s', 'Space', 'Shift V'];

export function sheet(app) {
  app.ask({title: t('keys.sheet'), body: () => html`<dl class="sheet">${SHEET.map((k, i) => html`<dt>${k.split(' ').map((x) => html`<kbd>${x}</kbd> `)}</dt><dd>${t('sheet.' + i)}</dd>`)}</dl>
    <label class="check"><input type="checkbox" .checked=${app.shortcuts} @change=${(e) => app.useShortcuts(e.target.checked)}>${t('sheet.on')}</label>`});
}

export async function scope(app, apply) {
  const lists = {user: [], project: []};
  const field = (name) => html`<label class="field">${t('scope.' + name)}<input name=${name} list=${'list-' + name} .value=${app.scope[name] || ''} autocomplete="off"></label>
    <datalist id=${'list-' + name}>${lists[name].map((v) => html`<option value=${v.value}></option>`)}</datalist>`;
  app.ask({title: t('scope.title'), body: () => html`<p class="cap">${t('scope.help')}</p>${field('user')}${field('project')}`, label: t('act.apply'), act: apply});
  for (const name of Object.keys(lists)) {
    try { lists[name] = (await get('/stats?view=facets', {field: name, limit: 50})).items; app.draw(); } catch { /* typed by hand */ }
  }
}

// signIn lies above the page, which keeps what it shows.
export function signIn(app, stones, open) {
  let error = null, busy = false;
  const submit = async (e) => {
    e.preventDefault();
    const key = new FormData(e.target).get('key').trim();
    error = null; busy = true; app.draw();
    try {
      await call('POST', '/session', {key});
      app.signIn = null;
      await app.refresh();
      app.route = null;
      open();
    } catch (p) { error = p; busy = false; app.draw(); }
  };
  return () => html`<dialog class="signin" aria-labelledby="signin-title" @cancel=${(e) => e.preventDefault()}><form method="dialog" @submit=${submit}>
    <div class="brand">${stones}<span>trilith</span></div><h2 id="signin-title">${t('signin.title')}</h2><p class="cap">${t('signin.help')} <code>trilith ui</code></p>
    <label class="field">${t('signin.key')}<input name="key" type="password" autocomplete="current-password" required></label>
    ${error ? html`<p class="error" role="alert">${said(error.message, 300)}</p>` : nothing}
    <div class="acts"><button class="btn pri" ?disabled=${busy}>${t('signin.act')}</button></div></form></dialog>`;
}
