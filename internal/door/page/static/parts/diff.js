// What changed between two wordings, word by word.
import {html} from '../vendor/lit-html.js';
import {said} from '../core.js';

const MOST = 400; // words; longer texts are shown as a whole

// changes returns runs of words: kept, gone (del) or new (ins). It looks for the longest common sequence.
export function changes(before, after) {
  const a = before.split(/(\s+)/), b = after.split(/(\s+)/);
  if (a.length > MOST || b.length > MOST) return [['del', before], ['ins', after]];
  const n = Array.from({length: a.length + 1}, () => new Uint16Array(b.length + 1));
  for (let i = a.length - 1; i >= 0; i--) {
    for (let j = b.length - 1; j >= 0; j--) n[i][j] = a[i] === b[j] ? n[i + 1][j + 1] + 1 : Math.max(n[i + 1][j], n[i][j + 1]);
  }
  const out = [];
  const add = (kind, word) => { if (out.at(-1)?.[0] === kind) out.at(-1)[1] += word; else out.push([kind, word]); };
  let i = 0, j = 0;
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) { add('', a[i++]); j++; }
    else if (i < a.length && (j === b.length || n[i + 1][j] >= n[i][j + 1])) add('del', a[i++]);
    else add('ins', b[j++]);
  }
  return out;
}

export const diff = (before, after) => html`<div class="diff said">${changes(before, after).map(([kind, words]) =>
  kind === 'del' ? html`<del>${said(words, 2000)}</del>` : kind === 'ins' ? html`<ins>${said(words, 2000)}</ins>` : said(words, 2000))}</div>`;
