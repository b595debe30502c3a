import { expect, test } from 'vitest';
import { diagnose } from '../src/diagnosis.ts';
import type { Finding } from '../src/finding.ts';
import type { TaskDelivery } from '../src/task-deliveries.ts';
import type { TaskFacts } from '../src/task-facts.ts';
import type { Failure } from '../src/task-failures.ts';
import type { TaskRecord } from '../src/task-record.ts';

const nowMs = Date.parse('2026-01-31T12:00:00Z');
const record: TaskRecord = {
  taskId: 'task',
  contextId: 'context',
  agent: 'kitchen',
  tenant: 'acme',
  subject: 'alice',
  state: 'TASK_STATE_SUBMITTED',
  isTerminal: false,
  seq: 1,
  keptEvents: 1,
  messagesAccepted: 1,
  messagesAnswered: 0,
  inbox: 1,
  artifacts: 0,
  webhooks: 0,
  cancelRequested: false,
  epoch: 0,
  openTurn: 0,
  attempts: 0,
  job: 1,
  jobState: 'waiting',
  sweeps: 0,
  dueAt: new Date(nowMs + 5_000).toISOString(),
};
/** A task that waits in the queue of a working agent. */
const queued: TaskFacts = {
  record,
  nowMs,
  sweepAfterMs: 5_000,
  agent: { workers: 2, paused: false, waiting: 10 },
  turn: undefined,
  job: { before: 3, sinceMs: nowMs - 4_000, delayedToMs: undefined },
  share: { waiting: 2, hasOthers: true },
  calls: [],
  failedParts: [],
  budget: {},
  failingWebhooks: [],
};
const interruption = { sinceMs: nowMs - 9_000, endsAtMs: nowMs - 9_000 + 30 * 86_400_000 };
const free = { running: 0, ofTenant: 0, ofKey: 0, nextStartMs: 0 };
const turn = { worker: 'host-1', silentMs: 800, leaseMs: 2_000, sinceMs: nowMs - 60_000 };
const active = { ...record, jobState: 'active', openTurn: 1, epoch: 1, attempts: 1 };
const running: TaskFacts = { ...queued, record: active, turn };
const silent = { ...turn, silentMs: 12_000 };

const webhook: TaskDelivery = {
  configId: 'hook',
  origin: 'https://client.example.com',
  state: 'waiting',
  deliveredSeq: 1,
  attempts: 3,
  nextAt: '2026-01-31T12:00:09Z',
  lastFailure: { at: '2026-01-31T11:59:59Z', status: 503, reason: 'the receiver answered 503' },
};
const failure: Failure = {
  kind: 'threw',
  message: 'TypeError: no dough',
  at: '2026-01-31T12:00:00Z',
  epoch: 3,
  attempt: 2,
  place: { file: 'agent.ts', line: 41, column: 7 },
  worker: 'host-1',
};

function scheduledIn(ms: number): TaskFacts {
  const scheduledFor = new Date(nowMs + ms).toISOString();
  return { ...queued, record: { ...record, job: 0, jobState: 'none', scheduledFor } };
}

const cases: readonly [finding: Finding, facts: TaskFacts, text: string][] = [
  [
    'waits-for-place',
    { ...queued, places: { limits: { running: 5 }, used: { ...free, running: 5 } } },
    'The task waits for a free place of the agent "kitchen": 5 of 5 run; 10 tasks wait.',
  ],
  [
    'waits-for-place',
    { ...queued, places: { limits: { running: 9, runningPerTenant: 5 }, used: { ...free, running: 6, ofTenant: 5 } } },
    'The task waits for a free place of tenant acme: 5 of 5 run; 10 tasks wait.',
  ],
  [
    'waits-for-place',
    { ...queued, places: { limits: { runningPerKey: 1 }, used: { ...free, running: 6, ofKey: 1 }, key: 'red' } },
    'The task waits for a free place of the key "red": 1 of 1 run; 10 tasks wait.',
  ],
  [
    'waits-for-place',
    { ...queued, places: { limits: { startsPerMinute: 6 }, used: { ...free, nextStartMs: nowMs + 5_000 } } },
    'The task waits for its start: "kitchen" begins 6 attempts a minute; 10 tasks wait.',
  ],
  [
    'queued',
    { ...queued, places: { limits: { running: 5, runningPerKey: 1 }, used: { ...free, running: 4, ofKey: 3 } } },
    '3 tasks are ahead of this one in the queue of "kitchen"; 10 tasks wait.',
  ],
  ['queued', queued, '3 tasks are ahead of this one in the queue of "kitchen"; 10 tasks wait.'],
  [
    'queued',
    { ...queued, job: { ...queued.job, before: 0 } },
    'The task is next in the queue of "kitchen"; 10 tasks wait.',
  ],
  [
    'tenant-over-share',
    { ...queued, share: { waiting: 9, hasOthers: true } },
    'Tenant "acme" has 9 of 10 tasks that wait for "kitchen", which alternate with those of other tenants: ' +
      '3 tasks are ahead of this one.',
  ],
  [
    'queued',
    { ...queued, share: { waiting: 10, hasOthers: false } },
    '3 tasks are ahead of this one in the queue of "kitchen"; 10 tasks wait.',
  ],
  ['agent-unknown', { ...queued, agent: undefined }, 'No worker has ever announced the agent "kitchen".'],
  [
    'no-worker',
    { ...queued, agent: { workers: 0, paused: false, waiting: 1 } },
    'No live worker runs "kitchen"; 1 task waits.',
  ],
  [
    'agent-paused',
    { ...queued, agent: { workers: 0, paused: true, waiting: 3 } },
    'The agent "kitchen" is paused; 3 tasks wait.',
  ],
  ['running', running, 'Worker host-1 runs the task.'],
  [
    'running',
    { ...running, turn: { ...turn, waitsFor: { for: 'limit', text: 'api.example/large' } } },
    'Worker host-1 runs the task. It waits for room of the limit "api.example/large".',
  ],
  [
    'running',
    { ...running, record: { ...active, attempts: 2, reason: { kind: 'threw', message: 'The oven is cold.' } } },
    'Worker host-1 runs the task. The attempt before has failed: The oven is cold.',
  ],
  [
    'remote-unreachable',
    { ...running, turn: { ...turn, waitsFor: { for: 'remote-agent', text: 'it failed (HTTP 500)' } } },
    'Worker host-1 cannot reach the remote agent, and tries again every few seconds: it failed (HTTP 500).',
  ],
  ['running', { ...running, agent: { workers: 2, paused: true, waiting: 0 } }, 'Worker host-1 runs the task.'],
  ['running', { ...running, turn: { ...turn, silentMs: undefined } }, 'Worker host-1 runs the task.'],
  [
    'worker-frozen',
    { ...running, turn: silent, agent: { workers: 0, paused: false, waiting: 0 } },
    'Worker host-1 runs the task. The worker has not answered for 12 s: it is frozen, or its connection is lost. ' +
      'Another worker may take the task over in 2 s.',
  ],
  [
    'worker-frozen',
    { ...running, turn: { ...silent, silentMs: 400_000, leaseMs: 0 } },
    'Worker host-1 runs the task. The worker has not answered for 7 min: it is frozen, or its connection is lost. ' +
      'Another worker may take the task over now.',
  ],
  [
    'worker-frozen',
    { ...running, turn: { ...turn, silentMs: 4_000, blocked: { taskId: 'task', at: 'agent.ts:41' } } },
    "Worker host-1 runs the task. The worker has not answered for 4 s: the task's own agent blocks it at agent.ts:41. " +
      'Another worker may take the task over in 2 s.',
  ],
  [
    'worker-frozen',
    { ...running, turn: { ...turn, silentMs: 4_000, blocked: { taskId: 'other' } } },
    'Worker host-1 runs the task. The worker has not answered for 4 s: the agent of task other blocks it. ' +
      'Another worker may take the task over in 2 s.',
  ],
  [
    'worker-frozen',
    { ...queued, agent: { workers: 1, silentSince: '2026-01-31T11:59:48Z', paused: false, waiting: 3 } },
    'No worker of "kitchen" has answered since 2026-01-31T11:59:48Z: they are frozen, or were killed; 3 tasks wait.',
  ],
  [
    'worker-dead',
    { ...running, turn: { ...turn, silentMs: undefined, leaseMs: 0 } },
    'Worker host-1, which ran the task, is gone; another worker will take it over.',
  ],
  ['waits-for-call', { ...running, calls: ['a', 'b'] }, 'The turn waits for 2 tasks of another agent.'],
  [
    'suspended',
    { ...queued, record: { ...record, job: 0, waits: [{ event: 'payment', until: '2026-02-03T12:00:00.000Z' }] } },
    'The turn waits for the event "payment" until 2026-02-03T12:00:00.000Z. It holds no worker.',
  ],
  [
    'retry-waits',
    {
      ...queued,
      record: { ...record, jobState: 'delayed', attempts: 2 },
      job: { ...queued.job, delayedToMs: nowMs + 30_000 },
    },
    'Attempt 2 has failed; the next attempt begins in 30 s.',
  ],
  [
    'retry-waits',
    {
      ...queued,
      record: { ...record, jobState: 'delayed', attempts: 2 },
      job: { ...queued.job, delayedToMs: nowMs - 3_000 },
    },
    'Attempt 2 has failed; the next attempt waits for a free worker.',
  ],
  [
    'not-swept',
    { ...queued, record: { ...record, dueAt: new Date(nowMs - 20_000).toISOString() } },
    'No worker sweeps waiting tasks: this task should have been swept 20 s ago.',
  ],
  [
    'job-missing',
    { ...queued, record: { ...record, jobState: 'unknown' } },
    'The queue has no job for the task; the sweeper will add one.',
  ],
  ['starting', { ...queued, record: { ...record, jobState: 'active' } }, 'A worker has just taken the task.'],
  ['scheduled', scheduledIn(60_000), 'The task is scheduled for 2026-01-31T12:01:00.000Z.'],
  [
    'waits-for-input',
    { ...queued, record: { ...record, state: 'TASK_STATE_INPUT_REQUIRED', job: 0 }, interruption },
    'The task waits for an answer of its client to its question. Without an answer it is canceled at 2026-03-02T11:59:51.000Z.',
  ],
  [
    'waits-for-input',
    {
      ...queued,
      record: { ...record, state: 'TASK_STATE_INPUT_REQUIRED', job: 0 },
      budget: { asksAfter: '2.00 USD of 2.00 USD' },
      interruption,
    },
    'The task has spent its budget, 2.00 USD of 2.00 USD, and asks whether it may go on: ' +
      '"yes" lets it spend as much again, "no" ends it. Without an answer it is canceled at 2026-03-02T11:59:51.000Z.',
  ],
  [
    'waits-for-input',
    {
      ...queued,
      record: { ...record, state: 'TASK_STATE_INPUT_REQUIRED', job: 0 },
      failingWebhooks: [webhook],
    },
    'The task waits for an answer of its client to its question. The client may not know of it: a webhook has not ' +
      'received all of its events: the receiver answered 503 (3 tries, the next at 2026-01-31T12:00:09Z).',
  ],
  [
    'waits-for-auth',
    { ...running, record: { ...active, state: 'TASK_STATE_AUTH_REQUIRED' } },
    'The task waits for an authorization by its client.',
  ],
  [
    'cancel-waits',
    { ...running, record: { ...active, cancelRequested: true } },
    'The agent has been told to stop, and worker host-1 waits for it to end the turn.',
  ],
  [
    'worker-frozen',
    { ...running, record: { ...active, cancelRequested: true }, turn: silent },
    'The cancel waits for worker host-1, which has been silent for 12 s; another worker may complete it in 2 s.',
  ],
  [
    'webhook-fails',
    {
      ...queued,
      record: { ...record, state: 'TASK_STATE_COMPLETED', isTerminal: true },
      failingWebhooks: [webhook, webhook],
    },
    'The task has ended, but 2 webhooks have not received all of its events: the receiver answered 503 ' +
      '(3 tries, the next at 2026-01-31T12:00:09Z).',
  ],
  [
    'failed',
    { ...queued, record: { ...record, state: 'TASK_STATE_FAILED', isTerminal: true }, failure },
    'The task failed (threw): TypeError: no dough. At agent.ts:41. It was attempt 2.',
  ],
  [
    'failed',
    {
      ...queued,
      record: { ...record, state: 'TASK_STATE_FAILED', isTerminal: true },
      failure: { ...failure, kind: 'worker-exited', message: 'The agent ended its worker at agent.ts:41.' },
    },
    'The task failed (worker-exited): The agent ended its worker at agent.ts:41. It was attempt 2.',
  ],
  [
    'failed',
    {
      ...queued,
      record: { ...record, state: 'TASK_STATE_REJECTED', isTerminal: true },
      failure: { kind: 'ended-by-agent', message: 'Sold out!', at: '2026-01-31T12:00:00Z', epoch: 1 },
      failingWebhooks: [{ ...webhook, state: 'dead', attempts: 1 }],
    },
    'The agent ended the task: Sold out! Also, a webhook has not received all of its events: the receiver answered 503 ' +
      '(1 try, given up).',
  ],
];

test.each(cases)('diagnoses %s', (finding, facts, text) => {
  const diagnosis = diagnose(facts);
  expect([diagnosis.finding, diagnosis.text]).toEqual([finding, text]);
});

const stuckFindings: readonly Finding[] = ['agent-unknown', 'no-worker', 'agent-paused', 'worker-frozen', 'not-swept'];

test('a task is stuck if it has work to do which nobody does; then the diagnosis has an action', () => {
  for (const [finding, facts] of cases) {
    const { isStuck, actions } = diagnose(facts);
    expect([finding, isStuck]).toEqual([finding, stuckFindings.includes(finding)]);
    expect(actions.some((action) => action !== 'wait') || !isStuck).toBe(true);
  }
});

test('a diagnosis links the called tasks and the worker, and says since when', () => {
  expect(diagnose({ ...running, calls: ['oven'] }).see).toEqual([
    { kind: 'task', id: 'oven' },
    { kind: 'worker', id: 'host-1' },
  ]);
  expect(diagnose(running).since).toBe('2026-01-31T11:59:00.000Z');
});

test('a scheduled task that no worker begins is stuck', () => {
  const { isStuck, text, actions } = diagnose(scheduledIn(-30_000));
  expect([isStuck, text]).toEqual([true, expect.stringContaining('2026-01-31T11:59:30.000Z')]);
  expect(text).toContain('30 s');
  expect(actions).toEqual(['start-worker', 'cancel']);
});

test('a task that failed after a call had failed: the call, and its task, are named besides', () => {
  const said: Failure = { kind: 'ended-by-agent', message: 'No pizza today.', at: '2026-01-31T12:00:00Z', epoch: 1 };
  const call: Failure = {
    ...said,
    kind: 'call-failed',
    of: 'call',
    name: 'oven',
    message: 'The call of "oven" failed',
  };
  const state = { state: 'TASK_STATE_FAILED', isTerminal: true } as const;
  const facts: TaskFacts = { ...queued, record: { ...record, ...state }, failure: said };
  expect(diagnose({ ...facts, failedParts: [{ ...call, calledTask: 'task-2' }] })).toMatchObject({
    see: [{ kind: 'task', id: 'task-2' }],
    before: [{ message: 'The call of "oven" failed', calledTask: 'task-2' }],
  });
  // An error that the agent did not catch is that of the call and of the attempt.
  const uncaught: Failure = { ...said, kind: 'call-failed', message: call.message, calledTask: 'task-2' };
  const diagnosis = diagnose({ ...facts, failure: uncaught, failedParts: [call] });
  expect(diagnosis.see).toEqual([{ kind: 'task', id: 'task-2' }]);
  expect(diagnosis).not.toHaveProperty('before');
});

/** Of an attempt that failed for good. */
function adviceOn(kind: Failure['kind'], error: Partial<Failure['error']>, place?: Failure['place']) {
  const thrown = { type: 'AgentError', message: 'No.', ...error };
  const failure: Failure = { kind, message: 'No.', at: '2026-01-31T12:00:00Z', epoch: 1, error: thrown, place };
  const state = { state: 'TASK_STATE_FAILED', isTerminal: true } as const;
  return diagnose({ ...queued, record: { ...record, ...state }, failure }).advice;
}

const addressRefused = { type: 'AddressRefused', message: 'the URL must begin with https://' };

test.each([
  ['model-refused', { status: 401 }, 'Change the key of the agent for its model (apiKey)'],
  ['model-refused', { status: 403 }, 'Change the key of the agent for its model (apiKey)'],
  ['model-refused', { status: 404 }, "Correct the model's name (model) or the address of its server (baseURL)"],
  ['model-refused', { status: 400 }, 'Change what the agent asks of the model: its server refuses that (400)'],
  ['model-refused', { status: 400, code: 'too-long' }, 'Take a model with a longer context'],
  ['model-refused', { code: 'quota', status: 429 }, 'Add to the quota of the account'],
  ['model-refused', { code: 'cut-off' }, 'Let the model write more'],
  ['model-refused', { code: 'answer-too-long' }, 'Let the agent ask for less'],
  ['model-refused', { code: 'rounds' }, 'Raise maxToolRounds'],
  ['model-refused', {}, 'Change the prompt, or the model'],
  ['remote-refused', { cause: { type: 'RemoteError', message: 'No.', status: 401 } }, 'Change the credentials'],
  ['remote-refused', { cause: { type: 'RemoteError', message: 'No.', status: 404 } }, 'Correct the address'],
  ['remote-refused', { cause: { type: 'RemoteError', message: 'No.', status: 422 } }, 'Change what the remote agent'],
  ['remote-refused', { cause: addressRefused }, 'Allow the address if it may be called: in trustedOrigins'],
  ['remote-refused', { code: 'untrusted-origin' }, 'Allow the address if it may be called: in trustedOrigins'],
  ['remote-refused', { code: 'bad-card' }, 'Let the remote agent serve a card that can be used'],
  ['remote-refused', { code: 'lost' }, 'See why the remote agent has lost its task'],
  ['remote-refused', { code: 'doubt' }, 'See whether the remote agent has done it'],
  ['file-refused', { cause: addressRefused }, 'Allow the address if workers may read it (AGENT_ALLOW_HOSTS'],
  ['file-refused', { status: 403 }, "Let the file's server give the file without a login"],
  ['file-refused', { status: 404 }, 'Put the file where its URL says, or send a new message'],
  ['file-refused', { code: 'not-for-model' }, 'If the model reads such files, add their type to files'],
  ['file-refused', { code: 'over-quota' }, 'Delete files of the client'],
  ['file-refused', { code: 'too-large' }, 'Raise the limit that the message names'],
  ['program-failed', { code: 'not-started' }, 'Correct command, or install the program'],
  ['program-failed', { code: 'limit' }, 'Raise the limit that the message names (timeoutMs'],
  ['program-failed', { code: 'sandbox' }, 'Install a sandbox'],
  ['program-failed', {}, "See the program's output"],
  ['retry-asked', {}, 'See why every attempt had to be repeated'],
  ['retry-asked', { code: 'model-unreachable' }, "See whether the model's server runs"],
  ['retry-asked', { code: 'model-form' }, "Correct the address of the model's server (baseURL)"],
  ['retry-asked', { code: 'remote-unreachable' }, 'See whether the remote agent runs'],
] as const)('what to change first, after %s with %j', (kind, error, advice) => {
  expect(adviceOn(kind, error)).toContain(advice);
});

test("the author's own request that a server refused: the line, and what to change there", () => {
  const place = { file: 'agent.ts', line: 41, column: 7 };
  expect(adviceOn('threw', { cause: { type: 'Error', message: 'No.', status: 401 } }, place)).toBe(
    'Change the credentials that agent.ts:41 sends: a server refuses them (401).',
  );
  expect(adviceOn('retry-asked', { status: 404 }, place)).toContain('Correct the address or the name that agent.ts:41');
  expect(adviceOn('threw', { status: 422 }, place)).toContain('Change the request of agent.ts:41');
  expect(adviceOn('threw', { status: 500 }, place)).toBe('Mend agent.ts:41.');
});

test('a suspended turn whose time has passed is stuck: no worker resumes it', () => {
  const waits = [{ until: '2026-01-31T11:59:00.000Z' }];
  expect(diagnose({ ...queued, record: { ...record, job: 0, waits } })).toMatchObject({
    finding: 'suspended',
    isStuck: true,
    text: 'The turn waits until 2026-01-31T11:59:00.000Z; 60 s later, no worker has resumed it.',
    actions: ['start-worker', 'cancel'],
  });
});
