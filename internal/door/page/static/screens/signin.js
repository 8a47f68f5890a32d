// The screen that a one-time link opens: it exchanges what the link holds, which no server has seen yet, for a cookie.
import {html, nothing} from '../vendor/lit-html.js';
import {call, said, t} from '../core.js';
import '../words.more.js';

export function open(app) {
  const s = {error: null};
  const link = location.hash.slice(1);
  history.replaceState(null, '', '/ui/sign-in');
  (async () => {
    try {
      if (link) await call('POST', '/session', {link});
      await app.refresh();
      app.go('/ui/', {replace: true});
    } catch (p) { s.error = p; app.draw(); }
  })();
  return {title: t('signin.title'), view: () => html`<h1>${t('signin.title')}</h1>${s.error
    ? html`<div class="state bad" role="alert"><p>${t('signin.link')}</p><p class="cap">${said(s.error.message, 300)}</p>
      <p><a class="btn" href="/ui/ask">${t('signin.with')}</a></p></div>` : nothing}`};
}
