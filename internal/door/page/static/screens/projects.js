// Projects: what is to be done and when, what it costs, and what stands out. All of it is computed from facts.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {count, day, empty, failed, get, language, loading, named, quoted, said, t} from '../core.js';
import '../words.more.js';

const DAY = 864e5;
const PARTS = ['timeline', 'ledger', 'trends'];
const amount = (s) => (!s ? '' : /^-?0(\.0*)?$/.test(s) ? '–' : new Intl.NumberFormat(language === 'de' ? 'de-DE' : 'en-GB', {minimumFractionDigits: 2, maximumFractionDigits: 8}).format(s));

export function open(app) {
  const s = {projects: null, failed: {}, timeline: null, ledger: null, trends: null, error: null};
  async function load() {
    const {project} = app.scope;
    Object.assign(s, {timeline: null, ledger: null, trends: null, failed: {}, error: null});
    if (!project) {
      try { s.projects = (await get('/stats?view=facets', {...app.scope, field: 'project', limit: 200})).items; } catch (p) { s.error = p; }
      app.draw();
      return;
    }
    const {user} = app.scope, at = app.params.get('as_of');
    await Promise.all(PARTS.map(async (part) => {
      try { s[part] = await get('/projects/' + encodeURIComponent(project), {view: part, user, as_of: at && at + 'T23:59:59Z'}); } catch (p) { s.failed[part] = p; }
      app.draw();
    }));
  }
  load();
  return {get title() { return app.scope.project || t('nav.projects'); }, view: () => view(s, {app, load})};
}

function view(s, a) {
  const {app} = a, {project} = app.scope;
  if (!project) {
    return html`<div class="head"><div><h1>${t('nav.projects')}</h1><p>${t('projects.help')}</p></div></div>
    ${s.error ? failed(s.error, a.load) : !s.projects ? loading() : !s.projects.length ? empty(t('projects.empty')) : html`<ul class="rows">${s.projects.map((p) => html`<li><a class="erow proj" href=${
      app.link('projects', {project: p.value})}><span class="name">${said(p.value, 120)}</span><span class="num">${count(p.count)}</span><span class="num last">${day(p.last)}</span></a></li>`)}</ul>`}`;
  }
  return html`<div class="head"><div><span class="cap"><a href="/ui/projects">${t('nav.projects')}</a></span><h1>${said(project, 200)}</h1></div>
    <div class="tools"><label>${t('ask.asof')} <input type="date" .value=${app.params.get('as_of') || ''} @change=${(e) => { app.set({as_of: e.target.value}); a.load(); }}></label></div></div>
  ${part('timeline', s, a, timeline)}${part('ledger', s, a, ledger)}${part('trends', s, a, trends)}`;
}

const part = (name, s, a, show) => html`<section class="part"><h2>${t('projects.' + name)}</h2>${s.failed[name] ? failed(s.failed[name], a.load) : !s[name] ? loading() : show(s[name], a)}</section>`;
const fact = (a, id, text) => html`<a href=${a.app.link('memories/' + id)}>${text}</a>`;

// timeline has a bar for each item that has a day; the chain that nothing may delay is marked.
function timeline(r, a) {
  const all = [...r.items, ...r.undated];
  if (!all.length) return empty(t('timeline.empty'));
  const begin = (i) => +new Date(i.start || i.end), end = (i) => +new Date(i.end || i.start);
  const from = Math.min(...r.items.map(begin)) - DAY, to = Math.max(...r.items.map(end)) + DAY, x = (time) => ((time - from) / (to - from)) * 1000;
  const now = Date.parse(r.as_of), names = Object.fromEntries(all.map((i) => [i.id, i.name]));
  const row = (i) => html`<li class=${'trow' + (i.ended ? ' gone' : '')}><span class="name">${fact(a, i.id, said(i.name, 160))} <span class="tag">${named('timeline', i.kind)}</span>${
      i.critical ? html` <span class="tag harm">${t('timeline.critical')}</span>` : nothing}${i.ended ? html` <span class="tag past">${t('timeline.ended')}</span>` : nothing}</span>
    ${i.end || i.start ? html`<svg class="gantt" viewBox="0 0 1000 18" preserveAspectRatio="none" aria-hidden="true">${now > from && now < to ? svg`<line class="today" x1=${x(now)} x2=${x(now)} y1="0" y2="18"></line>` : nothing}<rect
      class=${i.critical ? 'critical' : i.ended ? 'past' : 'now'} x=${x(begin(i))} y="3" width=${Math.max(6, x(end(i) + (i.start ? DAY : 0)) - x(begin(i)))} height="12" rx="2"></rect></svg>` : html`<span class="cap">${t('timeline.undated')}</span>`}
    <span class="cap num">${i.start ? day(i.start) + ' – ' : ''}${day(i.end || i.start)}</span>
    ${i.after?.length ? html`<span class="cap after">${t('timeline.after')} ${i.after.map((id, n) => html`${n ? ', ' : ''}${said(names[id] || id, 60)}`)}${i.late?.length ? html` <span class="tag harm">${t('timeline.late')}</span>` : nothing}</span>` : nothing}</li>`;
  return html`${r.critical_days ? html`<p class="cap">${t('timeline.chain', {n: r.critical_days})}</p>` : nothing}<ul class="rows">${all.map(row)}</ul>${left(r.left_out)}`;
}

const left = (n) => (Object.keys(n || {}).length ? html`<p class="cap">${t('projects.left')} ${Object.entries(n).map(([k, v], i) => html`${i ? ', ' : ''}${named('left', k)} ${count(v)}`)}</p>` : nothing);

const SUMS = ['budget', 'committed', 'invoiced', 'paid', 'open', 'variance'];

function ledger(r, a) {
  if (!r.lines.length && !r.left_out.length) return empty(t('ledger.empty'));
  const cells = (x) => SUMS.map((k) => html`<td class=${'num' + (k === 'variance' && String(x[k]).startsWith('-') ? ' bad' : '')}>${amount(x[k])}</td>`);
  return html`<div class="scrollx" tabindex="0" role="region" aria-label=${t('projects.ledger')}><table class="plain"><thead><tr><th>${t('ledger.item')}</th>${SUMS.map((k) => html`<th class="num">${t('ledger.' + k)}</th>`)}</tr></thead>
    <tbody>${r.items.map((i) => html`<tr><td>${i.item ? said(i.item, 80) : t('ledger.whole')}${i.phase ? html` <span class="cap">${said(i.phase, 40)}</span>` : nothing} <span class="cap">${i.currency}</span></td>${cells(i)}</tr>`)}</tbody>
    <tfoot>${r.totals.map((x) => html`<tr><th>${t('ledger.total')} <span class="cap">${x.currency}</span></th>${cells(x)}</tr>`)}</tfoot></table></div>
  ${r.findings.length ? html`<h3>${t('ledger.findings')}</h3><ul class="plainly">${r.findings.map((f) => html`<li><span class="tag harm">${named('finding', f.kind)}</span> ${said(f.says, 300)} ${f.fact_ids.map((id) => html`${fact(a, id, t('act.open'))} `)}</li>`)}</ul>` : nothing}
  <details class="drop"><summary>${t('ledger.entries', {n: r.lines.reduce((n, l) => n + l.entries.length, 0)})}</summary>${r.lines.map((l) => html`<div class="grp"><h3>${said([l.item, l.counterparty, l.phase].filter(Boolean).join(' · ') || t('ledger.whole'), 160)} <span class="cap">${l.currency}</span></h3>${
    l.entries.map((e) => html`<div class="fct"><span class="vb">${named('money', e.kind)}</span><span class="vl num">${amount(e.amount)}</span><span class="conf">${day(e.at)}${e.number ? html` · ${said(e.number, 40)}` : nothing}</span>${
      e.quote ? html`<div class="ev">${quoted(e.quote, 300)}${fact(a, e.fact_id, t('act.open'))}</div>` : nothing}</div>`)}</div>`)}</details>
  ${r.left_out.length ? html`<details class="drop"><summary>${t('ledger.left', {n: r.left_out.length})}</summary><ul class="plainly">${r.left_out.map((o) => html`<li><span class="tag">${named('left', o.reason)}</span> <span class="num">${amount(o.amount)}</span> ${o.currency || ''} ${
    o.quote ? quoted(o.quote, 200) : nothing} ${fact(a, o.fact_id, t('act.open'))}</li>`)}</ul></details>` : nothing}`;
}

function trends(r, a) {
  const moved = r.series.filter((x) => x.points.length > 1);
  if (!moved.length && !r.findings.length) return empty(t('trends.empty'));
  return html`${r.findings.length ? html`<ul class="plainly">${r.findings.map((f) => html`<li><span class="tag harm">${named('trend', f.kind)}</span> ${said(f.says, 400)}</li>`)}</ul>` : nothing}
  ${moved.map((x) => html`<div class="grp"><h3>${said(x.name, 120)} <span class="cap">${named('timeline', x.of)}</span></h3><ol class="steps">${x.points.map((p) => html`<li><span class="num">${
    x.kind === 'amount' ? amount(p.value) : x.kind === 'date' ? day(p.value) : said(p.value, 20)}</span> <span class="cap">${fact(a, p.fact_id, day(p.at))}</span></li>`)}</ol></div>`)}`;
}
