// Usage: what was used of providers, and what the budget leaves.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {count, day, failed, get, loading, plain, said, t} from '../core.js';
import '../words.more.js';

export function open(app) {
  const s = {r: null, error: null};
  async function load() {
    try { s.r = await get('/stats?view=usage', {days: app.params.get('days') || 30}); s.error = null; } catch (p) { s.error = p; }
    app.draw();
  }
  load();
  return {title: t('nav.usage'), view: () => view(s, {app, load})};
}

function view(s, a) {
  const days = +(a.app.params.get('days') || 30), lines = s.r?.lines || [], sums = {};
  for (const l of lines) {
    const k = [l.provider, l.model, l.purpose].join('\u0000');
    const x = (sums[k] ??= {...l, requests: 0, input_tokens: 0, output_tokens: 0});
    x.requests += l.requests || 0; x.input_tokens += l.input_tokens || 0; x.output_tokens += l.output_tokens || 0;
  }
  return html`<div class="head"><h1>${t('nav.usage')}</h1><div class="tools"><label>${t('usage.days')} <select @change=${(e) => { a.app.set({days: e.target.value}); a.load(); }}>${[7, 30, 90].map((n) => html`<option value=${n} ?selected=${n === days}>${n}</option>`)}</select></label></div></div>
  ${s.error ? failed(s.error, a.load) : !s.r ? loading() : !lines.length ? html`<div class="state empty"><p class="big">${t('usage.none')}</p><p>${t('usage.none.help')}</p></div>` : html`${bars(lines)}
    <div class="scrollx" tabindex="0" role="region" aria-label=${t('nav.usage')}><table class="plain"><thead><tr><th>${t('usage.model')}</th><th>${t('usage.purpose')}</th><th class="num">${t('usage.requests')}</th><th class="num">${t('usage.in')}</th><th class="num">${t('usage.out')}</th></tr></thead><tbody>${
    Object.values(sums).sort((p, q) => q.input_tokens - p.input_tokens).map((x) => html`<tr><td>${said(x.model, 80)} <span class="cap">${said(x.provider, 40)}</span></td><td>${plain(x.purpose)}</td><td class="num">${count(x.requests)}</td><td class="num">${count(x.input_tokens)}</td><td class="num">${count(x.output_tokens)}</td></tr>`)}</tbody></table></div>`}
  ${(s.r?.budget || []).map((b) => html`<section class="part"><h2>${t('usage.budget', {limit: plain(b.limit)})}</h2><svg class="meter" viewBox="0 0 100 8" preserveAspectRatio="none" role="img" aria-label=${b.used + ' / ' + b.most}><rect class="track" width="100" height="8" rx="2"></rect><rect class="fill" width=${
    Math.min(100, (100 * b.used) / (b.most || 1))} height="8" rx="2"></rect></svg><p class="cap num">${count(b.used)} / ${count(b.most)}</p></section>`)}`;
}

function bars(lines) {
  const by = {};
  for (const l of lines) by[l.day] = (by[l.day] || 0) + (l.input_tokens || 0) + (l.output_tokens || 0);
  const items = Object.entries(by).sort(), max = Math.max(1, ...items.map((x) => x[1])), w = 1000 / Math.max(items.length, 7);
  return html`<svg class="hist" viewBox="0 0 1000 62" preserveAspectRatio="none" role="img" aria-label=${t('usage.bars')}>${items.map(([d, n], i) => svg`<g><title>${d + ': ' + n}</title><rect x=${i * w + 1} y=${60 - (n / max) * 56} width=${
    w - 3} height=${(n / max) * 56}></rect></g>`)}</svg><div class="histaxis"><span>${day(items[0][0])}</span><span>${day(items.at(-1)[0])}</span></div>`;
}
