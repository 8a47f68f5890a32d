// What Ask shows before there is a question: a hint, or three ways to fill an empty memory.
import {html, nothing} from '../vendor/lit-html.js';
import {t} from '../core.js';
import '../words.more.js';

export function doors(app) {
  const none = app.counts.stats && app.counts.stats.total === 0;
  if (!none) return html`<div class="state hint"><p class="big">${t('ask.start')}</p><p>${t('ask.start.help')}</p></div>`;
  const line = 'claude mcp add trilith -- trilith mcp';
  return html`<div class="state doors"><p class="big">${t('doors.title')}</p><ol>
    ${app.can('writer') ? html`<li><b>${t('doors.import')}</b><p>${t('doors.import.help')} <a href=${app.link('import')}>${t('nav.import')}</a></p></li>` : nothing}
    <li><b>${t('doors.agent')}</b><p><code>${line}</code> <button class="btn" @click=${() => app.copy(line)}>${t('act.copy')}</button></p></li>
    <li><b>${t('doors.demo')}</b><p><code>trilith demo --ui</code></p></li></ol></div>`;
}
