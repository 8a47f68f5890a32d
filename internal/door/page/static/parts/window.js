// A list that holds only the rows that can be seen: its length costs nothing.
import {render} from '../vendor/lit-html.js';

const AROUND = 6; // rows beyond either edge

class WindowList extends HTMLElement {
  // show takes the items, the height of a row, how to draw one, and what to call when the end is near.
  set data(d) {
    this.d = d;
    this.update();
  }
  connectedCallback() {
    this.tabIndex = 0;
    this.canvas = document.createElement('div');
    this.canvas.className = 'canvas';
    this.append(this.canvas);
    this.rows = new Map();
    this.addEventListener('scroll', () => { this.frame ??= requestAnimationFrame(() => { this.frame = null; this.update(); }); }, {passive: true});
    this.watch = new ResizeObserver(() => this.update());
    this.watch.observe(this);
    this.update();
  }
  disconnectedCallback() { this.watch.disconnect(); }
  update() {
    if (!this.canvas || !this.d) return;
    const {items, height, row, more} = this.d;
    this.canvas.style.height = items.length * height + 'px';
    const first = Math.max(0, Math.floor(this.scrollTop / height) - AROUND);
    const last = Math.min(items.length, Math.ceil((this.scrollTop + this.clientHeight) / height) + AROUND);
    for (const [i, el] of this.rows) if (i < first || i >= last) { el.remove(); this.rows.delete(i); }
    for (let i = first; i < last; i++) {
      let el = this.rows.get(i);
      if (!el) {
        el = document.createElement('div');
        el.className = 'row';
        el.style.top = i * height + 'px';
        el.style.height = height + 'px';
        this.rows.set(i, el);
        this.canvas.append(el);
      }
      render(row(items[i], i), el);
    }
    if (last >= items.length - 2 * AROUND) more?.();
  }
  reveal(i) {
    const {height} = this.d, top = i * height;
    if (top < this.scrollTop) this.scrollTop = top;
    else if (top + height > this.scrollTop + this.clientHeight) this.scrollTop = top + height - this.clientHeight;
  }
}
customElements.define('window-list', WindowList);
