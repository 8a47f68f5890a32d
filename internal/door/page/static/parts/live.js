// What happens elsewhere is marked, and shown when somebody wants it: nothing moves under a reader's eyes.
import {API, query, wrote} from '../core.js';

const OWN = 2000; // milliseconds after a write of this page in which a change is taken for its own

export function live(app) {
  app.source?.close();
  const source = app.source = new EventSource(API + '/events' + query(app.scope));
  const heard = (name, f) => source.addEventListener(name, (e) => { f(JSON.parse(e.data)); app.draw(); });
  heard('change', (e) => { if (Date.now() - wrote() > OWN) app.news += e.count || 1; });
  heard('jobs', (e) => { app.jobs = e.jobs; });
  heard('lag', (e) => { app.lag = e.lag; });
  source.addEventListener('error', (e) => { // a broken connection comes back by itself; one that the server ended does not
    if (!e.data) return;
    source.close();
    app.refresh();
  });
}
