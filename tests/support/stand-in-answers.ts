import type {
  AgentReading,
  ArchiveCheckProgress,
  Conversation,
  ConversationRow,
  DeadLetter,
  Failure,
  LogLevel,
  Me,
  Overview,
  ScheduleReading,
  Series,
  StartedTask,
  TaskDetail,
  TaskRow,
  TenantExportProgress,
  Timeline,
  WaitingTask,
  WorkerReading,
} from '@switchyard/operator-api';
import type { StreamResponse, Task, TaskState } from '@switchyard/protocol';

/** The current time of the stand-in: everything is earlier. */
const standInNow = Date.parse('2026-06-01T12:00:00Z');
const ago = (seconds: number): string => new Date(standInNow - 1000 * seconds).toISOString();
const uuid = (n: number): string => `00000000-0000-4000-8000-${n.toString(16).padStart(12, '0')}`;
/** An element of a list, in turn. */
const nth = <T>(list: readonly [T, ...T[]], n: number): T => list[n % list.length] ?? list[0];

const agentIds = ['coder', 'kitchen', 'pizza', 'researcher', 'reviewer', 'translator'] as const;
const states: readonly [TaskState, ...TaskState[]] = [
  'TASK_STATE_WORKING',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_FAILED',
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_CANCELED',
];
const words: readonly [string, ...string[]] = [
  'A Hawaiian pizza to Main Street 5, please',
  'Refactor the parser and keep its tests green',
  'Translate the contract into Portuguese',
  'What changed between the two releases?',
  'Review pull request 218: does it leak a connection?',
];

export const me: Me = { name: 'operator', may: 'all', canTry: true, version: '0.1.0' };

const levels = (normal: number, { high = 0, low = 0 } = {}) => ({ first: 0, high, normal, low });

export const agents: readonly AgentReading[] = agentIds.map((id, n) => ({
  id,
  workers: id === 'kitchen' ? 0 : 1 + (n % 3),
  frozenTurns: id === 'reviewer' ? 1 : 0,
  paused: id === 'researcher',
  waiting: nth([0, 3, 12, 240, 1, 0], n),
  active: nth([4, 0, 2, 0, 1, 0], n),
  delayed: nth([0, 0, 1, 0, 0, 0], n),
  levels: nth(
    [levels(0), levels(3), levels(9, { high: 2, low: 1 }), levels(200, { low: 40 }), levels(1), levels(0)],
    n,
  ),
  tenants: nth([0, 1, 3, 5, 1, 0], n),
  longestTenant: nth([0, 3, 6, 130, 1, 0], n),
  oldestWaitMs: nth([0, 192_000, 4_200, 860_000, 300, 0], n),
  beganPerSecond: nth([12.4, 0, 3.1, 0, 0.6, 0], n),
  name: id[0]?.toUpperCase() + id.slice(1),
  version: '1.2.0',
  card: {
    name: id[0]?.toUpperCase() + id.slice(1),
    description: `The ${id} of the stand-in`,
    version: '1.2.0',
    capabilities: { streaming: true },
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [{ id: 'work', name: 'Work', description: 'Does what it is asked', tags: ['sample'] }],
  },
}));

export const overview: Overview = {
  waiting: 256,
  delayed: 1,
  active: 7,
  oldestWaitMs: 860_000,
  stuck: 244,
  interrupted: 5,
  deadLetters: { turn: 240, webhook: 80 },
  scheduled: 4,
  agents: 6,
  workers: { live: 2, silent: 1 },
  troubles: [
    {
      agent: 'reviewer',
      name: 'Reviewer',
      kind: 'worker-silent',
      waiting: 1,
      frozenTurns: 1,
      oldestWaitMs: 300,
    },
    { agent: 'kitchen', name: 'Kitchen', kind: 'no-worker', waiting: 3, frozenTurns: 0, oldestWaitMs: 192_000 },
    { agent: 'researcher', name: 'Researcher', kind: 'paused', waiting: 240, frozenTurns: 0, oldestWaitMs: 860_000 },
  ],
  troubledAgents: 3,
  failures: {
    total: 63,
    counted: 63,
    reasons: [
      { reason: 'The model is overloaded', kind: 'threw', count: 41, agents: ['coder', 'researcher'], taskId: uuid(5) },
      { reason: 'The worker died', kind: 'worker-lost', count: 18, agents: ['pizza'], taskId: uuid(13) },
      { reason: 'Rejected by its agent', count: 4, agents: ['translator'], taskId: uuid(21) },
    ],
  },
  longestInterrupted: [
    { taskId: uuid(4), agent: 'reviewer', since: ago(86_000) },
    { taskId: uuid(12), agent: 'coder', since: ago(7_200) },
  ],
  limits: [
    { limit: 'memory', setting: 'maxmemory', of: 'Redis at redis:6379', used: 1_700_000_000, max: 2_000_000_000 },
  ],
  kept: { wantedMs: 604_800_000, keptMs: 10_800_000 },
};

export const files = {
  place: '/var/lib/switchyard/files',
  isEncrypted: true,
  stored: { count: 1_234, bytes: 34_000_000, at: '2026-11-29T12:00:00.000Z' },
  volume: { used: 430_000_000_000, max: 1_000_000_000_000 },
};

export const tenants = ['acme', 'globex', 'initech', 'umbrella', 'default'].map((tenant, n) => ({
  tenant,
  waiting: nth([130, 62, 30, 14, 4], n),
}));

export const workers: readonly WorkerReading[] = [
  { id: 'host-a-1f2e3d4c', state: 'working', agents: ['coder', 'pizza'], turns: 2 },
  { id: 'host-b-5a6b7c8d', state: 'draining', agents: ['reviewer', 'translator'], turns: 1 },
  { id: 'host-c-9e8f7a6b', state: 'silent', agents: ['kitchen'], turns: 0 },
].map(({ turns, state, ...rest }, n) => ({
  ...rest,
  state: nth(['working', 'draining', 'silent'] as const, n),
  since: ago(86_400),
  lastHeartbeat: ago(state === 'silent' ? 40 : 1),
  version: '0.1.0',
  figures: { ended: 124, failed: 1, queueWaitP95Ms: 42, firstEventP95Ms: 310 },
  turns: Array.from({ length: turns }, (_, i) => ({ taskId: uuid(8 * i), epoch: 1, since: ago(30 * (i + 1)) })),
}));

/** A failure as a worker keeps it. */
const failure: Failure = {
  kind: 'threw',
  message: 'The oven is cold',
  at: ago(100),
  epoch: 2,
  attempt: 2,
  place: {
    file: 'agents/pizza.ts',
    line: 41,
    column: 11,
    source: "    throw new OvenError('The oven is cold', { cause });",
  },
  error: {
    type: 'OvenError',
    message: 'The oven is cold',
    frames: [
      { function: 'bake', file: 'agents/pizza.ts', line: 41, column: 11, of: 'author' },
      { function: 'execute', file: 'agents/pizza.ts', line: 17, column: 5, of: 'author' },
      { function: 'runTurn', file: '@switchyard/agent/src/run/execute-turn.ts', line: 60, column: 3, of: 'switchyard' },
    ],
    cause: { type: 'Error', message: 'connect ECONNREFUSED 127.0.0.1:8080', code: 'ECONNREFUSED' },
  },
  worker: 'host-a-1f2e3d4c',
  requestId: 'req-7c1d',
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
};

export function taskRow(n: number): TaskRow {
  return {
    taskId: uuid(n),
    contextId: uuid(1_000_000 + Math.floor(n / 3)),
    agent: nth(agentIds, n),
    tenant: nth(['acme', 'globex', 'default'], n),
    subject: nth(['ada', 'grace', 'linus', ''], n),
    state: nth(states, n),
    at: ago(7 * n),
    updatedAt: ago(7 * n),
    attempts: n % 11 === 5 ? 3 : 1,
    inbox: nth(states, n) === 'TASK_STATE_SUBMITTED' ? 1 : 0,
    text: nth(words, n),
    ...(nth(states, n) === 'TASK_STATE_FAILED' && { reason: { kind: failure.kind, message: failure.message } }),
  };
}

const timeline = (n: number): Timeline => {
  const hasFailed = nth(states, n) === 'TASK_STATE_FAILED';
  const started = 7 * n + 60;
  const entry = (second: number, epoch: number) => ({ at: ago(started - second), epoch });
  return {
    entries: [
      { ...entry(0, 0), kind: 'accepted', number: 1, from: 'ada' },
      { ...entry(0, 0), kind: 'queued', untilAt: ago(started - 2) },
      {
        ...entry(2, 1),
        kind: 'attempt',
        attempt: 1,
        worker: 'host-c-9e8f7a6b',
        waitedMs: 2_000,
        isTakenOver: false,
        untilAt: ago(started - 14),
        end: 'taken-over',
      },
      { ...entry(2, 1), kind: 'status', seq: 2, state: 'TASK_STATE_WORKING' },
      {
        ...entry(3, 1),
        kind: 'step',
        name: 'menu',
        untilAt: ago(started - 4),
        isRemembered: false,
        result: { text: '{"pizzas":["Hawaiian","Margherita"]}', bytes: 36 },
      },
      {
        ...entry(14, 2),
        kind: 'attempt',
        attempt: 2,
        worker: 'host-a-1f2e3d4c',
        waitedMs: 100,
        isTakenOver: true,
        ...(hasFailed ? { end: 'failed', untilAt: ago(started - 40), failure } : { end: 'open', leaseMs: 3_400 }),
      },
      {
        ...entry(15, 2),
        kind: 'model',
        model: 'gpt-5-mini',
        untilAt: ago(started - 16),
        inputTokens: 812,
        outputTokens: 64,
        finishReason: 'tool_calls',
      },
      { ...entry(14, 2), kind: 'step', name: 'menu', untilAt: ago(started - 14), isRemembered: true },
      { ...entry(15, 1), kind: 'fenced', worker: 'host-c-9e8f7a6b' },
      {
        ...entry(16, 2),
        kind: 'call',
        taskId: uuid(n + 1),
        agent: 'kitchen',
        isDetached: false,
        state: 'TASK_STATE_COMPLETED',
      },
    ],
    earlierAttempts: 0,
    isPartial: false,
    subscribers: [{ kind: 'stream', seq: 7, behind: 0, since: ago(started - 1), bufferedBytes: 0 }],
    listeningProcesses: 1,
    deliveries: [
      {
        configId: 'hook',
        origin: 'https://hooks.example.com',
        state: 'waiting',
        deliveredSeq: 4,
        attempts: 2,
        nextAt: ago(-20),
        reason: 'answered 503',
        lastFailure: {
          at: ago(20),
          status: 503,
          reason: 'the receiver answered 503',
          response: '<h1>Service Unavailable</h1>',
        },
      },
    ],
  };
};

export function taskDetail(n: number): TaskDetail {
  const { text: _, updatedAt: _at, at: _since, ...row } = taskRow(n);
  const waits = row.state === 'TASK_STATE_INPUT_REQUIRED';
  const isTerminal = /COMPLETED|FAILED|CANCELED/.test(row.state);
  return {
    ...row,
    isTerminal,
    seq: 7,
    keptEvents: 7,
    messagesAccepted: 1,
    messagesAnswered: isTerminal || waits ? 1 : 0,
    artifacts: 2,
    webhooks: 1,
    cancelRequested: false,
    epoch: 2,
    openTurn: isTerminal || waits ? 0 : 2,
    job: 1,
    jobState: isTerminal || waits ? 'unknown' : 'active',
    sweeps: 0,
    ...(isTerminal && { expiresAt: ago(-86_400) }),
    diagnosis: diagnosisOf(row),
    timeline: timeline(n),
    task: task(n),
    deadLetter: row.state === 'TASK_STATE_FAILED',
    steps: ['menu', 'price'],
  };
}

function diagnosisOf({ state, agent }: Pick<TaskRow, 'state' | 'agent'>): TaskDetail['diagnosis'] {
  const see = [{ kind: 'agent' as const, id: agent }];
  if (state === 'TASK_STATE_INPUT_REQUIRED')
    return {
      finding: 'waits-for-input',
      isStuck: false,
      text: 'The task waits for an answer.',
      see,
      actions: ['answer'],
    };
  if (state === 'TASK_STATE_SUBMITTED') {
    const text = `No live worker runs "${agent}"; 3 tasks wait.`;
    return { finding: 'no-worker', isStuck: true, text, since: ago(192), see, actions: ['start-worker', 'cancel'] };
  }
  if (state === 'TASK_STATE_WORKING')
    return {
      finding: 'running',
      isStuck: false,
      text: 'Worker host-a-1f2e3d4c runs the task.',
      see,
      actions: ['wait'],
    };
  if (state === 'TASK_STATE_FAILED') {
    const text = 'The task failed (threw): The oven is cold. At agents/pizza.ts:41. It was attempt 2.';
    const advice = 'Mend agents/pizza.ts:41.';
    return { finding: 'failed', isStuck: false, text, advice, since: failure.at, see: [], actions: ['retry'], failure };
  }
  return { finding: 'ended', isStuck: false, text: 'The task has ended.', see: [], actions: [] };
}

export function task(n: number): Task {
  const { taskId: id, contextId, state, text, updatedAt: timestamp } = taskRow(n);
  return {
    id,
    contextId,
    status: { state, timestamp },
    history: [
      { messageId: 'm1', role: 'ROLE_USER', taskId: id, contextId, parts: [{ text }] },
      { messageId: 'm2', role: 'ROLE_AGENT', taskId: id, contextId, parts: [{ text: 'I am **on it**.' }] },
    ],
    artifacts: [
      {
        artifactId: 'report',
        name: 'Report',
        parts: [{ text: '# Report\n\n- one\n- two\n', mediaType: 'text/markdown' }],
      },
      { artifactId: 'order', name: 'Order', parts: [{ data: { size: 'large', toppings: ['ham', 'pineapple'] } }] },
    ],
  };
}

/** The events for `GET /admin/tasks/:id/events`. */
export function taskEvents(n: number): readonly StreamResponse[] {
  const { id: taskId, contextId = '', ...rest } = task(n);
  const more = (text: string): StreamResponse => ({
    artifactUpdate: { taskId, contextId, append: true, artifact: { artifactId: 'report', parts: [{ text }] } },
  });
  return [{ task: { id: taskId, contextId, ...rest } }, more('- three\n'), more('- four\n')];
}

export const interrupted: readonly WaitingTask[] = [4, 12, 20, 28, 36].map((n, i) => ({
  ...ownerOf(taskRow(n)),
  state: i === 2 ? 'TASK_STATE_AUTH_REQUIRED' : 'TASK_STATE_INPUT_REQUIRED',
  interruptedSince: ago(nth([86_000, 7_200, 1_800, 240, 20], i)),
  endsAt: ago(-86_400),
  question: nth(
    [
      'Which size would you like: small, medium or large?',
      'The migration drops column `legacy_id`, which two reports still read. Shall I go on?',
      'Sign in to the calendar so that I can find a free afternoon.',
      'I found two customers named Ada Byron. Which one do you mean?\n\n1. Ada Byron, London\n2. Ada Byron, Turin',
      'Deliver today or tomorrow?',
    ],
    i,
  ),
}));

const cron = { cron: '0 9 * * MON-FRI', timeZone: 'Europe/Berlin' };
export const schedules: readonly ScheduleReading[] = [
  { ...cron, state: 'active' as const, nextAt: ago(-75_600), times: 12, lastState: nth(states, 1) },
  { cron: '*/15 * * * *', state: 'paused' as const, lastState: nth(states, 5) },
  { state: 'active' as const, nextAt: ago(-3_600) },
  { cron: '0 0 1 * *', state: 'delayed' as const, until: ago(-9_000_000) },
].map((one, n) => ({
  ...ownerOf(taskRow(40 + n)),
  scheduleId: uuid(40 + n),
  ...(one.state !== 'delayed' && { nextTaskId: uuid(50 + n) }),
  ...(one.cron && { lastTaskId: uuid(60 + n), lastAt: ago(7_200 * (n + 1)) }),
  ...one,
}));

function ownerOf({ taskId, contextId, agent, tenant, subject }: TaskRow) {
  return { taskId, contextId, agent, tenant, subject };
}

export const deadLetters: readonly DeadLetter[] = Array.from({ length: 320 }, (_, n): DeadLetter => {
  const { taskId, contextId, agent, tenant, subject, text } = taskRow(8 * n + 5);
  const died = { taskId, attempts: 5, diedAt: ago(90 * n + 12) };
  return n % 4 === 3
    ? {
        ...died,
        kind: 'webhook',
        id: `${taskId}.1`,
        origin: 'https://hooks.example.com',
        reason: nth(['answered 503', 'answered 404', 'no connection'], n),
      }
    : {
        ...died,
        kind: 'turn',
        id: taskId,
        contextId,
        agent,
        tenant,
        subject,
        messageId: `message-${n}`,
        message: { messageId: `message-${n}`, role: 'ROLE_USER', parts: [{ text }] },
        reason: nth(['The worker died', 'The model is overloaded', 'fetch failed'], n),
      };
});

export const conversations: readonly ConversationRow[] = Array.from({ length: 12 }, (_, n) => ({
  conversationId: uuid(2_000_000 + n),
  contextId: uuid(1_000_000 + n),
  fromAgent: nth(['coder', 'pizza', 'researcher'], n),
  toAgent: nth(['reviewer', 'kitchen', 'translator'], n),
  tenant: nth(['acme', 'globex', 'default'], n),
  subject: nth(['ada', 'grace'], n),
  taskId: uuid(8 * n),
  maxTurns: 6,
  state: n < 2 ? 'open' : 'complete',
  lastSeq: 6 + n,
  at: ago(300 * n + 5),
}));

/** A conversation with its events; an ended one was aborted. */
export function conversation({ at: _, ...row }: ConversationRow): Conversation {
  const { conversationId, fromAgent, toAgent, taskId } = row;
  const ends = { conversationId, fromAgent, toAgent };
  const turns = said.slice(0, row.state === 'open' ? 3 : said.length).map((text, turn) => {
    const [from, to] = turn % 2 === 0 ? [fromAgent, toAgent] : [toAgent, fromAgent];
    const speakers = { conversationId, fromAgent: from, toAgent: to };
    return {
      seq: turn + 1,
      timestamp: ago(200 - 20 * turn),
      ...speakers,
      phase: 'turn' as const,
      turn,
      maxTurns: 6,
      text,
      taskId,
    };
  });
  const error = {
    seq: 5,
    timestamp: ago(60),
    ...ends,
    phase: 'error' as const,
    turn: 4,
    error: 'The turn took longer than 60 s.',
    taskId,
  };
  const end = { seq: 6, timestamp: ago(60), ...ends, phase: 'complete' as const };
  const events = row.state === 'open' ? turns : [...turns, error, end];
  return { ...row, lastSeq: events.length, events };
}

const said = [
  'Where is the connection of a cancelled request closed?',
  'In `release()`. It is called from the `close` handler, **once** for each request.',
  'And when the handler throws before it is registered?',
  'Then nobody calls it: line 48 opens, line 61 registers. I would open it behind the registration.',
];

const points = 720;

export const series: Series = {
  everyMs: 5_000,
  fromMs: standInNow - 5_000 * points,
  points: {
    acceptedPerSecond: wave({ base: 40, swing: 18 }),
    endedPerSecond: wave({ base: 39, swing: 17, shift: 6 }),
    queueWaitP95Ms: wave({ base: 60, swing: 40, shift: 20 }),
    firstEventP95Ms: wave({ base: 320, swing: 90, shift: 30 }),
    openStreams: wave({ base: 120, swing: 30 }).map(whole),
    waiting: wave({ base: 90, swing: 80, shift: 10 }).map(whole),
    oldestWaitMs: wave({ base: 900, swing: 700, shift: 15 }),
    redisBytes: wave({ base: 180_000_000, swing: 9_000_000 }).map(whole),
  },
};

interface Wave {
  readonly base: number;
  readonly swing: number;
  /** In points. */
  readonly shift?: number;
}

/** A day's load, always the same, with a gap of unknown values. */
function wave({ base, swing, shift = 0 }: Wave): (number | null)[] {
  return Array.from({ length: points }, (_, n) => {
    if (n > 300 && n < 312) return null;
    const x = (n - shift) / 60;
    return base + (swing * (Math.sin(x) + 0.4 * Math.sin(5.3 * x) + 0.25 * Math.sin(19 * x))) / 1.65;
  });
}

function whole(value: number | null): number | null {
  return value === null ? null : Math.round(value);
}

export const logLevel: LogLevel = { level: 'info', forMs: 600_000 };
/** It has called the task after it. */
export const startedTask: StartedTask = { taskId: uuid(9_990) };

/** The archive does not have one task, and has something else of another one. */
export const archiveCheck: readonly ArchiveCheckProgress[] = [0, 20, 40, 40].map((done, i) => ({
  total: 40,
  done,
  problems:
    i === 1 ? [{ taskId: uuid(1), problem: 'missing' }] : i === 2 ? [{ taskId: uuid(2), problem: 'different' }] : [],
  nextPageToken: `page-${i}`,
  isDone: i === 3,
}));

/** Of the tenant `acme`: two tasks. */
export const tenantExport: readonly TenantExportProgress[] = [0, 1, 2, 2].map((done, i) => ({
  total: 2,
  done,
  lines: i === 1 || i === 2 ? [`{"tenant":"acme","task":{"id":"${uuid(i)}","n":1.0}}`] : [],
  nextPageToken: `page-${i}`,
  isDone: i === 3,
}));
