import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scheduleUri, type Task } from '@switchyard/protocol';
import { expect, test, vi } from 'vitest';
import { SentEvent } from '../../../tests/support/sent-events.ts';
import { beyondLimits, type Confirmed } from '../workload/held-places.ts';
import { machine } from '../workload/lateness.ts';
import { checkScenario, compareSeen, playScenario, wrongTimeToLive } from '../workload/play-scenario.ts';
import { ResilientClient, type Watched } from '../workload/resilient-client.ts';
import { createScenario, limitsOf } from '../workload/scenario.ts';
import { begunThoughRejected, repeatedSteps } from '../workload/violations.ts';

const watched = (...events: [id: string, text: string][]): Watched => ({
  problems: [],
  resumed: 0,
  events: new Map(events.map(([id, text]) => [Number.parseInt(id, 10), new SentEvent(id, text)])),
});
const lost = watched(['1', 'submitted'], ['2-a', 'working at 1'], ['3-a', 'chunk'], ['4-b', 'completed at 1']);

test('a turn that runs again after its events were lost may publish the same again', () => {
  const again = watched(['1', 'submitted'], ['2-c', 'working at 2'], ['3-c', 'chunk'], ['4-d', 'completed at 2']);
  expect(compareSeen(lost, again, true)).toEqual([]);
});

test('a current event after a lost one is a violation, and so is an id with two events', () => {
  const again = watched(['1', 'submitted'], ['2-c', 'working at 2'], ['3-a', 'chunk'], ['4-b', 'failed']);
  expect(compareSeen(lost, again, true).map(({ what }) => what)).toEqual([
    'event 2-a was lost: working at 1',
    'event 4-b was completed at 1',
  ]);
});

test('a step that ran again after a later one is a violation, an interrupted step is not', () => {
  const effect = (taskId: string, step: number) => ({ taskId, attempt: '1', beganMs: 0, step });
  const fine = [
    effect('a', Number.NaN),
    effect('a', 1),
    effect('b', 1),
    effect('a', 2),
    effect('a', 2),
    effect('b', 2),
  ];
  expect(repeatedSteps(fine)).toEqual([]);
  expect(repeatedSteps([...fine, effect('a', 1)])).toEqual([{ kind: 'steps', what: 'a: step 1 ran after step 2' }]);
});

test.each([
  ['at its time', ['01', '10'], 0],
  ['twice', ['01', '10', '11'], 1],
  ['before its time', ['01', '09'], 1],
  ['late on a slow machine', ['01', '41'], 0],
  ['late on a quiet machine', ['01', '41'], 1],
  ['too late on a slow machine', ['01', '02:11'], 1],
  ['never', ['01'], 1],
])('the violations of a scheduled task that began %s', (how, seconds, violations) => {
  vi.spyOn(machine, 'isSlow').mockReturnValue(how.endsWith('slow machine'));
  const at = (time: string): string => `2030-01-01T00:${`00:${time}`.slice(-5)}.000Z`;
  const events = seconds.map((second, i): [string, string] => {
    const status = { state: 'TASK_STATE_SUBMITTED', timestamp: at(second) };
    return [`${i + 1}`, JSON.stringify({ statusUpdate: { taskId: 't', contextId: 'c', status } })];
  });
  const scenario = createScenario('steps', 'a', { size: 1, schedule: { inMs: 1 } });
  const metadata = { [scheduleUri]: { at: at('10') } };
  const task: Task = { id: 't', status: { state: 'TASK_STATE_COMPLETED' }, metadata };
  const found = checkScenario(scenario, task, watched(...events)).filter(({ kind }) => kind === 'schedules');
  expect(found).toHaveLength(violations);
});

const at = (ms: number): string => new Date(ms).toISOString();

test.each<[string, { begunMs?: number; rejectedMs?: number; endsMs?: number }, string?]>([
  ['begun in its time', { begunMs: 1_500 }],
  ['rejected after its time', { rejectedMs: 2_000 }],
  ['begun late', { begunMs: 2_000 }, 'was begun 0 ms too late'],
  ['rejected early', { rejectedMs: 1_999 }, 'was rejected -1 ms after its time'],
  ['rejected late on a slow machine', { rejectedMs: 40_000 }],
  ['rejected late on a quiet machine', { rejectedMs: 40_000 }, 'was rejected 38000 ms after its time'],
  ['rejected much too late on a slow machine', { rejectedMs: 130_000 }, 'was rejected 128000 ms after its time'],
  ['both begun and rejected', { begunMs: 1_500, rejectedMs: 2_000 }, 'was begun and rejected'],
  ['neither', {}, 'was neither begun nor rejected, but is TASK_STATE_COMPLETED'],
  ['rejected with a wrong time', { rejectedMs: 2_000, endsMs: 1_000 }, 'says that its time ended at'],
])(
  'the violations of a message with a time to live that was %s',
  (how, { begunMs, rejectedMs, endsMs = 2_000 }, what) => {
    vi.spyOn(machine, 'isSlow').mockReturnValue(how.endsWith('slow machine'));
    const submitted = { state: 'TASK_STATE_SUBMITTED', timestamp: at(1_000) };
    const statusUpdate = { taskId: 't', contextId: 'c', status: submitted };
    const text = `No worker began to work on this message by ${at(endsMs)}, when its time to live ended: it was rejected.`;
    const message = { messageId: 'm', role: 'ROLE_AGENT' as const, parts: [{ text }] };
    const status =
      rejectedMs === undefined
        ? ({ state: 'TASK_STATE_COMPLETED', timestamp: at(3_000) } as const)
        : ({ state: 'TASK_STATE_REJECTED', timestamp: at(rejectedMs), message } as const);
    const task: Task = { id: 't', status };
    const replayed = watched(['1', JSON.stringify({ statusUpdate })]);
    const found = wrongTimeToLive({ task, replayed, ttlMs: 1_000, begunMs });
    expect(found.map((each) => each.what)).toEqual(what === undefined ? [] : [expect.stringContaining(what)]);
  },
);

test('a task that is rejected without a time to live is a violation, and so is one that an agent began', () => {
  const text = `No worker began to work on this message by ${at(1)}, when its time to live ended: it was rejected.`;
  const message = (role: 'ROLE_USER' | 'ROLE_AGENT', content: string) => {
    return { messageId: content, role, parts: [{ text: content }] };
  };
  const status = { state: 'TASK_STATE_REJECTED', message: message('ROLE_AGENT', text) } as const;
  const scenario = { size: 2, priority: 'high' } as const;
  const { texts } = createScenario('steps', 'a', scenario);
  const history = [message('ROLE_USER', texts[0] ?? ''), message('ROLE_AGENT', text)];
  const kindsOf = (ttlMs?: number): string[] =>
    checkScenario(createScenario('steps', 'a', { ...scenario, ttlMs }), { id: 't', status, history }, watched()).map(
      ({ kind }) => kind,
    );
  expect(kindsOf(5)).toEqual([]);
  expect(kindsOf()).toEqual(expect.arrayContaining(['priorities', 'history', 'usage']));
  const effects = [{ taskId: 't', attempt: '1', beganMs: 0, step: Number.NaN }];
  expect(begunThoughRejected(effects, new Set(['other']))).toEqual([]);
  expect(begunThoughRejected(effects, new Set(['t']))).toMatchObject([{ kind: 'ttl' }]);
});

/** A run that had its place from one time to the other. */
const held = (agent: string, run: string, [fromMs, untilMs]: readonly [number, number], group = '-'): Confirmed[] => [
  { agent, group, run, askedMs: fromMs - 2, knownMs: fromMs },
  { agent, group, run, askedMs: untilMs, knownMs: untilMs + 5_000 },
];

test('turns beyond the limit of an agent or of a key are violations', () => {
  const limited = [...held('limited-agent', 'a', [0, 10]), ...held('limited-agent', 'b', [5, 20])];
  // The third one begins when the first one has made sure of its place for the last time.
  expect(beyondLimits([...limited, ...held('limited-agent', 'c', [10, 30])])).toEqual([]);
  expect(beyondLimits([...limited, ...held('limited-agent', 'c', [9, 30])])).toEqual([
    { kind: 'limits', what: 'limited: 3 turns at a time, at 9' },
  ]);
  const keyed = [...held('keyed-agent', 'a', [0, 10], 'group-0'), ...held('keyed-agent', 'b', [5, 20], 'group-1')];
  expect(beyondLimits([...limited, ...keyed])).toEqual([]);
  expect(beyondLimits([...keyed, ...held('keyed-agent', 'c', [15, 30], 'group-1')])).toEqual([
    { kind: 'limits', what: 'keyed, group-1: 2 turns at a time, at 15' },
  ]);
});

test('starts beyond the rate of an agent are violations', () => {
  const { startsPerMinute, running } = limitsOf.keyed;
  const everyMs = 60_000 / startsPerMinute;
  const starts = (count: number, ms: number): Confirmed[] =>
    Array.from({ length: count }, (_, n) => held('keyed-agent', `${n}`, [n * ms, n * ms], `group-${n}`)).flat();
  expect(beyondLimits(starts(100, everyMs))).toEqual([]);
  const atOnce = 1_000 / everyMs + 1 + running;
  expect(beyondLimits(starts(atOnce, 0))).toEqual([]);
  expect(beyondLimits(starts(atOnce + 1, 0))).toHaveLength(1);
  expect(beyondLimits(starts(100, everyMs * 0.8)).length).toBeGreaterThan(0);
});

test.each(['events', 'callback'] as const)(
  'an event that is refused after a fail-over was taken, if its task has ended (%s)',
  async (kind) => {
    const scenario = createScenario(kind, 'a', { size: 1, watches: 'not' });
    const { history, state } = scenario.expected;
    const task = {
      id: 't',
      contextId: 'c',
      metadata: { callback: 'http://gateways.test/callbacks/t/token' },
      status: { state, timestamp: new Date(Date.now() - 60_000).toISOString() },
      history: history.map((line, n) => {
        const [role = '', text] = line.split(': ');
        return { messageId: `${n}`, role: `ROLE_${role.toUpperCase()}`, parts: [{ text }] };
      }),
    };
    const answers: Readonly<Record<string, [status: number, text: string]>> = {
      '/message:send': [200, JSON.stringify({ task })],
      '/tasks/t': [200, JSON.stringify(task)],
      '/tasks/t:subscribe': [200, `id: 5\ndata: ${JSON.stringify({ task })}\n\n`],
    };
    const gateway = createServer(({ url = '' }, response) => {
      const [status, text] = answers[url] ?? [404, '{}'];
      response.writeHead(status).end(text);
    }).listen(0, '127.0.0.1');
    await once(gateway, 'listening');
    const { port } = gateway.address() as AddressInfo;
    const client = new ResilientClient({ urls: [`http://127.0.0.1:${port}`] }, 0);
    const { violations } = await playScenario(client, scenario, { mayLoseEvents: true });
    expect(violations.filter((one) => one.kind === 'waits')).toEqual([]);
    gateway.close();
  },
);
