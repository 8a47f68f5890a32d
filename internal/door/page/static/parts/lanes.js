// What held when: a lane for each property that changed, or that has two values at once.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {day, label, said, t, verb} from '../core.js';
import '../words.more.js';

const DAY = 864e5, W = 1120, L = 130, R = 8, MOST = 14;

export const from = (f) => +new Date(f.event_time || f.recorded_at);
export const until = (f) => (f.valid_until ? +new Date(f.valid_until) : f.superseded_at ? +new Date(f.superseded_at) : null);
export const value = (f) => f.fact.fact?.name || f.fact.fact_id || '';
// stated is the value, and that it is not so where that was said.
export const stated = (f) => (f.fact.polarity === 'negated' ? t('entity.not') + ' ' : '') + value(f);

// span is the time that lanes are drawn over.
export function span(facts) {
  const begins = facts.map(from), ends = facts.map((f) => until(f) || from(f));
  const a = Math.min(...begins), b = Math.max(...begins, ...ends), pad = Math.max((b - a) * 0.06, 10 * DAY);
  return {a: a - pad / 2, b: b + pad};
}

// lay places the facts of each property in rows, so that none lies on another.
export function lay(facts, {a, b}) {
  const x = (time) => L + ((time - a) / (b - a)) * (W - L - R);
  const by = {};
  for (const f of [...facts].sort((p, q) => from(p) - from(q))) (by[f.fact.verb] ??= []).push(f);
  const shown = Object.entries(by).filter(([, fs]) => fs.some((f) => f.state !== 'active') || fs.length > 1)
    .sort((p, q) => from(p[1][0]) - from(q[1][0])).slice(0, MOST);
  let y = 0;
  const lanes = shown.map(([v, fs]) => {
    const ends = [];
    const items = fs.map((f) => {
      const x0 = x(from(f)), x1 = Math.max(f.state === 'active' ? x(b) : Math.min(x(until(f) || b), x(b)), x0 + 10);
      let row = ends.findIndex((z) => z <= x0 + 1);
      if (row < 0) row = ends.push(0) - 1;
      ends[row] = x1;
      return {f, x0, x1, y: y + row * 27 + 4};
    });
    const lane = {verb: v, items, top: y, clash: fs.filter((f) => f.state === 'active').length > 1 && single(fs)};
    y += ends.length * 27 + 5;
    return lane;
  });
  return {lanes, height: y + 30, x};
}
// A property that once was replaced has one value at a time.
const single = (fs) => fs.some((f) => f.state === 'superseded' || f.superseded_by);

function ticks({a, b}) {
  const months = (b - a) / DAY / 30, step = months > 60 ? 12 : months > 24 ? 6 : months > 8 ? 3 : 1, out = [];
  const d = new Date(a);
  let m = d.getUTCFullYear() * 12 + d.getUTCMonth();
  for (m -= m % step; ; m += step) {
    const time = Date.UTC(Math.floor(m / 12), m % 12, 1);
    if (time >= b) return out;
    if (time > a) out.push(time);
  }
}

export function lanes(facts, at, change) {
  const s = span(facts), {lanes: all, height, x} = lay(facts, s);
  if (!all.length) return nothing;
  const cur = Math.min(Math.max(at ?? s.b, s.a), s.b);
  const tip = (f) => label(f.text) + ' · ' + day(f.event_time) + (until(f) ? ' – ' + day(until(f)) : '');
  return html`<figure class="tl" aria-label=${t('lanes.title')}>
  <svg viewBox="0 0 ${W} ${height}" role="img" aria-label=${t('lanes.label', {n: all.length})}>${ticks(s).map((k) => svg`<line class="grid" x1=${x(k)} x2=${x(k)} y1="0" y2=${
    height - 22}></line><text x=${x(k) + 3} y=${height - 8}>${day(k, new Date(k).getUTCMonth() === 0 ? {year: 'numeric'} : {month: 'short'})}</text>`)}
  ${all.map((l) => svg`<text class="verb" x="0" y=${l.top + 20}>${label(verb(l.verb), 18)}</text>${l.clash ? svg`<text class="clash" x="0" y=${l.top + 36}>${t('lanes.clash')}</text>` : nothing}
    ${l.items.map(({f, x0, x1, y}) => {
    const name = label(stated(f), 60), room = Math.floor((x1 - x0 - 16) / 6.9), active = f.state === 'active';
    return svg`<g><title>${tip(f)}</title><rect class=${active ? 'now' : 'past'} x=${x0} y=${y} width=${x1 - x0 - 3} height="23" rx="4"></rect>${room >= Math.min(4, name.length)
      ? svg`<text class=${'val ' + (active ? 'nowt' : 'pastt')} x=${x0 + 8} y=${y + 16}>${name.length > room ? name.slice(0, room - 1) + '…' : name}</text>` : nothing}</g>`;
  })}`)}
  ${at ? svg`<line class="cur" x1=${x(cur)} x2=${x(cur)} y1="0" y2=${height - 20}></line><rect class="curb" x=${Math.min(Math.max(x(cur) - 44, L - 44), W - 90)} y=${height - 23} width="88" height="20" rx="4"></rect><text
    class="curt" text-anchor="middle" x=${Math.min(Math.max(x(cur), L), W - 46)} y=${height - 9}>${day(cur)}</text>` : nothing}</svg>
  <div class="vlanes">${all.map((l) => html`<h3>${verb(l.verb)}${l.clash ? html` <span class="tag harm">${t('lanes.clash')}</span>` : nothing}</h3><ol>${l.items.map(({f}) => html`<li class=${
    f.state === 'active' ? '' : 'gone'}>${said(stated(f), 80)}<span class="num">${day(f.event_time)} – ${f.state === 'active' ? t('lanes.now') : day(until(f))}</span></li>`)}</ol>`)}</div>
  <div class="rail"><span class="cap" aria-hidden="true">${t('ask.asof')}</span><input class="scrub" id="asof" type="range" aria-label=${t('ask.asof')} min=${Math.floor(s.a / DAY)} max=${Math.floor(s.b / DAY)} step="1"
    .value=${String(Math.floor(cur / DAY))} aria-valuetext=${day(cur)} @input=${(e) => change(+e.target.value >= Math.floor(s.b / DAY) ? null : +e.target.value * DAY)}></div></figure>`;
}
