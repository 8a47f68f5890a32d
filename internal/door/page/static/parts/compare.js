// The second column of a comparison: what came, what went, what moved.
import {html, nothing} from '../vendor/lit-html.js';
import {count, said, score, t, words} from '../core.js';
import {bar, meta, state} from './hit.js';
import '../words.more.js';

export function compare(before, after, link) {
  const was = before.hits.map((h) => h.memory.id), is = after.hits.map((h) => h.memory.id);
  const max = Math.max(0.01, ...after.hits.map((h) => h.score)), gone = before.hits.filter((h) => !is.includes(h.memory.id));
  const row = (h, i) => {
    const from = was.indexOf(h.memory.id);
    const mark = from < 0 ? t('compare.came') : from === i ? t('compare.same') : t(from > i ? 'compare.up' : 'compare.down', {from: from + 1});
    return html`<li class=${'hit' + (from === i ? ' dim' : '')}><span class="rank">${i + 1}</span><div class="what"><a class="open" href=${link(h.memory.id)}>${words(h.memory, 300)}</a>
      <div class="meta"><span class=${'tag ' + (from < 0 ? 'fact' : '')}>${mark}</span>${meta(h.memory)}</div></div>
      <div class="score"><span class="v">${score(h.score)}</span>${bar(h, max)}</div></li>`;
  };
  return html`<section aria-label=${t('ask.against')}><div class="funnel"><span><b>${count(after.hits.length)}</b> ${t('funnel.hits', {n: after.hits.length})}</span></div>
    <ol class="hits">${after.hits.map(row)}</ol>${gone.length ? html`<h2 class="weakly">${t('compare.gone', {n: gone.length})}</h2><ul class="plainly">${gone.map((h) => html`<li class="said">${
      said(h.memory.text, 160)} ${state(h.memory)}</li>`)}</ul>` : nothing}</section>`;
}
