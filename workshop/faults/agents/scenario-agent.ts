import { appendFileSync } from 'node:fs';
import { env } from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { checkBudget, defineAgent, type Outcome, RetryableError, type StepAttempt, type Turn } from '@switchyard/agent';
import {
  chapterText,
  EVENT,
  LIMIT,
  lineText,
  machineMs,
  NAP_MS,
  questionText,
  SLEEP_MS,
  TOKENS_OF_MESSAGE,
} from '../workload/scenario.ts';

/**
 * Plays the agent's part of `workload/scenario.ts`. Its events follow from the message alone, so that a run with faults
 * can be compared with one without.
 */
export default defineAgent({
  id: 'scenario-agent',
  concurrency: 60,
  budget: { tokens: 1_000 },
  card: {
    name: 'Scenario agent',
    description: 'Plays scenarios of the fault suite.',
    version: '1.0.0',
    skills: [],
  },
  async execute(turn) {
    const [kind = '', count = '0', key = ''] = turn.text.split(' ');
    note(turn);
    // Once for each message, however often its turn runs.
    await turn.usage({ model: 'scripted', key: turn.message.messageId, inputTokens: TOKENS_OF_MESSAGE });
    return behaviours[kind]?.(turn, Number(count), key) ?? turn.fail(`There is no scenario "${kind}".`);
  },
});

type Behaviour = (turn: Turn, count: number, key: string) => Promise<Outcome>;

const behaviours: Readonly<Record<string, Behaviour>> = {
  /** Streams lines into one artifact, slowly enough to be interrupted. */
  async stream(turn, count, key) {
    await turn.working(`Telling ${key}`);
    const report = turn.artifact({ name: 'Report' });
    for (let line = 1; line <= count; line++) {
      await report.append(lineText(key, line));
      if (line % 2 === 0) await pause(turn, 60);
    }
    await report.finish();
    return turn.complete(`Told ${key}`);
  },

  /** Asks back `count` times, and proves at the end that it remembers everything. */
  async talk(turn, count, key) {
    const asked = turn.history.filter(({ role }) => role === 'ROLE_AGENT').length;
    await pause(turn, 100);
    if (asked < count) return turn.requireInput(questionText(key, asked + 1));
    return turn.complete(`Remembered ${turn.history.length} messages of ${key}`);
  },

  /** Writes two artifacts, one of them twice. */
  async files(turn, count, key) {
    const draft = turn.artifact({ name: 'Draft' });
    const book = turn.artifact({ name: 'Book' });
    await draft.append('a first idea');
    for (let chapter = 1; chapter <= count; chapter++) {
      await book.append(chapterText(key, chapter));
      await pause(turn, 40);
    }
    await draft.replace({ data: { key, chapters: count } });
    await draft.finish();
    await book.finish();
    return turn.complete(`Wrote ${key}`);
  },

  /** Runs steps one after the other, each once. Each second one fails before it has an effect, and is retried. */
  async steps(turn, count, key) {
    for (let step = 1; step <= count; step++) {
      const run = async ({ attempt }: StepAttempt) => {
        if (attempt === 1 && step % 2 === 0) throw new Error('not yet');
        note(turn, step);
        await pause(turn, 40);
      };
      await turn.step(`step ${step}`, run, { attempts: 2, backoffMs: 20 });
    }
    return turn.complete(`Did ${count} steps of ${key}`);
  },

  /** Works until it is canceled; publishes its pid, so that a test can kill it. */
  async wait(turn, count) {
    await turn.working(`Waiting`, { metadata: { pid: process.pid, attempt: turn.attempt } });
    await pause(turn, count);
    return turn.complete('Nobody canceled');
  },

  /** Sleeps between steps, never for too short a time. */
  async sleep(turn, count, key) {
    for (let n = 1; n <= count; n++) {
      const begunMs = await noteStep(turn, 2 * n - 1);
      await turn.sleep(SLEEP_MS);
      const sleptMs = (await noteStep(turn, 2 * n)) - begunMs;
      if (sleptMs < SLEEP_MS - CLOCKS_DIFFER_MS) return turn.fail(`Woke up after ${sleptMs} ms`);
    }
    return turn.complete(`Slept ${count} times for ${key}`);
  },

  /** Takes one event after the other, and says what it got. */
  events: (turn, count, key) => takeEvents(turn, count, key),

  /** The same, by a callback URL. */
  async callback(turn, count, key) {
    const callback = await turn.callbackUrl(EVENT);
    await turn.working('Waiting', { metadata: { callback } });
    return takeEvents(turn, count, key);
  },

  /** Calls an agent whose turn sleeps. */
  async call(turn, _, key) {
    await noteStep(turn, 1);
    const { text } = await turn.call('scenario-agent', `nap 0 ${key}`);
    await noteStep(turn, 2);
    return turn.complete(`Heard: ${text}`);
  },

  async nap(turn, _, key) {
    await noteStep(turn, 1);
    await turn.sleep(NAP_MS);
    await noteStep(turn, 2);
    return turn.complete(`Napped for ${key}`);
  },

  /** A step fails, and is retried after a long time. */
  async retry(turn, _, key) {
    await noteStep(turn, 1);
    const run = ({ attempt }: StepAttempt) => {
      if (attempt === 1) throw new RetryableError('not yet', { retryAfterMs: NAP_MS });
      note(turn, 2);
    };
    await turn.step('step 2', run, { attempts: 2 });
    return turn.complete(`Retried for ${key}`);
  },

  /** Asks for its budget and for room before each step. */
  async metered(turn, count, key) {
    for (let step = 1; step <= count; step++) {
      await checkBudget();
      const room = await turn.limit(LIMIT, TOKENS_OF_MESSAGE);
      await noteStep(turn, step);
      await room.used(TOKENS_OF_MESSAGE - 1);
    }
    return turn.complete(`Paid for ${count} steps of ${key}`);
  },

  /** Waits for an event that nobody gives, until it is canceled. */
  async idle(turn) {
    await turn.working('Waiting');
    await turn.waitFor(EVENT);
    return turn.complete('Nobody canceled');
  },
};

/** Clocks of processes and of Redis count whole milliseconds. */
const CLOCKS_DIFFER_MS = 3;

async function takeEvents(turn: Turn, count: number, key: string): Promise<Outcome> {
  const got: unknown[] = [];
  for (let n = 1; n <= count; n++) {
    got.push(await turn.waitFor(EVENT));
    await noteStep(turn, n);
  }
  return turn.complete(`Got ${got} of ${key}`);
}

/** A step that notes its effect. @returns when it first ran, by `machineMs` */
function noteStep(turn: Turn, step: number): Promise<number> {
  return turn.step(`step ${step}`, () => {
    note(turn, step);
    return machineMs();
  });
}

const pause = (turn: Turn, ms: number): Promise<void> => delay(ms, undefined, { signal: turn.signal });

/** Notes an effect outside Redis, as a model or a payment service would see it. @param step unset: the turn begins */
function note(turn: Turn, step?: number): void {
  const line = [turn.task.id, turn.attempt, machineMs(), ...(step === undefined ? [] : [step])].join(' ');
  if (env.EFFECTS_FILE) appendFileSync(env.EFFECTS_FILE, `${line}\n`);
}
