import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import { run } from './support/run.ts';

// What an operator is told if SWITCHYARD_OPERATOR_URL is the address of something else, or nothing gets through.

const html =
  (status: number): RequestListener =>
  (_, res) =>
    void res.writeHead(status, { 'content-type': 'text/html' }).end('<html><body>Welcome</body></html>');
const sendJson =
  (status: number, text: string): RequestListener =>
  (_, res) =>
    void res.writeHead(status, { 'content-type': 'application/json' }).end(text);
const redirectTo =
  (location: string): RequestListener =>
  (_, res) =>
    void res.writeHead(302, { location }).end();
const redirect = redirectTo('https://login.example.com/?next=1');
const cut: RequestListener = (_, res) => {
  res.writeHead(200, { 'content-type': 'application/json' });
  res.write('{"agents": [', () => res.destroy());
};
/** Ends, so that a command that reads all of it ends, too. */
const huge =
  (status: number, type: string): RequestListener =>
  (_, res) => {
    res.writeHead(status, { 'content-type': type });
    res.on('error', () => undefined);
    Readable.from(Array.from({ length: 80 }, () => ' '.repeat(2 ** 20))).pipe(res);
  };
const unavailable = JSON.stringify({
  error: { code: 503, status: 'UNAVAILABLE', message: 'Redis does not answer', details: [{ reason: 'UNAVAILABLE' }] },
});

const ofClients = JSON.stringify({
  error: { code: 404, message: 'Nothing is served at this path', details: [{ reason: 'NOT_FOUND', metadata: {} }] },
});

it.each<[what: string, listener: RequestListener, code: number, reason: RegExp, hint: RegExp]>([
  [
    "the clients' port",
    sendJson(404, ofClients),
    1,
    /answered HTTP 404: Nothing is served at this path$/,
    /ADMIN_PORT/,
  ],
  ['a page', html(200), 1, /is no operators' port: it sent text\/html \(HTTP 200 OK\)$/, /ADMIN_PORT/],
  ['a page for 404', html(404), 1, /it sent text\/html \(HTTP 404 Not Found\)$/, /ADMIN_PORT/],
  ['a redirect', redirect, 3, /it sent a redirect to https:\/\/login\.example\.com$/, /ADMIN_PORT/],
  ['a proxy alone', html(503), 3, /answered HTTP 503 Service Unavailable, which is not from a gateway$/, /proxy/],
  ['a gateway without Redis', sendJson(503, unavailable), 3, /^Redis does not answer$/, /Try again .* doctor/],
  ['another API', sendJson(200, '{"hello": 1}'), 1, /does not understand: agents: .* and 2 more$/, /same version/],
  ['its 404', sendJson(404, '{"detail": "no"}'), 1, /answered HTTP 404: Not Found$/, /ADMIN_PORT/],
  ['no answer', sendJson(200, ''), 1, /sent no complete JSON$/, /ADMIN_PORT/],
  ['half an answer', cut, 3, /ended the connection in the middle of its answer$/, /Try again/],
])('says in two lines what is wrong with %s, also in doctor', async (_, listener, code, reason, hint) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const env = { SWITCHYARD_OPERATOR_URL: url, ADMIN_KEY: 'a-key-for-operators' };
  try {
    const ran = await run(['queue'], { env });
    const [, told = '', todo = '', ...more] = ran.err.trimEnd().split('\n');
    expect([ran.code, more]).toEqual([code, []]);
    expect(told.replace(/^Reason: /, '')).toMatch(reason);
    expect(todo).toMatch(hint);
    // It cannot begin: it does not try again for long.
    const begun = performance.now();
    expect((await run(['archive', 'verify'], { env })).code).not.toBe(0);
    expect(performance.now() - begun).toBeLessThan(5_000);
    const doctor = await run(['doctor', '--agent-card', url], { env });
    expect([doctor.code, doctor.err]).toEqual([1, '']);
    expect(doctor.out).toMatch(/^Warning: Agents and queues were not checked: .+\nDo: /m);
  } finally {
    server.close();
  }
});

it.each<[what: string, listener: RequestListener, code: number, reason: RegExp]>([
  ['a page', html(200), 1, /is not JSON\nHint: Give --agent-card/],
  ['an agent that is away', html(503), 3, /answers with HTTP 503\nHint: Try again/],
  ['an endless card', huge(200, 'application/json'), 1, /The answer of http:\S+ is larger than 64 MiB$/],
  ['an endless stream', huge(200, 'text/event-stream, application/json'), 1, /is larger than 64 MiB$/],
  ['an endless refusal', huge(401, 'application/json'), 1, /is larger than 64 MiB$/],
  ['half a card', cut, 3, /The connection ended in the middle of the answer\nHint: Try again in a moment\.$/],
  [
    'a redirect to nowhere',
    redirectTo('http://127.0.0.1:1/'),
    3,
    /redirects to http:\/\/127\.0\.0\.1:1, which does not/,
  ],
])('says what is wrong with %s instead of an agent', async (_, listener, code, reason) => {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  try {
    const { code: exitCode, err } = await run(['task', 'list', '-a', url]);
    expect([exitCode, err.trimEnd()]).toEqual([code, expect.stringMatching(reason)]);
  } finally {
    server.close();
  }
});

it('says that an address is wrong, and which scheme it may have', async () => {
  const server = createServer(html(200)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const [{ err: noTls }, { err: noTlsForAgent }, none] = await Promise.all([
    run(['queue'], { env: { SWITCHYARD_OPERATOR_URL: url, ADMIN_KEY: 'a-key-for-operators' } }),
    run(['task', 'list', '-a', url]),
    run(['queue'], { env: { SWITCHYARD_OPERATOR_URL: 'gateway:4100' } }),
  ]);
  server.close();
  for (const err of [noTls, noTlsForAgent])
    expect(err).toMatch(/^Reason: .*: it does not speak TLS: its address begins with http:\/\/ perhaps$/m);
  expect([none.code, none.err]).toEqual([
    2,
    expect.stringContaining('SWITCHYARD_OPERATOR_URL is no address: gateway:4100\nHint: It is that of an operators'),
  ]);
});

it('takes no user name in an address, and prints no password', async () => {
  const addresses = ['http://ada:s3cret@127.0.0.1:1', 'htp:/ada:s3cret@gateway:4100'];
  for (const url of addresses) {
    const { code, err } = await run(['queue'], {
      env: { SWITCHYARD_OPERATOR_URL: url, ADMIN_KEY: 'a-key-for-operators' },
    });
    expect([code, err]).toEqual([2, expect.stringMatching(/^Reason: SWITCHYARD_OPERATOR_URL .*\nHint: /m)]);
    expect(err).not.toContain('s3cret');
  }
  const { err } = await run(['task', 'list', '-a', 'http://ada:s3cret@127.0.0.1:1']);
  expect(err).toMatch(/^Reason: No answer from http:\/\/127\.0\.0\.1:1: an address may have no user name/m);
  expect(err).not.toContain('s3cret');
  const env = { SWITCHYARD_OPERATOR_URL: ' HTTP://127.0.0.1:1/ ', ADMIN_KEY: 'a-key-for-operators' };
  expect((await run(['queue'], { env })).err).toContain("No gateway has its operators' port at HTTP://127.0.0.1:1/: ");
});

it('goes on with what has begun when a proxy answers for a gateway that restarts', async () => {
  const event = (fields: object): string => `data: ${JSON.stringify(fields)}\n\n`;
  const progress = { total: 2, done: 1, problems: [] };
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    if (requests === 2) return html(502)(req, res);
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    res.end(event({ ...progress, nextPageToken: requests === 1 ? 'a' : '', isDone: requests > 1 }));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await run(['archive', 'verify'], { env: { SWITCHYARD_OPERATOR_URL: url, ADMIN_KEY: 'a-key-for-operators' } });
  server.close();
  expect(requests).toBe(3);
});
