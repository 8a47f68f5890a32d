// What a memory looks like in a list: the line below its words, and its score as a bar.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {day, isClaim, kindOf, named, said, score, t, when} from '../core.js';

// state says of what no longer holds, or does not yet, that it is so, and until when it held; and of a fact that somebody
// doubts, that it is doubted.
export function state(m) {
  const until = m.valid_until || m.superseded_at, doubt = m.fact?.verification?.status;
  if (m.state === 'active' && ['needs_review', 'disputed'].includes(doubt)) return html` <span class="tag past">${named('verification', doubt)}</span>`;
  return !m.state || m.state === 'active' ? nothing : html`<span class="tag past">${named('state', m.state)}${until ? ' ' + t('until', {day: day(until)}) : ''}</span>`;
}

// meta says what it is, when and where it was said, and how far it is trusted where that is unusual.
export function meta(m) {
  return html`<span class=${'tag ' + (isClaim(m) ? 'fact' : '')}>${named('kind', kindOf(m))}</span>${state(m)}
    <span>${when(m.event_time || m.recorded_at)}</span>${m.scope?.session ? html`<span class="clip">${said(m.scope.session, 40)}</span>` : nothing}
    ${m.trust && m.trust !== 'user_stated' ? html`<span>${named('trust', m.trust)}</span>` : nothing}`;
}

// bar has a part for each way of search.
export function bar(h, max) {
  const parts = Object.entries(h.parts || {}).map(([k, p]) => [k, (p.norm || 0) * (p.weight || 0)]).filter((p) => p[1] > 0);
  const sum = parts.reduce((x, p) => x + p[1], 0) || 1, text = parts.map(([k, v]) => named('arm', k) + ' ' + score(v)).join(', ');
  let x = 0;
  return html`<svg class="bar" viewBox="0 0 200 8" preserveAspectRatio="none" role="img" aria-label=${text || t('ask.noparts')}><rect class="track" width="200" height="8" rx="2"></rect>${parts.map(([k, v]) => {
    const w = (v / sum) * (h.score / max) * 200, from = x;
    x += w;
    return svg`<rect class=${k} x=${from} width=${Math.max(w - 1, 0.5)} height="8"></rect>`;
  })}</svg>`;
}
