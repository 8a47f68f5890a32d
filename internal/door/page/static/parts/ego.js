// Who is around somebody: a small drawing, the same one every time, with its links as a list beside it.
import {html, svg, nothing} from '../vendor/lit-html.js';
import {label, said, t, verb} from '../core.js';
import {stated} from './lanes.js';
import '../words.more.js';

export const MOST = 60; // nodes

// lay places the one in the middle, whoever is linked to it around, and what is linked to those further out.
export function lay(n) {
  const self = n.entity.id, byID = Object.fromEntries([n.entity, ...(n.entities || [])].map((e) => [e.id, e]));
  const nodes = {[self]: {id: self, name: n.entity.name, kind: 'self', kids: []}}, edges = [];
  const link = (f, parent) => {
    const other = f.fact.entity_id === parent ? f.fact.entity_ref : f.fact.entity_id;
    const value = !other || !byID[other], person = f.fact.fact?.type === 'Person';
    const id = value ? 'v:' + (f.fact.fact?.name || f.fact.fact_id) : other;
    if (id === parent) return;
    if (!nodes[id]) {
      if (Object.keys(nodes).length >= MOST) return;
      nodes[id] = {id, name: value ? stated(f) : byID[other].name, kind: value && !person ? 'val' : 'ent', known: !value, kids: [], verb: f.fact.verb};
      nodes[parent].kids.push(id);
    }
    edges.push({a: parent, b: id, verb: f.fact.verb, text: f.text});
  };
  const touches = (f, id) => f.fact?.entity_id === id || f.fact?.entity_ref === id;
  const facts = (n.facts || []).filter((f) => f.fact);
  for (const f of facts) if (touches(f, self) && (f.fact.entity_ref || facts.length < 24)) link(f, self);
  for (const id of [...nodes[self].kids]) for (const f of facts) if (touches(f, id) && !touches(f, self)) link(f, id);
  const weight = (id) => 1 + nodes[id].kids.length * 0.9;
  const place = (id, a0, a1, depth) => {
    const node = nodes[id], total = node.kids.reduce((s, k) => s + weight(k), 0);
    let a = a0;
    node.kids.forEach((k, i) => {
      const w = ((a1 - a0) * weight(k)) / total, mid = a + w / 2, r = depth === 0 ? (node.kids.length > 9 ? 130 + (i % 2) * 52 : 118) : 118 + 92 * depth + (i % 2) * 26;
      nodes[k].x = Math.cos(mid) * r;
      nodes[k].y = Math.sin(mid) * r * 0.86;
      if (depth < 2) place(k, a, a + w, depth + 1);
      a += w;
    });
  };
  Object.assign(nodes[self], {x: 0, y: 0});
  place(self, -Math.PI * 0.95, Math.PI * 1.05, 0);
  return {nodes: Object.values(nodes), edges: edges.map((e) => ({...e, a: nodes[e.a], b: nodes[e.b]}))};
}

export function ego(n, link) {
  const {nodes, edges} = lay(n);
  if (nodes.length < 2) return html`<p class="cap">${t('ego.alone')}</p>`;
  const short = (s, k) => (s.length > k ? s.slice(0, k - 1) + '…' : s);
  const half = (p) => (p.kind === 'val' ? 12 + short(label(p.name), 20).length * 3.4 : p.kind === 'self' ? 40 : 28);
  const x0 = Math.min(...nodes.map((p) => p.x - half(p))) - 6, x1 = Math.max(...nodes.map((p) => p.x + half(p))) + 6;
  const y0 = Math.min(...nodes.map((p) => p.y)) - 42, y1 = Math.max(...nodes.map((p) => p.y)) + 42;
  const drawn = edges.filter((e, i) => edges.findIndex((f) => f.a === e.a && f.b === e.b) === i);
  const node = (p) => {
    const name = label(p.name, 60);
    if (p.kind === 'val') {
      const text = short(name, 20), w = text.length * 6.6 + 14;
      return svg`<g class="val" transform="translate(${p.x} ${p.y})"><title>${name}</title><rect x=${-w / 2} y="-10" width=${w} height="20" rx="4"></rect><text text-anchor="middle" y="4">${text}</text></g>`;
    }
    const self = p.kind === 'self', text = short(name.split(' ')[0], self ? 10 : 9);
    const body = svg`<circle r=${self ? 32 : 25}></circle><text text-anchor="middle" y="4">${text}</text><title>${name}</title>`;
    if (!self && !p.known) return svg`<g class="ent" transform="translate(${p.x} ${p.y})">${body}</g>`;
    return self ? svg`<g class="self">${body}</g>` : svg`<a href=${link(p.id)} class="ent" transform="translate(${p.x} ${p.y})" aria-label=${name}>${body}</a>`;
  };
  const entities = edges.filter((e) => e.b.kind === 'ent');
  return html`<svg class="graph" viewBox="${x0} ${y0} ${x1 - x0} ${y1 - y0}" role="group" aria-label=${t('ego.label', {name: label(n.entity.name, 60)})}>
    ${drawn.map((e) => svg`<line class="e" x1=${e.a.x} y1=${e.a.y} x2=${e.b.x} y2=${e.b.y}></line>`)}
    ${drawn.filter((e) => e.a.kind === 'self' && e.b.kind === 'ent').map((e) => svg`<text class="el" text-anchor="middle" x=${(e.a.x + e.b.x) * 0.53} y=${(e.a.y + e.b.y) * 0.53 + 4}>${short(verb(e.verb), 14)}</text>`)}
    ${nodes.filter((p) => p.kind !== 'self').map(node)}${nodes.filter((p) => p.kind === 'self').map(node)}</svg>
    <div class="legend"><span>○ ${t('ego.known')}</span><span>▭ ${t('ego.value')}</span><span>${t('ego.facts', {n: (n.facts || []).length})}</span></div>
    ${entities.length ? html`<details><summary class="cap">${t('ego.list')}</summary><ul class="plainly">${entities.map((e) => html`<li>${verb(e.verb)} ${e.b.known ? html`<a href=${link(e.b.id)}>${said(e.b.name, 80)}</a>` : said(e.b.name, 80)}</li>`)}</ul></details>` : nothing}`;
}
