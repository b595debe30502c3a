import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { get } from '../../../tests/support/rest.ts';
import { type Stack, startStack } from '../../../tests/support/stack.ts';
import { type LoadRun, load, words } from './support/run-load.ts';

// Each profile for 2 or 3 seconds against a real gateway and worker, whose own counts must agree with the report.

const key = 'a-key-for-operators';
let stack: Stack;
let url: string;
let adminUrl: string;

beforeAll(async () => {
  const env = { DEFAULT_AGENT: 'load', ADMIN_PORT: '0', ADMIN_KEY: key };
  stack = await startStack({ redisUrl: inject('redisUrl'), agents: ['workshop/load/agents/load.ts'], env });
  [url = ''] = stack.urls;
  adminUrl = /"adminUrl":"([^"]+)"/.exec(stack.gateways[0]?.output() ?? '')?.[1] ?? '';
});

afterAll(() => stack.stop());

interface Books {
  /** Messages that created a task, by the gateway's metrics. */
  readonly accepted: number;
  /** Tasks in the store. */
  readonly stored: number;
  /** Calls of GetTask, by the gateway's metrics. */
  readonly reads: number;
}

async function books(): Promise<Books> {
  const response = await fetch(`${adminUrl}/metrics`, { headers: { 'x-api-key': key } });
  const metrics = await response.text();
  const counted = (pattern: RegExp): number => Number(pattern.exec(metrics)?.[1] ?? 0);
  const { body } = await get<{ totalSize: number }>(`${url}/tasks?pageSize=1`);
  return {
    accepted: counted(/^switchyard_messages_accepted_total\{agent="load",kind="new-task"\} (\d+)$/m),
    stored: body.totalSize,
    reads: counted(/^switchyard_request_duration_seconds_count\{operation="GetTask",outcome="ok"\} (\d+)$/m),
  };
}

/** A run, and the increase of the gateway's counters. */
async function run(line: string): Promise<LoadRun & { readonly added: Books }> {
  const before = await books();
  const done = await load([...words(line), '--url', url]);
  const after = await books();
  const added = {
    accepted: after.accepted - before.accepted,
    stored: after.stored - before.stored,
    reads: after.reads - before.reads,
  };
  return { ...done, report: done.report, added };
}

const operation = ({ report }: LoadRun, name: string) => report.operations.find((one) => one.name === name);

describe.each([
  'steady --rate 60 --duration 2s --warm-up 500ms',
  'steady --rate 60 --duration 2s --warm-up 0ms --mode immediate --binding jsonrpc',
  'steady --rate 40 --duration 2s --warm-up 0ms --mode stream --binding rest --agent load',
  'burst --rate 20 --peak 150 --burst-every 1s --burst-length 300ms --duration 2s --warm-up 300ms',
  'ramp --rate 20 --peak 80 --step 500ms --duration 4s --max-latency 5s --warm-up 0ms',
  'long-streams --connections 20 --rate 50 --duration 2s --text "stream 12 every 100"',
  'polling-herd --rate 25 --duration 2s --text "work 150" --warm-up 300ms',
])('%s', (line) => {
  it('reports the number of tasks that the gateway accepted and stored, all completed', async () => {
    const { code, report, added } = await run(line);
    expect(report.errors).toEqual([]);
    const { accepted, completed } = report.tasks;
    expect(accepted).toBeGreaterThan(10);
    expect(completed).toBe(accepted);
    // A stream that is left at the end of the run may be accepted, and have told its client nothing yet.
    const unseen = added.accepted - accepted - report.warmUpTasks;
    expect(unseen).toBeGreaterThanOrEqual(0);
    expect(unseen).toBeLessThanOrEqual(report.streams?.left ?? 0);
    expect(added.stored).toBe(added.accepted);
    expect([code, report.verdict.passed]).toEqual([0, true]);
  });
});

it('polling-herd polls until its tasks have ended, and gets 304 while nothing changes', async () => {
  const done = await run('polling-herd --rate 10 --duration 2s --text "work 3000" --poll-from 50ms --warm-up 0ms');
  const polls = operation(done, 'GetTask')?.requests ?? 0;
  expect(polls).toBe(done.added.reads);
  const unchanged = operation(done, 'GetTask, unchanged (304)')?.latency?.count ?? 0;
  // One to three polls of a task find a change: the new task, perhaps its work, and its end.
  expect(unchanged).toBeGreaterThan(done.report.tasks.accepted);
  expect(unchanged).toBeLessThanOrEqual(polls - done.report.tasks.accepted);
  expect(operation(done, 'task, until a poll sees its end')?.latency?.p50).toBeGreaterThan(3_000);
  expect(done.report.target.binding).toBe('HTTP+JSON');
});

it('polling-herd polls less often while nothing changes', async () => {
  const { report } = await run('polling-herd --rate 5 --duration 2s --text "work 2000" --poll-from 50ms --warm-up 0ms');
  // At the first interval, 2 s would be 40 polls of each task.
  const polls = report.operations.find(({ name }) => name === 'GetTask')?.requests ?? 0;
  expect(polls / report.tasks.accepted).toBeLessThan(14);
});

it('a ramp that does not reach the limit reports the highest rate', async () => {
  const { report, output } = await run(
    'ramp --rate 10 --peak 40 --step 500ms --duration 5s --max-latency 5s --warm-up 0ms',
  );
  expect(report.ramp?.tried.map(({ rate, held }) => [rate, held])).toEqual([10, 20, 40].map((rate) => [rate, true]));
  expect([report.ramp?.highestThatHeld, report.ramp?.lowestThatDidNot]).toEqual([40, undefined]);
  expect(output).toContain('40/s held');
});

it('long-streams keeps its streams open, and checks the order of all events', async () => {
  const { report } = await run('long-streams --connections 15 --rate 100 --duration 3s --text "stream 10 every 50"');
  const { opened = 0, most, ended, left, checked, holes, doubles, unchecked } = report.streams ?? {};
  // Each stream takes half a second, and is reopened a second later.
  expect(opened).toBeGreaterThanOrEqual(30);
  expect([most, (ended ?? 0) + (left ?? 0)]).toEqual([15, opened]);
  expect(checked).toBe(report.events);
  expect([holes, doubles, unchecked]).toEqual([0, 0, 0]);
});
