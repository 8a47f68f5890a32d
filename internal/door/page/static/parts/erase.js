// What takes memories out of the program: erasing them for ever, and handing them over as a file.
import {html} from '../vendor/lit-html.js';
import {post, t} from '../core.js';
import '../words.more.js';

// erase asks for the number of its dry run, and shows the receipt.
export async function erase(app, request, then) {
  try {
    const dry = await post('/admin/erase', {...app.scope, ...request, dry_run: true});
    const n = String(dry.memories);
    app.ask({title: t('erase.title'), label: t('act.erase.do'), bad: true,
      body: () => html`<p>${t('erase.what', {n: dry.memories, facts: dry.facts || 0, sources: dry.sources || 0})}</p>
        <p class="cap">${t('erase.never')}</p>
        <label class="field">${t('erase.type', {number: n})}<input name="n" inputmode="numeric" autocomplete="off" required></label>
        <label class="field">${t('erase.reason')}<input name="reason" maxlength="200"></label>`,
      act: async (form) => {
        if (form.n.trim() !== n) throw new Error(t('erase.mismatch', {number: n}));
        const r = await post('/admin/erase', {...app.scope, ...request, ...(form.reason ? {reason: form.reason} : {})});
        queueMicrotask(() => receipt(app, r, then));
      }});
  } catch (p) { app.fail(p); }
}

function receipt(app, r, then) {
  const rows = ['memories', 'facts', 'texts', 'vectors', 'sources', 'entities', 'shares', 'recalls', 'tombstones'];
  app.ask({title: t('erase.receipt'), body: () => html`<table class="plain"><tbody>${rows.filter((k) => r[k]).map((k) =>
    html`<tr><th scope="row">${t('receipt.' + k)}</th><td class="num">${r[k]}</td></tr>`)}</tbody></table>
    <p class="cap mono">${r.id}</p>`});
  then?.();
}

// save hands a text to the browser as a file.
export function save(name, text) {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([text], {type: 'application/json'}));
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
