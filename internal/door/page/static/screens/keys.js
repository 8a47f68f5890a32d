// Keys: who may use the memory. The first key of an open server signs in whoever makes it.
import {html, nothing} from '../vendor/lit-html.js';
import {call, day, empty, failed, get, loading, named, post, said, t} from '../core.js';
import '../words.more.js';

export function open(app) {
  const s = {items: null, error: null};
  async function load() {
    try { s.items = (await get('/admin/keys')).items; s.error = null; } catch (p) { s.error = p; }
    app.draw();
  }
  function make() {
    const first = !s.items?.length && app.me?.open;
    app.ask({title: t('keys.new'), label: t('keys.make'), body: () => html`${first ? html`<p>${t('keys.first')}</p>` : nothing}
      <label class="field">${t('keys.name')}<input name="name" required maxlength="255"></label>
      <label class="field">${t('keys.access')}<select name="access">${(first ? ['admin'] : ['reader', 'writer', 'admin']).map((x) => html`<option value=${x}>${named('access', x)}</option>`)}</select></label>
      ${first ? nothing : html`<label class="field">${t('keys.user')}<input name="user" maxlength="255"></label><label class="field">${t('keys.expires')}<input type="date" name="expires"></label>`}`,
      act: async (f) => {
        const body = {name: f.name, access: f.access};
        if (f.user) body.scope = {user: f.user};
        if (f.expires) body.expires_at = f.expires + 'T23:59:59Z';
        const r = await post('/admin/keys', body);
        if (first) { await call('POST', '/session', {key: r.secret}); await app.refresh(); }
        await load();
        queueMicrotask(() => app.ask({title: t('keys.made'), body: () => html`<p>${t(first ? 'keys.once.first' : 'keys.once')}</p><p class="secret" tabindex="0">${r.secret}</p>
          <div class="acts"><button type="button" class="btn" @click=${() => app.copy(r.secret)}>${t('act.copy')}</button></div>`}));
      }});
  }
  const revoke = (k) => app.ask({title: t('keys.revoke'), label: t('keys.revoke'), bad: true, body: () => html`<p>${t('keys.revoke.help')} <b>${said(k.name, 80)}</b></p>`, act: async () => {
    await call('DELETE', '/admin/keys/' + k.id);
    load();
  }});
  load();
  return {title: t('nav.keys'), view: () => view(s, {app, load, make, revoke})};
}

function view(s, a) {
  const scope = (k) => Object.entries(k.scope || {}).filter(([, v]) => v).map(([n, v]) => t('scope.' + n) + ' ' + v).join(', ');
  return html`<div class="head"><div><h1>${t('nav.keys')}</h1><p>${t('keys.help')}</p></div>${a.app.can('admin') ? html`<button class="btn pri" @click=${a.make}>${t('keys.new')}</button>` : nothing}</div>
  ${s.error ? failed(s.error, a.load) : !s.items ? loading() : !s.items.length ? empty(t('keys.none')) : html`<div class="scrollx" tabindex="0" role="region" aria-label=${t('nav.keys')}><table class="plain"><thead><tr><th>${t('keys.name')}</th><th>${t('keys.access')}</th><th class="hidephone">${t('keys.bound')}</th><th class="hidephone">${t('keys.created')}</th><th>${t('keys.used')}</th><th></th></tr></thead><tbody>${
    s.items.map((k) => {
    const over = k.revoked_at || (k.expires_at && new Date(k.expires_at) < new Date());
    return html`<tr><td><b>${said(k.name, 80)}</b></td><td>${named('access', k.access)}</td><td class="hidephone">${said(scope(k) || t('keys.all'), 120)}</td><td class="num hidephone">${day(k.created_at)}</td><td class="num">${k.last_used_at ? day(k.last_used_at) : '–'}</td><td>${over
      ? html`<span class="tag past">${t(k.revoked_at ? 'keys.revoked' : 'keys.expired')}</span>` : html`<button class="btn bad" @click=${() => a.revoke(k)}>${t('keys.revoke')}</button>`}</td></tr>`;
  })}</tbody></table></div>`}`;
}
