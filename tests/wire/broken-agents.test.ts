import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isTerminal, type Task } from '@switchyard/protocol';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { textOf, userMessage } from '../support/messages.ts';
import { type Program, startProgram } from '../support/process.ts';
import { get, getTask, submit } from '../support/rest.ts';
import { until } from '../support/until.ts';

// Ten ways to break an agent, and what three people get: the author in the terminal of `switchyard up`, the operator
// from the API and from `switchyard why`, the client. docs/broken-agents.md has the same table.

const folder = 'tests/support/broken-agents';
const MAX_BLOCKED_MS = 4_000;
/** Starting several processes takes long on a busy machine. */
const patience = 60_000;

interface Reason {
  readonly kind: string;
  readonly message: string;
}

interface Case {
  /** In the terminal. */
  readonly author: RegExp;
  /** The kind and message of the reason. */
  readonly operator: readonly [kind: string, message: RegExp];
  readonly client: RegExp;
  /** Lines of `switchyard why`: the author's line, if it is known, and what to do. */
  readonly why: readonly RegExp[];
  /** Default: it appears within five seconds. */
  readonly withinMs?: number;
}

const neutral = /^The agent failed unexpectedly\.$/;
const gone = /^The agent stopped unexpectedly/;

const cases: Readonly<Record<string, Case>> = {
  throws: {
    author: /throws\.ts:5/,
    operator: ['threw', /the menu has no margherita/],
    client: neutral,
    why: [/^At: agents\/throws\.ts:5:21 {2}if \(!entry\) throw/m, /^Do: Mend agents\/throws\.ts:5\.$/m],
  },
  rejects: {
    author: /rejects\.ts:6/,
    operator: ['threw', /the kitchen did not take margherita/],
    client: neutral,
    why: [/^At: agents\/rejects\.ts:6:9 {2}throw new Error/m, /^Do: Mend agents\/rejects\.ts:6\.$/m],
  },
  'returns-nothing': {
    author: /execute\(\) of the agent \\?"returns-nothing\\?" returned without an outcome/,
    operator: ['misuse', /returned without an outcome/],
    client: /^The agent ended its turn without an outcome\.$/,
    why: [/^Do: Mend the agent, as the message says\.$/m],
  },
  'wrong-schema': {
    author: /wrong-schema\.ts:12[\s\S]*ZodError: pizza: .*; count: /,
    operator: ['threw', /pizza: .*; count: /],
    client: neutral,
    why: [/^At: agents\/wrong-schema\.ts:12:/m, /^Do: Mend agents\/wrong-schema\.ts:12\.$/m],
  },
  'large-step': {
    author: /The result of the step \\?"crawl\\?" has 500002 characters/,
    operator: ['misuse', /crawl.*500002 characters/],
    client: neutral,
    why: [/^At: agents\/large-step\.ts:8:/m, /^Do: Mend agents\/large-step\.ts:8, as the message says\.$/m],
  },
  hangs: {
    author: /hangs: the turn failed[\s\S]*The agent did not finish within 3 s/,
    operator: ['timed-out', /./],
    client: /^The agent did not finish within 3 s\.$/,
    why: [/^Do: Find out what the agent waits for, .*turnTimeoutMs\.$/m],
    // It ignores its signal, so its turn ends 5 s after its timeout.
    withinMs: 3_000 + 5_000 + 5_000,
  },
  loops: {
    author: /the agent "loops" blocked the worker for 4 s at agents\/loops\.ts:\d+: the worker ends/,
    operator: ['worker-blocked', /^The agent blocked its worker for 4 s at agents\/loops\.ts:\d+\.$/],
    client: gone,
    why: [/^At: agents\/loops\.ts:\d+:\d+ {2}for /m, /^Do: Mend agents\/loops\.ts:\d+: .*$/m],
    withinMs: MAX_BLOCKED_MS + 5_000,
  },
  exits: {
    author: /the agent "exits" called process\.exit\(0\) at agents\/exits\.ts:9: the worker ends/,
    operator: ['worker-exited', /process\.exit\(0\) at agents\/exits\.ts:9\.$/],
    client: gone,
    why: [/^At: agents\/exits\.ts:9:13 {2}process\.exit\(0\);$/m, /^Do: Mend agents\/exits\.ts:9: /m],
  },
};

class Up implements AsyncDisposable {
  readonly program: Program;
  readonly #data: string;
  readonly url: string;
  readonly #admin: string;
  readonly #key: string;

  private constructor(program: Program, data: string, places: RegExpMatchArray) {
    this.program = program;
    this.#data = data;
    [, this.url = '', this.#admin = '', this.#key = ''] = places;
  }

  static async start(agents: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Up> {
    const data = await mkdtemp(join(tmpdir(), 'switchyard-broken-'));
    // One attempt: a message is given up after its first failure.
    const settings = { PORT: '0', DATA_DIR: data, MAX_ATTEMPTS: '1', MAX_BLOCKED_MS: String(MAX_BLOCKED_MS), ...env };
    const program = await startProgram({
      file: join(process.cwd(), 'apps/cli/src/main.ts'),
      args: ['up', ...agents.map((name) => `./agents/${name}.ts`)],
      cwd: folder,
      env: settings,
    });
    const places = /ready on (http:\S+)[\s\S]*?Console: (http:\/\/[^/]+)\S*#key=(\S+)/;
    return new Up(program, data, await program.waitFor(places, patience));
  }

  /** The agents of a worker that has just been started are known to it, not yet to the gateway. */
  async submit(agent: string): Promise<Task> {
    return submit(`${this.url}/agents/${agent}`, userMessage('margherita'));
  }

  async ended(agent: string, { id }: Task): Promise<string> {
    const task = await until(
      async () => {
        const read = await getTask(`${this.url}/agents/${agent}`, id);
        return isTerminal(read.status.state) ? read : undefined;
      },
      { what: 'the task ends', timeoutMs: patience },
    );
    return textOf(task.status.message);
  }

  async reason({ id }: Task): Promise<Reason | undefined> {
    const { body } = await get<{ reason?: Reason }>(`${this.#admin}/admin/tasks/${id}`, {
      authorization: `Bearer ${this.#key}`,
    });
    return body.reason;
  }

  /** What `switchyard why` prints. */
  async why({ id }: Task): Promise<string> {
    const program = await startProgram({
      file: join(process.cwd(), 'apps/cli/src/main.ts'),
      args: ['why', id],
      cwd: folder,
      env: { DATA_DIR: this.#data },
    });
    expect(await program.exited).toBe(0);
    return program.output();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program.stop(10_000);
    await rm(this.#data, { recursive: true, force: true });
  }
}

describe('an agent that is broken', () => {
  let up: Up;

  beforeAll(async () => {
    up = await Up.start(Object.keys(cases));
  });
  afterAll(() => up[Symbol.asyncDispose]());
  // The next agent needs a worker.
  afterEach(() =>
    until(
      async () => (await get<{ agents: { workers: number }[] }>(`${up.url}/agents`)).body.agents[0]?.workers === 1,
      {
        what: 'the worker runs again',
        timeoutMs: patience,
      },
    ),
  );

  it.each(Object.entries(cases))(
    'because it %s is explained to its author, operator and client',
    async (agent, wanted) => {
      const task = await up.submit(agent);
      await up.program.waitFor(wanted.author, wanted.withinMs ?? 5_000);
      expect(await up.ended(agent, task)).toMatch(wanted.client);
      const [kind, message] = wanted.operator;
      const reason = await up.reason(task);
      expect(reason).toMatchObject({ kind, message: expect.stringMatching(message) });
      const why = await up.why(task);
      expect(why).toContain(`\nWhy: The task failed (${kind}): ${reason?.message}`);
      expect(why).toMatch(/^Attempt: [12]$/m);
      expect(why).toMatch(/^Worker: \S+$/m);
      for (const line of wanted.why) expect(why).toMatch(line);
      expect(why).toMatch(/^Do: then DATA_DIR=\S+ switchyard (?:task rerun|dead retry) /m);
    },
  );
});

it('an agent that needs too much memory ends its worker only, and the terminal says so', async () => {
  await using up = await Up.start(['out-of-memory'], { NODE_OPTIONS: '--max-old-space-size=150' });
  const task = await up.submit('out-of-memory');
  await up.program.waitFor(
    /the worker ended unexpectedly \(signal 6: most likely out of memory; NODE_OPTIONS=/,
    patience,
  );
  expect(await up.ended('out-of-memory', task)).toMatch(gone);
  const message = 'The worker ended by signal 6 while it ran the attempt: most likely it ran out of memory.';
  expect(await up.reason(task)).toMatchObject({ kind: 'worker-lost', message });
  const why = await up.why(task);
  expect(why).toContain(`\nWhy: The task failed (worker-lost): ${message}`);
  expect(why).toMatch(/^Do: See the end of the worker's log: .*too little memory/m);
  expect((await fetch(`${up.url}/healthz`)).status).toBe(200);
});

it('an agent with a wrong card is refused at the start, with each wrong field', async () => {
  const program = await startProgram({
    file: join(process.cwd(), 'apps/cli/src/main.ts'),
    args: ['up', './wrong-card.ts'],
    cwd: folder,
    env: { PORT: '0' },
  });
  expect(await program.exited).toBe(1);
  expect(program.output()).toMatch(/wrong-card\.ts:4:\d+: The agent "wrong-card" cannot be defined: /);
  expect(program.output()).toMatch(/version/);
});
