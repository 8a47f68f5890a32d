// The journeys of the page: what people come for, from the first click to the end.
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {after, test} from 'node:test';
import {closeAll, demo, open, serve, settled, start, text, violations} from './browser.mjs';

after(closeAll);
const Q = '/ui/ask#q=Where+is+Mara+going+in+autumn%3F';
const click = (page, name, role = 'button') => page.getByRole(role, {name}).first().click();

async function ana(server) { // a person whose facts change
  let id;
  for (const [content, timestamp] of [['I live in Bergen. I prefer tea.', '2024-03-02'], ['I moved to Oslo. I love hiking.', '2025-01-10'], ['I moved to Trondheim last week.', '2025-09-29']]) {
    id = (await server.api('POST', '/graph/assimilate', {identifier: {type: 'email', value: 'ana@example.com'}, content, timestamp: timestamp + 'T00:00:00Z'})).entity.id;
  }
  return id;
}

test('1 first run: the example is there, a question is answered, its line in the prompt lights up', async () => {
  const server = await demo();
  const {page, problems} = await open(server, '/ui/');
  await page.keyboard.press('/');
  await page.keyboard.type('Where is Mara going in autumn?');
  await page.keyboard.press('Enter');
  await page.locator('.hit').first().waitFor();
  await settled(page);
  assert.match(page.url(), /\/ui\/ask.*#q=Where/);
  assert.ok(await page.locator('.hit').count() >= 3);
  await page.locator('.hit .open').nth(1).click();
  await page.locator('.hit').nth(1).locator('table').waitFor();
  assert.ok(await page.locator('svg .seg').count() >= 3, 'the budget has a segment for each part');
  await page.locator('.block .ln.link').first().hover();
  await page.locator('.hit.on').first().waitFor();
  assert.match(await page.locator('.block .ln.link').first().getAttribute('title'), /\d+ tokens/);
  const words = (await page.locator('.hit').nth(1).locator('.stored').nth(1).innerText()).slice(0, 30);
  assert.ok((await page.locator('.block .ln.on').allInnerTexts()).join(' ').includes(words), 'the line of the opened hit is marked');
  const sum = await page.locator('.hit').nth(1).locator('tbody td:last-child').allInnerTexts();
  const total = +(await page.locator('.hit').nth(1).locator('tfoot td:last-child').innerText());
  assert.ok(Math.abs(sum.reduce((a, b) => a + +b, 0) - total) < 0.003, 'the parts add up to the score');
  await page.goBack();
  assert.deepEqual(problems, []);
  await server.stop();
});

test('2 why not this one: a memory that was left out says what removed it', async () => {
  const server = await demo();
  const {page, problems} = await open(server, Q);
  await page.locator('.hit').first().waitFor();
  await settled(page);
  const href = await page.locator('.droprow a').first().getAttribute('href');
  await page.locator('body').press('w');
  await page.locator('input[name=why]').fill(href.split('/').pop());
  await page.keyboard.press('Enter');
  await page.locator('.verdict').waitFor();
  assert.match(await text(page, '.verdict'), /others are better|too weak|too unlike/);
  assert.deepEqual(problems, []);
  await server.stop();
});

test('3 a fact is corrected, the lanes change, Ask agrees, and it is undone', async () => {
  const server = await serve();
  const id = await ana(server);
  const {page, problems} = await open(server, '/ui/entities/' + id);
  await page.locator('.fct', {hasText: 'Trondheim'}).getByRole('button', {name: 'change'}).click();
  await click(page, 'Correct…');
  await page.locator('textarea[name=text]').fill('I live in Tromsø.');
  await page.locator('dialog .btn.pri').click();
  await page.locator('.toast').waitFor();
  await page.locator('.tl', {hasText: 'Tromsø'}).waitFor();
  const other = await open(server, '/ui/ask#q=' + encodeURIComponent('Where does Ana live?'), {context: page.context()});
  await other.page.locator('.hit', {hasText: 'Tromsø'}).first().waitFor();
  await click(page, 'Undo');
  await page.locator('.toast', {hasText: 'Undone'}).waitFor();
  await settled(page);
  const facts = await server.api('GET', '/graph/entities/lookup?type=email&value=ana%40example.com');
  assert.deepEqual(facts.facts.filter((f) => f.fact.verb === 'lives_in').map((f) => f.fact.fact.name), ['Trondheim']);
  assert.deepEqual([...problems, ...other.problems], []);
  await server.stop();
});

test('4 the rail of time shows what REST says for that day', async () => {
  const server = await serve();
  const id = await ana(server);
  const {page, problems} = await open(server, '/ui/entities/' + id + '?as_of=2025-02-20');
  await page.locator('.fct').first().waitFor();
  const shown = (await page.locator('.fct .vl').allInnerTexts()).sort();
  const rest = await server.api('POST', '/search', {query: 'Ana', k: 50, as_of: '2025-02-20T00:00:00Z', states: ['active', 'superseded', 'expired'], filter: {kind: 'fact'}});
  const said = rest.hits.map((h) => h.memory.fact.fact.name).sort();
  assert.deepEqual(shown, said);
  await page.locator('#asof').focus();
  await page.keyboard.press('Home');
  await page.waitForFunction(() => !location.search.includes('2025-02-20'));
  await click(page, 'Back to now');
  assert.ok((await page.locator('.fct .vl').allInnerTexts()).includes('Trondheim'));
  assert.deepEqual(problems, []);
  await server.stop();
});

test('5 an inbox is emptied by keyboard alone', async () => {
  const server = await serve();
  const n = 30;
  for (let i = 0; i < n; i++) {
    await server.api('POST', '/memories', {user: 'u' + i, session: 's' + i, extract: 'rules', wait: 'extracted',
      messages: [{role: 'user', content: 'I live in Lund.', timestamp: '2025-03-01T10:00:00Z'}]});
  }
  for (const f of (await server.api('POST', '/facts/search', {limit: 100})).items) await server.api('POST', '/facts/' + (f.memory || f).id + '?do=verify', {decision: 'dispute'});
  const waiting = (await server.api('GET', '/review?limit=100')).items.length;
  assert.ok(waiting >= n, 'something waits: ' + waiting);
  const {page, problems} = await open(server, '/ui/review');
  await page.locator('.rcase h1').waitFor();
  const body = page.locator('body');
  await body.press('v');
  await page.waitForFunction((k) => document.querySelectorAll('.queue li').length === k, waiting - 1);
  await body.press('z');
  await page.waitForFunction((k) => document.querySelectorAll('.queue li').length === k, waiting);
  await body.press('x');
  await page.waitForFunction((k) => document.querySelectorAll('.queue li').length === k, waiting - 1);
  for (let i = 0; i < waiting - 1; i++) await body.press('Space');
  await body.press('Shift+V');
  await page.locator('dialog').waitFor();
  await page.locator('dialog .btn.pri').press('Enter');
  await page.locator('.state.empty').waitFor({timeout: 20000}).catch(async (e) => { console.log(await text(page), await text(page, 'dialog').catch(() => '')); throw e; });
  assert.equal((await server.api('GET', '/review?limit=100')).items.length, 0);
  assert.deepEqual(problems, []);
  await server.stop();
});

// lasting is an export without its time and the counts of writes.
const lasting = async (server) => (await fetch(server.base + '/api/v1/export').then((r) => r.text())).split('\n').slice(1)
  .map((line) => line.replace(/"version":\d+/g, '')).join('\n');

test('12 what is done on the page is undone on the page, and nothing is left of it', async () => {
  const server = await serve();
  const id = await ana(server);
  const fact = (await server.api('GET', '/memories?' + new URLSearchParams({filter: '{"kind":"fact"}', limit: '100'}))).items.find((m) => m.text.includes('Trondheim'));
  const before = await lasting(server);
  assert.ok(before.includes('Trondheim'));
  const {page, problems} = await open(server, '/ui/memories/' + fact.id);
  const undone = async (act) => {
    await act();
    const undo = page.locator('.toast').getByRole('button', {name: 'Undo', exact: true});
    await undo.waitFor();
    assert.notEqual(await lasting(server), before, 'it has an effect');
    await undo.click();
    await page.locator('.toast', {hasText: 'Undone.'}).waitFor();
    assert.equal(await lasting(server), before);
  };
  await undone(async () => {
    await click(page, 'Correct…');
    await page.locator('dialog textarea').fill("No, it's Gdańsk now");
    await page.locator('dialog .btn.pri').click();
  });
  await undone(async () => {
    await click(page, 'No longer true');
    await page.locator('dialog .btn.pri').click();
  });
  for (const name of ['Never true', 'Not about me', 'Forget']) await undone(() => click(page, name));
  await page.goto(server.base + '/ui/entities/' + id);
  await page.locator('.fct').first().waitFor();
  assert.deepEqual(problems, []);
  await server.stop();
});

test('6 a file is dropped on any screen, looked at, imported, and taken back later', async () => {
  const server = await serve();
  const {page, problems} = await open(server, '/ui/memories');
  const history = [{title: 'Slate', create_time: 1740000000, mapping: {a: {id: 'a', parent: null, children: ['b'], message: null},
    b: {id: 'b', parent: 'a', children: [], message: {id: 'b', author: {role: 'user'}, create_time: 1740000001, content: {content_type: 'text', parts: ['The slate comes from Wales.']}}}}, current_node: 'b', conversation_id: 'c1'}];
  const dropped = await page.evaluateHandle((files) => {
    const d = new DataTransfer();
    for (const [name, text] of files) d.items.add(new File([text], name));
    return d;
  }, [['conversations.json', JSON.stringify(history)], ['<b>strange.bin', '\u0000\u0001']]);
  await page.dispatchEvent('body', 'dragenter', {dataTransfer: dropped});
  await page.dispatchEvent('body', 'drop', {dataTransfer: dropped});
  await page.locator('.figures').waitFor();
  assert.match(page.url(), /\/ui\/import/);
  assert.match(await text(page, '.figures'), /chatgpt[^]*1\s*conversations[^]*1\s*messages[^]*1\s*would be stored/);
  assert.match(await text(page), /<b>strange.bin\s+the format is not recognised/);
  assert.equal((await server.api('GET', '/memories')).items.length, 0, 'a look stores nothing');
  await click(page, 'Import');
  await page.getByRole('link', {name: 'See them'}).waitFor();
  assert.ok((await server.api('GET', '/memories')).items.some((m) => m.text.includes('Wales')));
  await page.goto(server.base + '/ui/import');
  await page.locator('.files li', {hasText: 'conversations.json'}).waitFor();
  await click(page, 'Undo');
  await page.locator('dialog .btn.harm').click();
  await page.locator('.toast').waitFor();
  assert.equal((await server.api('GET', '/memories')).items.length, 0);
  await page.locator('.files li', {hasText: 'taken back'}).waitFor();
  assert.deepEqual(problems, []);
  await server.stop();
});

test('7 forget, undo, erase with a receipt', async () => {
  const server = await serve();
  const {memories: [m]} = await server.api('POST', '/memories', {text: 'The slate is green.'});
  const {page, problems} = await open(server, '/ui/memories/' + m.id);
  await click(page, 'Forget');
  await page.locator('.toast').waitFor();
  assert.equal((await server.api('GET', '/memories/' + m.id)).state, 'retracted');
  await click(page, 'Undo');
  await page.locator('.toast', {hasText: 'Undone'}).waitFor();
  assert.equal((await server.api('GET', '/memories/' + m.id)).state, 'active');
  await click(page, 'Erase…');
  await page.locator('dialog input[name=n]').fill('7');
  await page.locator('dialog .btn.harm').click();
  await page.locator('dialog .error').waitFor();
  await page.locator('dialog input[name=n]').fill('1');
  await page.locator('dialog .btn.harm').click();
  await page.locator('dialog table').waitFor();
  assert.match(await text(page, 'dialog'), /memories\s+1/);
  await assert.rejects(server.api('GET', '/memories/' + m.id), /404/);
  assert.deepEqual(problems, []);
  await server.stop();
});

test('8 signed in, and signed out when the key is revoked elsewhere', async () => {
  const server = await serve();
  const operator = (await server.api('POST', '/admin/keys', {name: 'operator', access: 'admin'})).secret;
  const made = await server.api('POST', '/admin/keys', {name: 'phone', access: 'writer'}, operator);
  await server.api('POST', '/memories', {text: 'The slate is green.'}, operator);
  const {page, context, problems} = await open(server, '/ui/memories');
  await page.locator('dialog.signin').waitFor();
  await page.locator('input[name=key]').fill('trilith_wrong');
  await click(page, 'Sign in');
  await page.locator('dialog .error').waitFor();
  await page.locator('input[name=key]').fill(made.secret);
  await click(page, 'Sign in');
  await page.locator('.mrow').first().waitFor();
  assert.match(await text(page, '.foot'), /phone/);
  const [cookie] = await context.cookies();
  assert.ok(cookie.httpOnly && cookie.sameSite === 'Strict' && !cookie.value.includes(made.secret));
  assert.equal(await page.evaluate(() => document.cookie + JSON.stringify(localStorage)).then((s) => s.includes(made.secret)), false);
  await server.api('DELETE', '/admin/keys/' + made.key.id, undefined, operator);
  await page.locator('body').press('g');
  await page.locator('body').press('e');
  await page.locator('dialog.signin').waitFor();
  assert.deepEqual(problems, []);
  await server.stop();
});

test('9 the first key of an open server signs its maker in', async () => {
  const server = await serve();
  const {page, problems} = await open(server, '/ui/keys');
  await click(page, 'New key');
  await page.locator('dialog input[name=name]').fill('me');
  await click(page, 'Make the key');
  await page.locator('.secret').waitFor();
  assert.match(await text(page, '.secret'), /^trilith_/);
  await click(page, 'Close');
  await page.reload();
  await settled(page);
  assert.match(await text(page, 'table'), /me\s+admin/);
  await assert.rejects(server.api('GET', '/memories'), /401/);
  assert.deepEqual(problems, []);
  await server.stop();
});

test('10 a reader sees nothing that writes', async () => {
  const server = await serve();
  const id = await ana(server), m = (await server.api('GET', '/memories')).items[0].id;
  const operator = (await server.api('POST', '/admin/keys', {name: 'operator', access: 'admin'})).secret;
  const {secret} = await server.api('POST', '/admin/keys', {name: 'guest', access: 'reader'}, operator);
  const first = await open(server, '/ui/ask');
  await first.page.locator('input[name=key]').fill(secret);
  await click(first.page, 'Sign in');
  await first.page.locator('.foot', {hasText: 'guest'}).waitFor();
  for (const path of ['/ui/ask#q=Oslo', '/ui/memories?kind=fact', '/ui/memories/' + m, '/ui/entities', '/ui/entities/' + id, '/ui/review', '/ui/changes', '/ui/recalls']) {
    const {page, problems} = await open(server, path, {context: first.context});
    const change = page.getByRole('button', {name: 'change', exact: true});
    if (await change.count()) await change.first().click();
    const names = await page.locator('main').getByRole('button').allInnerTexts();
    assert.deepEqual(names.filter((n) => /forget|correct|erase|merge|rename|split|verify|reject|dispute|import|undo|restore|tell|new key/i.test(n)), [], path);
    assert.equal(await page.getByRole('link', {name: 'Keys'}).count() + await page.locator('nav').getByRole('link', {name: 'Import'}).count(), 0);
    assert.deepEqual(problems, [], path);
    await page.close();
  }
  await server.stop();
});

test('11 two tenants see their own', async () => {
  const server = await serve();
  await server.api('POST', '/memories', {text: 'The slate is green.'});
  const operator = (await server.api('POST', '/admin/keys', {name: 'operator', access: 'admin'})).secret;
  const {page} = await open(server, '/ui/memories');
  await page.locator('input[name=key]').fill(operator);
  await click(page, 'Sign in');
  await page.locator('.mrow').first().waitFor();
  const {execFileSync} = await import('node:child_process');
  const other = execFileSync(process.env.TRILITH_PROGRAM, ['keys', 'create', '--store', 'sqlite:memory.db', '--tenant', 'acme', '--access', 'admin', 'other'], {cwd: server.home, env: {HOME: server.home, PATH: process.env.PATH}})
    .toString().split('\n')[0];
  const second = await open(server, '/ui/memories');
  await second.page.locator('input[name=key]').fill(other);
  await click(second.page, 'Sign in');
  await second.page.locator('.state.empty').waitFor();
  assert.match(await text(second.page, '.foot'), /acme/);
  await server.stop();
});

test('13 twelve thousand memories: scrolled, filtered and back', async () => {
  const server = await start12k();
  const {page, problems} = await open(server, '/ui/memories?sort=recorded');
  await page.locator('.mrow').first().waitFor();
  await page.evaluate(() => {
    window.long = [];
    new PerformanceObserver((list) => { for (const e of list.getEntries()) window.long.push(Math.round(e.duration)); }).observe({type: 'longtask'});
  });
  const rows = [];
  page.on('response', (r) => { if (/\/memories\?/.test(r.url())) rows.push(r.json().then((p) => p.items.length).catch(() => 0)); });
  await page.locator('window-list').hover();
  for (let i = 0; i < 40; i++) { await page.mouse.wheel(0, 1500); await page.waitForTimeout(30); }
  await settled(page);
  assert.ok(await page.locator('.mrow').count() < 80, 'only rows that can be seen are there');
  assert.deepEqual((await page.evaluate(() => window.long)).filter((ms) => ms > 100), [], 'tasks over 100 ms');
  assert.ok((await Promise.all(rows)).every((n) => n <= 100), 'at most 100 rows a call');
  await page.locator('select').first().selectOption('note');
  await page.locator('.state.empty').waitFor();
  await page.locator('select').first().selectOption('');
  await page.locator('.mrow').first().waitFor();
  assert.deepEqual(problems, []);
  await server.stop();
});

test('15 what happens elsewhere is marked, and shown when it is asked for', async () => {
  const server = await serve();
  await server.api('POST', '/memories', {text: 'The slate is green.'});
  const {page, problems} = await open(server, '/ui/memories');
  await page.locator('.mrow').first().waitFor();
  const rows = await page.locator('.mrow').count();
  await server.api('POST', '/memories', {text: 'The slate is grey.'});
  await page.locator('.news').waitFor();
  assert.equal(await page.locator('.mrow').count(), rows, 'nothing moves by itself');
  await page.locator('body').press('r');
  await page.locator('.mrow', {hasText: 'grey'}).waitFor();
  assert.equal(await page.locator('.news').count(), 0);
  assert.deepEqual(problems, []);
  await server.stop();
});

async function start12k() {
  const server = await start(['serve', '--store', 'sqlite:memory.db', '--embedder', 'none', '--addr', '127.0.0.1:0', '--extract', 'none']);
  for (let i = 0; i < 12; i++) {
    await server.api('POST', '/memories', {session: 's' + i, extract: 'none', messages: Array.from({length: 1000}, (_, k) => ({role: k % 2 ? 'assistant' : 'user', speaker: k % 2 ? 'assistant' : 'Ana',
      content: `Crate ${i * 1000 + k} stands in hall ${k % 17}.`, timestamp: new Date(Date.UTC(2025, 0, 1 + i * 20, 8, 0, k)).toISOString()}))});
  }
  return server;
}

test('14 a server that restarts is waited for, and the page goes on', async () => {
  const home = mkdtempSync(join(tmpdir(), 'trilith-ui-')), port = 20000 + (process.pid % 20000);
  let server = await serve({home, keep: true, addr: '127.0.0.1:' + port});
  await server.api('POST', '/memories', {text: 'The slate is green.'});
  const {page} = await open(server, '/ui/memories');
  await page.locator('.mrow').first().waitFor();
  await server.stop();
  await page.getByRole('link', {name: 'Entities'}).click();
  await page.locator('.banner').waitFor();
  server = await serve({home, keep: true, addr: '127.0.0.1:' + port});
  await page.getByRole('link', {name: 'Memories'}).click();
  await page.locator('.mrow').first().waitFor();
  assert.equal(await page.locator('.banner').count(), 0);
  await server.stop();
  rmSync(home, {recursive: true, force: true});
});

test('16 a project: what is to be done, what it costs, and an alert', async () => {
  const s = await serve();
  const say = (content, timestamp) => s.api('POST', '/memories', {project: 'barn', user: 'ana', extract: 'rules', wait: 'extracted', messages: [{role: 'user', speaker: 'Ana', content, timestamp}]});
  await s.api('POST', '/searches', {name: 'Large sums', project: 'barn', alerts: ['amount'], amount: '5000'});
  await say('The roof budget is 9,000 EUR.', '2026-01-05T09:00:00Z');
  await say('The deadline for the roof is 20 March 2026.', '2026-01-06T09:00:00Z');
  await say('Kessler sent invoice 12 for the roof: 6,400 EUR.', '2026-02-02T09:00:00Z');
  const {page, problems} = await open(s, '/ui/projects', {at: '2026-02-10T12:00:00Z'});
  await page.locator('.erow', {hasText: 'barn'}).click();
  await page.locator('.trow').first().waitFor();
  await settled(page);
  assert.match(await text(page), /20 Mar 2026[^]*roof[^]*9,000\.00[^]*6,400\.00/);
  assert.deepEqual(await violations(page), []);
  await page.goto(s.base + '/ui/alerts?project=barn');
  await page.locator('.chg', {hasText: 'large amount'}).first().waitFor();
  const before = await page.locator('.chg').count();
  await page.getByRole('button', {name: 'Seen'}).first().click();
  await settled(page);
  assert.equal(await page.locator('.chg').count(), before - 1);
  assert.deepEqual(await violations(page), []);
  assert.deepEqual(problems, []);
  await page.context().close();
  await s.stop();
});

test('17 wherever a fact is shown, it says whether it holds; an empty inbox says what comes there', async () => {
  const server = await serve();
  const {page, problems} = await open(server, '/ui/review');
  await page.locator('.state.empty').waitFor();
  assert.match(await text(page, '.state.empty'), /doubts come here and wait for your decision/);
  const say = (content, day) => server.api('POST', '/memories', {user: 'u', session: day, extract: 'rules', wait: 'extracted', messages: [{role: 'user', speaker: 'Ann Lund', content, timestamp: day + 'T10:00:00Z'}]});
  await say('I live in Lund.', '2025-03-01');
  await say('I live in Oslo.', '2025-04-01');
  const facts = (await server.api('POST', '/facts/search', {active_only: false})).items.map((f) => f.memory);
  const lund = facts.find((f) => f.text.includes('Lund lives in Lund')), oslo = facts.find((f) => f.text.includes('Oslo'));
  assert.equal(lund.state, 'superseded');
  await server.api('POST', '/facts/' + oslo.id + '?do=verify', {decision: 'dispute'});
  for (const path of ['/ui/review', '/ui/memories?kind=fact', '/ui/memories/' + oslo.id, '/ui/entities/' + oslo.fact.entity_id, '/ui/changes', '/ui/ask#q=Where+does+Ann+Lund+live', '/ui/me']) {
    await page.goto('about:blank');
    await page.goto(server.base + path);
    await page.locator('main .tag.past', {hasText: 'disputed'}).first().waitFor({timeout: 8000}).catch(async () => assert.fail(path + ' shows no doubt: ' + (await text(page, 'body')).slice(0, 600)));
  }
  for (const path of ['/ui/memories?kind=fact&state=superseded', '/ui/memories/' + lund.id, '/ui/entities/' + oslo.fact.entity_id]) {
    await page.goto(server.base + path);
    await page.locator('main .tag.past', {hasText: 'until'}).first().waitFor({timeout: 8000}).catch(async () => assert.fail(path + ' does not say until when: ' + (await text(page, 'body')).slice(0, 600)));
  }
  assert.deepEqual(problems, []);
  await server.stop();
});
