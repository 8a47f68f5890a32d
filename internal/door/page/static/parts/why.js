// Why not this one? What became of one memory in a search.
import {html, nothing} from '../vendor/lit-html.js';
import {failed, label, named, said, score, t} from '../core.js';
import '../words.more.js';

export function drawer(s, trace) {
  const r = s.traced;
  return html`<div class="drawer"><form @submit=${(e) => { e.preventDefault(); s.traceID = e.target.why.value; s.traced = null; trace(); }}>
    <label class="field">${t('trace.label')}<input name="why" .value=${s.traceID} autocomplete="off" placeholder="0c0ccef0-2219-…" list="left-out"></label>
    <datalist id="left-out">${(s.res.dropped || []).slice(0, 30).map((d) => html`<option value=${d.id}>${label(s.texts[d.id], 60)}</option>`)}</datalist>
    <button class="btn">${t('trace.act')}</button></form>${r?.error ? failed(r.error) : r ? verdict(r, s) : nothing}</div>`;
}

function verdict(r, s) {
  const of = (arm) => (r.arms || []).find((x) => x.arm === arm)?.candidates ?? '–';
  return html`<div class="verdict" role="status"><p class="said">${said(s.texts[r.id] || r.id, 300)}</p>
    <p><b>${r.place ? t('trace.place', {n: r.place}) : r.with ? t('trace.with') : named('reason', r.reason || 'unfound')}</b>${r.reason ? html` — ${t('explain.' + r.reason)}` : nothing}</p>
    <ul class="plainly">${Object.entries(r.parts || {}).map(([k, p]) => html`<li><span class=${'sw ' + k}></span> ${named('arm', k)}: ${t('trace.rank', {rank: p.rank ?? '–', of: of(k)})},
      <span class="num">${score(p.norm * p.weight, 3)}</span></li>`)}</ul>
    ${r.score ? html`<p class="cap">${t('why.score')} <span class="num">${score(r.score, 3)}</span></p>` : nothing}</div>`;
}
