// The frame of the page: where one is, who one is, the keyboard, dialogs, and the screen that belongs to the address.
import {html, render, nothing} from './vendor/lit-html.js';
import {call, calls, count, curl, get, loading, named, on, query, said, speak, t} from './core.js';

const SCREENS = ['ask', 'recalls', 'memories', 'entities', 'projects', 'review', 'changes', 'alerts', 'import'];
const OPERATE = ['health', 'usage', 'keys'];
const MODULES = {ask: () => import('./screens/ask.js'), recalls: () => import('./screens/recalls.js'),
  memories: () => import('./screens/memories.js'), memory: () => import('./screens/memory.js'),
  entities: () => import('./screens/entities.js'), entity: () => import('./screens/entity.js'),
  review: () => import('./screens/review.js'), changes: () => import('./screens/changes.js'),
  import: () => import('./screens/import.js'), health: () => import('./screens/health.js'),
  projects: () => import('./screens/projects.js'), alerts: () => import('./screens/alerts.js'),
  usage: () => import('./screens/usage.js'), keys: () => import('./screens/keys.js'),
  mine: () => import('./screens/mine.js'), 'sign-in': () => import('./screens/signin.js')};
const GO = {a: 'ask', r: 'recalls', m: 'memories', e: 'entities', v: 'review', c: 'changes', i: 'import', h: 'health'};

const keep = {
  get: (k) => { try { return localStorage.getItem('trilith.' + k); } catch { return null; } },
  set: (k, v) => { try { localStorage.setItem('trilith.' + k, v); } catch { } },
};

const app = {
  me: null, page: null, route: null, dialog: null, offline: false, signIn: null, toast: null, menu: false, counts: {}, news: 0, lag: null, jobs: null,
  theme: keep.get('theme') || 'auto', shortcuts: keep.get('keys') !== 'off',

  draw() {
    if (app.drawing) return;
    app.drawing = true;
    queueMicrotask(() => {
      app.drawing = false;
      render(frame(), document.getElementById('app'));
      document.title = (app.page?.title ? app.page.title + ' · ' : '') + 'trilith';
      for (const d of document.querySelectorAll('dialog:not([open])')) d.showModal();
    });
  },
  // go shows another address; with replace the one before is not kept in the history.
  go(url, {replace = false, quiet = false} = {}) {
    if (location.pathname + location.search + location.hash !== url) {
      history[replace ? 'replaceState' : 'pushState'](null, '', url);
    }
    if (!quiet) open();
  },
  // set changes parameters of the address. Those without a value are left out.
  set(params, options) {
    const u = new URL(location);
    for (const [k, v] of Object.entries(params)) {
      if (v === undefined || v === null || v === '') u.searchParams.delete(k); else u.searchParams.set(k, v);
    }
    app.go(u.pathname + u.search + (options?.hash ?? u.hash), {replace: true, quiet: true, ...options});
  },
  get params() { return new URLSearchParams(location.search); },
  get scope() {
    const s = {};
    for (const k of ['user', 'project']) if (app.params.get(k)) s[k] = app.params.get(k);
    return s;
  },
  link: (path, params) => '/ui/' + path + query({...app.scope, ...params}),
  can: (access) => {
    const order = ['reader', 'writer', 'admin'];
    return !app.me?.read_only && (!app.me || order.indexOf(app.me.access) >= order.indexOf(access)) || access === 'reader';
  },
  // say shows a line, with a way to undo a change; then is called when it is undone.
  say(text, change, then) {
    clearTimeout(app.toast?.timer);
    app.toast = {text, undo: change && (async () => { await call('POST', '/changes/' + change + '/undo' + query(app.scope)); then?.(); }), timer: setTimeout(() => { app.toast = null; app.draw(); }, 10000)};
    app.draw();
  },
  fail(p) { if (p.name !== 'AbortError' && p.status !== 401) app.say(p.message); },
  // ask opens a dialog: body is a template, act does what its main button says, and may refuse by an error.
  ask(d) {
    app.dialog = {wide: false, ...d};
    app.draw();
  },
  useShortcuts(are) { app.shortcuts = are; keep.set('keys', are ? 'on' : 'off'); },
  async copy(text) {
    try { await navigator.clipboard.writeText(text); app.say(t('say.copied')); } catch { app.say(text); }
  },
  async forget(ids, then) {
    try {
      const r = await call('POST', '/forget', {...app.scope, ids});
      then?.();
      app.say(t('say.forgotten', {n: ids.length}), r.change, then);
    } catch (p) { app.fail(p); }
  },
  async refresh() { // who one is, and the numbers beside the screens
    try {
      app.me = await get('/me');
    } catch (p) { if (p.status === 401) return; }
    app.draw();
    if (app.following !== query(app.scope) + app.me?.name) {
      app.following = query(app.scope) + app.me?.name;
      import('./parts/live.js').then((m) => m.live(app), () => {});
    }
    try {
      app.counts = {stats: await get('/stats', app.scope)};
    } catch { app.counts = {}; }
    app.draw();
  },
};

function parse() {
  const [, , name = '', id = ''] = location.pathname.split('/').map(decodeURIComponent);
  const single = {memories: 'memory', entities: 'entity'};
  const screen = id && single[name] ? single[name] : MODULES[name] && !['memory', 'entity'].includes(name) ? name : '';
  const home = app.me?.scope?.user ? 'mine' : 'ask';
  return {name: name === 'me' ? 'mine' : name || home, id, screen: screen || (name === 'me' ? 'mine' : name ? '' : home)};
}

let opening = 0;
async function open() {
  const route = parse(), turn = ++opening;
  if (!location.pathname.split('/')[2]) history.replaceState(null, '', app.link(route.name === 'mine' ? 'me' : route.name) + location.hash);
  if (app.route?.screen === route.screen && app.route?.id === route.id && app.page?.moved?.(route)) return;
  app.page?.close?.();
  app.route = route;
  app.menu = false;
  app.news = 0;
  if (!route.screen) {
    app.page = {title: t('state.nowhere'), view: () => html`<h1>${t('state.nowhere')}</h1>
      <p><a href="/ui/ask">${t('nav.ask')}</a></p>`};
    app.draw();
    return;
  }
  try {
    const module = await MODULES[route.screen]();
    if (turn !== opening) return;
    app.page = module.open(app, route);
  } catch {
    app.offline = true; // the files of a screen come from the server, too
    app.page = {title: '', view: () => html`<div class="state bad" role="alert"><p>${t('state.broken')}</p>
      <button class="btn" @click=${() => location.reload()}>${t('act.reload')}</button></div>`};
  }
  app.draw();
  if (history.scrollRestoration) window.scrollTo(0, 0);
}

const stones = html`<svg width="26" height="26" viewBox="0 0 26 26" aria-hidden="true" fill="currentColor"><path
  d="M2.500 8.200c-.3-2.200.8-3.600 3-3.900l15-.9c2 0 3.100 1 3 2.800-.1 1.700-1.200 2.700-3.200 2.800l-14.600.9c-1.900 0-3-.6-3.200-1.700z"></path><path
  d="M5.600 11.600l4.300-.3c.3 3.700.5 7.400.3 11.200-1.800.4-3.700.4-5.500 0-.1-3.700.2-7.300.9-10.900z"></path><path
  d="M16 11l4.300-.2c.9 3.800 1.300 7.700 1.300 11.700-1.900.4-3.800.4-5.700 0-.3-3.900-.3-7.700.1-11.500z"></path></svg>`;

function frame() {
  const bound = app.me?.scope?.user, here = app.route?.name;
  const item = (name) => html`<a href=${app.link(name === 'mine' ? 'me' : name)}
    aria-current=${here === name ? 'page' : nothing}>${t('nav.' + name)}${app.counts[name]
      ? html`<span class="n">${count(app.counts[name])}</span>` : nothing}</a>`;
  const screens = bound ? ['mine', ...SCREENS.slice(0, 1), 'memories'] : SCREENS.filter((s) => s !== 'import' || app.can('writer'));
  return html`
  <nav class=${'nav' + (app.menu ? ' open' : '')} aria-label=${t('nav.label')}>
    <div class="brand"><a href=${app.link(bound ? 'me' : 'ask')} aria-label="trilith">${stones}<span>trilith</span></a>
      <b class="here">${here && !app.menu ? named('nav', here) : ''}</b>
      <button class="btn menu" aria-expanded=${String(app.menu)} @click=${() => { app.menu = !app.menu; app.draw(); }}>${
        t(app.menu ? 'nav.close' : 'nav.menu')}</button></div>
    <div class="items">${screens.map(item)}<span class="grow"></span>
    ${app.can('admin') && !bound ? OPERATE.map(item) : nothing}
    ${foot()}</div>
  </nav>
  <main id="main" tabindex="-1" aria-busy=${String(!app.page)}>${app.offline
    ? html`<p class="banner" role="status">${t('offline.banner')}</p>` : nothing}<div role="status">${app.news
    ? html`<button class="btn news" @click=${again}>${t('news', {n: app.news})} <kbd>r</kbd></button>` : nothing}</div>${app.page ? app.page.view() : loading()}</main>
  ${app.toast ? html`<div class="toast" role="status"><span>${app.toast.text}</span>${app.toast.undo
    ? html`<button class="btn" @click=${undo}>${t('act.undo')}</button>` : nothing}<button class="btn plain"
      @click=${() => { app.toast = null; app.draw(); }}>${t('act.dismiss')}</button></div>` : nothing}
  ${app.signIn ? app.signIn() : app.dialog ? dialog(app.dialog) : nothing}`;
}

function again() {
  app.route = null;
  open();
  app.refresh();
}

async function undo() {
  const {undo: f} = app.toast;
  app.toast = null;
  app.draw();
  try { await f(); app.say(t('say.undone')); } catch (p) { app.fail(p); }
}

function foot() {
  const me = app.me;
  const themes = ['auto', 'light', 'dark'];
  return html`<div class="foot">
    <div>${app.offline ? html`<span class="dot off"></span>${t('foot.offline')}`
      : html`<span class="dot"></span>${app.lag?.texts + app.lag?.vectors > 0 ? html`${t('foot.behind', {n: app.lag.texts + app.lag.vectors})} · ` : nothing}${me ? (me.open ? t('foot.open') : html`<span class="name">${said(me.name, 40)}</span>`) : ''}`}</div>
    <div>${me ? html`${t('foot.tenant')} ${said(me.tenant, 40)}${me.open ? nothing : html` · ${named('access', me.access)}`}` : ''}</div>
    <div class="foots"><button class="link" title=${t('foot.theme')} @click=${() => {
      app.theme = themes[(themes.indexOf(app.theme) + 1) % 3];
      keep.set('theme', app.theme); dress(); app.draw();
    }}>${t('theme.' + app.theme)}</button>
    <button class="link" lang=${t('foot.other.code')} @click=${async () => {
      const to = t('foot.other.code');
      await speak(to); keep.set('language', to); open(); app.draw();
    }}>${t('foot.other')}</button>
    <button class="link" @click=${help}>${t('foot.keys')}</button>
    ${me && !me.open && !me.unknown ? html`<button class="link" @click=${signOut}>${t('foot.signout')}</button>` : nothing}</div>
  </div>`;
}

async function signOut() {
  try { await call('DELETE', '/session'); } catch (p) { app.fail(p); }
  location.assign('/ui/ask');
}

// scopeLine says whose memories a screen is about, and lets one choose.
app.scopeLine = () => {
  const {user, project} = app.scope;
  if (app.me?.scope?.user) return html`<span class="scope">${said(app.me.scope.user, 40)}</span>`;
  return html`<button class="scope" @click=${chooseScope}>${user ? said(user, 40) : t('scope.everyone')} · ${project
    ? said(project, 40) : t('scope.projects')}</button>`;
};

const chooseScope = async () => (await import('./parts/dialogs.js')).scope(app, (form) => {
  const u = new URL(location);
  for (const k of ['user', 'project']) if (form[k]) u.searchParams.set(k, form[k]); else u.searchParams.delete(k);
  history.pushState(null, '', u);
  app.route = null;
  open();
  app.refresh();
});

function dialog(d) {
  const close = () => { app.dialog = null; app.draw(); };
  const submit = async (e) => {
    e.preventDefault();
    d.error = null; d.busy = true; app.draw();
    try {
      await d.act?.(Object.fromEntries(new FormData(e.target)));
      if (app.dialog === d) app.dialog = null;
    } catch (p) { d.error = p; }
    d.busy = false;
    app.draw();
  };
  return html`<dialog class=${d.wide ? 'wide' : ''} aria-labelledby="dialog-title" @close=${close}
    @click=${(e) => { if (e.target.nodeName === 'DIALOG') e.target.close(); }}><form method="dialog" @submit=${submit}>
    <h2 id="dialog-title">${d.title}</h2>${d.body?.() ?? nothing}
    ${d.error ? html`<p class="error" role="alert">${said(d.error.message, 400)}</p>` : nothing}
    <div class="acts">${d.label ? html`<button class=${'btn ' + (d.bad ? 'harm' : 'pri')} ?disabled=${d.busy}>${d.label}</button>` : nothing}
    <button type="button" class="btn" @click=${(e) => e.target.closest('dialog').close()}>${
      t(d.label ? 'act.cancel' : 'act.close')}</button></div></form></dialog>`;
}

const help = async () => (await import('./parts/dialogs.js')).sheet(app);

let pending = 0; // when g was pressed
function key(e) {
  if (e.ctrlKey || e.metaKey || e.altKey || !app.shortcuts || app.dialog || app.signIn) return;
  const field = e.target.closest?.('input, textarea, select, [contenteditable]');
  if (field && e.key === 'Escape') { field.blur(); return; }
  if (field) return;
  const after = pending && e.timeStamp - pending < 1000;
  pending = 0;
  if (after && GO[e.key]) { e.preventDefault(); app.go(app.link(GO[e.key])); return; }
  if (app.page?.key?.(e)) { e.preventDefault(); return; }
  if (e.key === 'g') pending = e.timeStamp;
  else if (e.key === 'r') again();
  else if (e.key === '?') { e.preventDefault(); help(); }
  else if (e.key === '.') { e.preventDefault(); const c = calls.at(-1); if (c) app.copy(curl(c)); }
  else if (e.key === '/') {
    e.preventDefault();
    const q = document.querySelector('main input[name=q]');
    if (q) q.focus(); else app.go(app.link('ask'));
  }
}

function dress() {
  const root = document.documentElement;
  root.style.colorScheme = app.theme === 'auto' ? '' : app.theme;
}

function drops() {
  let depth = 0;
  const files = (e) => [...(e.dataTransfer?.types || [])].includes('Files') && app.can('writer');
  const mark = (is) => document.body.classList.toggle('dropping', is);
  addEventListener('dragenter', (e) => { if (files(e)) { depth++; mark(true); } });
  addEventListener('dragleave', (e) => { if (files(e) && --depth <= 0) { depth = 0; mark(false); } });
  addEventListener('dragover', (e) => { if (files(e)) e.preventDefault(); });
  addEventListener('drop', (e) => {
    if (!files(e)) return;
    e.preventDefault();
    depth = 0;
    mark(false);
    app.dropped = [...e.dataTransfer.files];
    app.route = null;
    app.go(app.link('import'));
  });
}

document.addEventListener('click', (e) => {
  const a = e.target.closest('a[href^="/ui/"]');
  if (!a || e.defaultPrevented || e.button || e.ctrlKey || e.metaKey || e.shiftKey || e.altKey || a.target || a.download) return;
  e.preventDefault();
  app.go(a.getAttribute('href'));
});
addEventListener('popstate', open);
addEventListener('keydown', key);
on('unauthenticated', () => {
  if (parse().screen === 'sign-in') return;
  if (app.signIn) return;
  app.signIn = () => nothing; // until it is here
  import('./parts/dialogs.js').then((m) => { app.signIn = m.signIn(app, stones, open); app.draw(); });
});
on('offline', (is) => { if (app.offline !== is) { app.offline = is; app.draw(); } });

dress();
drops();
const preferred = keep.get('language') || (navigator.language || '').slice(0, 2);
if (preferred === 'de') await speak('de');
if (parse().screen === 'sign-in') {
  open();
} else {
  const known = app.refresh();
  if (!location.pathname.split('/')[2]) await known; // where one begins depends on who one is
  open();
}
