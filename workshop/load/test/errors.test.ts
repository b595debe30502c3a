import type { ServerResponse } from 'node:http';
import { freePort } from '@switchyard/local';
import { expect, it } from 'vitest';
import { completed, refused, startOddAgent, stream } from './support/odd-agent.ts';
import { load, words } from './support/run-load.ts';

it('every error is counted by its kind, and too many cause exit code 1', async () => {
  const made = {
    'HTTP 503': 0,
    'JSON-RPC -32057': 0,
    timeout: 0,
    'unreadable answer': 0,
    'connection closed by the server': 0,
  };
  const oddities: [keyof typeof made, (response: ServerResponse) => unknown][] = [
    ['HTTP 503', (response) => response.writeHead(503, { 'retry-after': '1' }).end('Busy')],
    ['JSON-RPC -32057', (response) => refused(response, -32_057)],
    ['timeout', () => undefined],
    ['unreadable answer', (response) => response.end('Hello')],
    ['connection closed by the server', (response) => response.destroy()],
  ];
  await using agent = await startOddAgent((response, { number }) => {
    const [kind, act] = oddities[number % 10] ?? [];
    if (!kind) return completed(response);
    made[kind]++;
    return act?.(response);
  });
  const args = words(`steady --url ${agent.url} --rate 60 --duration 2s --timeout 1s --warm-up 0ms`);
  const { code, report, output } = await load(args);
  expect(Object.fromEntries(report.errors.map(({ kind, count }) => [kind, count]))).toEqual(made);
  expect(report.requests).toBe(agent.requests);
  expect([report.requests - report.errorCount, code]).toEqual([report.tasks.completed, 1]);
  expect(report.errors.find(({ kind }) => kind === 'HTTP 503')?.example).toBe('Busy');
  // A timeout counts as its full time.
  expect(report.operations[0]?.latency?.max).toBeGreaterThanOrEqual(1_000);
  expect(output).toMatch(/HTTP 503 +\d+ +Busy/);
});

it('fewer errors than allowed leave exit code 0', async () => {
  await using agent = await startOddAgent((response, { number }) =>
    number % 10 === 0 ? refused(response, -32_057) : completed(response),
  );
  const args = words(`steady --url ${agent.url} --rate 60 --duration 1s --warm-up 0ms --max-error-rate`);
  const [strict, lenient] = [await load([...args, '5%']), await load([...args, '15'])];
  expect([strict.code, lenient.code]).toEqual([1, 0]);
  expect(strict.output).toMatch(/FAILED: errors [\d.]+ %, more than 5 %/);
});

it('each request to a server that refuses connections is an error', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}/`;
  await using agent = await startOddAgent(() => undefined, nobody);
  const { code, report } = await load(words(`steady --url ${agent.url} --rate 40 --duration 1s --warm-up 0ms`));
  expect(report.errors).toEqual([{ kind: 'connection refused', count: report.requests, example: expect.any(String) }]);
  expect([code, report.tasks.accepted]).toEqual([1, 0]);
});

it('without an agent card the exit code is 2', async () => {
  const url = `http://127.0.0.1:${await freePort()}`;
  const { code, output } = await load(['steady', '--url', url]);
  expect([code, output]).toEqual([2, expect.stringContaining(`No answer from ${url}`)]);
  expect(output).toContain('ECONNREFUSED');
});

it('a failed task is an error, although it was accepted', async () => {
  await using agent = await startOddAgent((response) => {
    const task = { id: crypto.randomUUID(), status: { state: 'TASK_STATE_FAILED' } };
    response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { task } }));
  });
  const { code, report } = await load(words(`steady --url ${agent.url} --rate 30 --duration 1s --warm-up 0ms`));
  expect(report.tasks).toMatchObject({ accepted: report.requests, completed: 0, failed: report.requests });
  expect([report.errors.map(({ kind }) => kind), code]).toEqual([['task failed'], 1]);
});

it('missing and repeated events of a stream are errors, and so is a stream that ends too early', async () => {
  await using agent = await startOddAgent((response, { number }) => {
    if (number === 1) return stream(response, [1, 2, 4, 4, 5]);
    if (number === 2) return stream(response, [3, 4, 5], 'TASK_STATE_WORKING');
    return stream(response, [7, 8, 9]);
  });
  const { code, report } = await load(
    words(`long-streams --url ${agent.url} --connections 5 --rate 50 --duration 700ms --settle 0ms`),
  );
  expect(report.streams).toMatchObject({ opened: 5, holes: 1, doubles: 1, checked: 3 + 3 + 3 * 3 });
  expect(Object.fromEntries(report.errors.map(({ kind, count }) => [kind, count]))).toEqual({
    'hole in the events of a stream': 1,
    'event twice on a stream': 1,
    'stream ended before its task': 1,
  });
  expect(code).toBe(1);
});

it('a stream that breaks in the middle is an error', async () => {
  await using agent = await startOddAgent((response) => {
    response.setHeader('content-type', 'text/event-stream');
    response.write(
      'id: 1\ndata: {"jsonrpc":"2.0","id":1,"result":{"task":{"id":"t","status":{"state":"TASK_STATE_WORKING"}}}}\n\n',
    );
    setTimeout(() => response.destroy(), 20);
  });
  const line = `long-streams --url ${agent.url} --connections 3 --rate 50 --duration 700ms --settle 0ms`;
  const { report } = await load(words(line));
  expect(report.errors).toMatchObject([{ kind: 'connection closed by the server', count: 3 }]);
});
