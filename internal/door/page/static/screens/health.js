// Health: how the memory is, in the doctor's own sentences.
import {html, nothing} from '../vendor/lit-html.js';
import {moment, count, failed, get, loading, plain, post, said, t} from '../core.js';
import '../words.more.js';

export function open(app) {
  const s = {doctor: null, jobs: null, ready: null, error: null};
  async function load() {
    s.error = null;
    const part = (p, f) => p.then((r) => { f(r); app.draw(); }).catch((e) => { if (!e.absent) s.error ??= e; app.draw(); });
    await Promise.all([
      part(fetch('/readyz').then((r) => r.json()), (r) => { s.ready = r; }),
      part(get('/jobs', {limit: 30, counts: true}), (r) => { s.jobs = r; }),
      part(get('/admin?view=doctor'), (r) => { s.doctor = r; })]);
  }
  load();
  return {title: t('nav.health'), view: () => view(s, {app, load})};
}

function view(s, a) {
  const lag = (s.ready?.lag_text || 0) + (s.ready?.lag_vectors || 0), jobs = s.jobs?.counts;
  const builds = (s.doctor?.generations || []);
  return html`<div class="head"><h1>${t('nav.health')}</h1><div class="acts"><button class="btn" @click=${a.load}>${t('health.again')}</button>${s.doctor && !s.doctor.ok ? html`<button class="btn" @click=${async () => {
    try { s.doctor = await post('/admin/jobs?do=repair', {}); a.app.draw(); } catch (p) { a.app.fail(p); }
  }}>${t('health.repair')}</button>` : nothing}</div></div>
  ${s.error ? failed(s.error, a.load) : nothing}
  <div class="figures"><div><b>${s.doctor ? t(s.doctor.ok ? 'health.well' : 'health.ill') : '…'}</b><span>${t('health.doctor')}</span></div><div><b>${s.ready ? count(lag) : '…'}</b><span>${t('health.lag')}</span></div>
    <div><b>${s.jobs ? count(jobs.ready + jobs.running) : '…'}</b><span>${t('health.jobs')}</span></div><div><b>${s.jobs ? count(jobs.dead) : '…'}</b><span>${t('health.dead')}</span></div></div>
  ${s.doctor ? html`<section class="part"><h2>${t('health.checks')}</h2><ul class="checks">${s.doctor.checks.map((c) => html`<li><span class=${'dot' + (c.ok ? '' : ' no')} role="img" aria-label=${t(c.ok ? 'health.ok' : 'health.bad')}></span><b>${plain(c.name)}</b><span>${
    said(c.detail, 600)}${c.fix ? html`<br><span class="cap">${said(c.fix, 400)}</span>` : nothing}</span></li>`)}</ul></section>` : s.error ? nothing : loading()}
  ${builds.length ? html`<section class="part"><h2>${t('health.vectors')}</h2><div class="scrollx" tabindex="0" role="region" aria-label=${t('health.vectors')}><table class="plain"><thead><tr><th>${t('health.embedder')}</th><th>${t('list.state')}</th><th class="num">${t('receipt.vectors')}</th><th class="num">${t('health.missing')}</th></tr></thead><tbody>${builds.map((g) =>
    html`<tr><td class="mono">${said(g.embedder || g.key, 80)}</td><td>${plain(g.state)}</td><td class="num">${count(g.vectors || 0)}</td><td class="num">${count(g.missing || 0)}</td></tr>`)}</tbody></table></div></section>` : nothing}
  ${s.jobs?.items.length ? html`<section class="part"><h2>${t('health.recent')}</h2><div class="scrollx" tabindex="0" role="region" aria-label=${t('health.recent')}><table class="plain"><tbody>${s.jobs.items.slice(0, 15).map((j) => html`<tr><td>${plain(j.kind)}</td><td><span class=${'tag ' + (j.state === 'dead' ? 'harm' : j.state === 'ready' ? 'past' : '')}>${
    t('job.' + j.state)}</span></td><td class="num">${moment(j.updated_at)}</td><td class="cap">${said(j.error || '', 200)}</td><td>${j.state === 'dead' && a.app.can('writer') ? html`<button class="btn" @click=${async () => {
    try { await post('/jobs/' + j.id + '/retry', {}); a.load(); } catch (p) { a.app.fail(p); }
  }}>${t('act.retry')}</button>` : nothing}</td></tr>`)}</tbody></table></div></section>` : nothing}`;
}
