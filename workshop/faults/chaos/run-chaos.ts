import { setTimeout as delay } from 'node:timers/promises';
import { uniquePrefix } from '../../../tests/support/prefix.ts';
import { SeededRandom } from '../../../tests/support/seeded-random.ts';
import { startStack } from '../../../tests/support/stack.ts';
import { leakedKeys } from '../report/leaked-keys.ts';
import { Tally } from '../report/tally.ts';
import { startSingle } from '../support/single.ts';
import { PushReceiver } from '../workload/push-receiver.ts';
import { Refused, ResilientClient } from '../workload/resilient-client.ts';
import { createStory, storyKinds } from '../workload/story.ts';
import { type Pushes, tellStory } from '../workload/tell-story.ts';
import { type Surroundings, strike } from './assassin.ts';

export interface ChaosOptions {
  /** At least so many tasks, and so many deeds: whichever takes longer. */
  readonly tasks: number;
  readonly deeds: number;
  readonly seed: number;
  readonly clients: number;
  /** Between two deeds, at random. */
  readonly pauseMs: readonly [least: number, most: number];
  /** Of ended tasks: long enough to be looked at, short enough to see that nothing is left of them. */
  readonly retentionMs: number;
  readonly say: (line: string) => void;
}

export interface ChaosReport {
  readonly tally: Tally;
  readonly tasks: number;
  readonly deeds: Readonly<Record<string, number>>;
  readonly resumedStreams: number;
  /** Whether webhooks took part. */
  readonly hasPushes: boolean;
  readonly seconds: number;
}

const GATEWAYS = 2;
const WORKERS = 3;

/** Tasks of all kinds, while whatever holds them is killed at random; then everything that is wrong with any of them. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const begun = performance.now();
  const random = new SeededRandom(options.seed);
  const prefix = uniquePrefix();
  await using redis = await startSingle({ settings: { appendfsync: 'always' } });
  await using stack = await startStack({
    redisUrl: redis.url,
    agents: ['workshop/faults/agents/storyteller.ts'],
    gateways: GATEWAYS,
    workers: WORKERS,
    env: environment(prefix, redis.shards, options.retentionMs),
  });
  await using receiver = new PushReceiver();
  const run = new Run(options, stack.urls, await pushesOf(stack.urls, receiver));
  const deeds = killAtRandom({ stack, redis, random, say: options.say }, options, run);
  await run.until(deeds);
  const leaked = await leakedKeys(redis, prefix, 3 * options.retentionMs);
  run.tally.add(leaked.map((key) => ({ kind: 'keys', what: key })));
  return {
    tally: run.tally,
    tasks: run.told,
    deeds: await deeds,
    resumedStreams: run.resumed,
    hasPushes: run.hasPushes,
    seconds: Math.round((performance.now() - begun) / 1_000),
  };
}

function environment(prefix: string, shards: number, retentionMs: number): Record<string, string> {
  const kept = String(retentionMs);
  return {
    DEFAULT_AGENT: 'storyteller',
    KEY_PREFIX: prefix,
    SHARDS: String(shards),
    RETENTION_MS: kept,
    REPLAY_MS: kept,
    IDEMPOTENCY_MS: kept,
    // A message may be hit by more than three deeds here, and none of them is its fault.
    MAX_ATTEMPTS: '20',
    LOG_LEVEL: 'info',
    PUSH_ALLOW_HTTP: 'true',
    PUSH_ALLOW_HOSTS: '127.0.0.0/8',
    PUSH_BACKOFF_MS: '200',
  };
}

/** The traffic: so many clients, each telling one story after the other. */
class Run {
  readonly tally = new Tally();
  told = 0;
  resumed = 0;
  readonly #options: ChaosOptions;
  readonly #urls: readonly string[];
  readonly #pushes: Pushes | undefined;
  #begun = 0;
  #isOver = false;

  constructor(options: ChaosOptions, urls: readonly string[], pushes: Pushes | undefined) {
    this.#options = options;
    this.#urls = urls;
    this.#pushes = pushes;
  }

  get hasPushes(): boolean {
    return this.#pushes !== undefined;
  }

  get isFull(): boolean {
    return this.told >= this.#options.tasks;
  }

  /** Goes on until `deeds` are done and there were tasks enough. */
  async until(deeds: Promise<unknown>): Promise<void> {
    const clients = Array.from({ length: this.#options.clients }, (_, n) => this.#client(n));
    await deeds;
    while (!this.isFull) await delay(200);
    this.#isOver = true;
    await Promise.all(clients);
  }

  async #client(n: number): Promise<void> {
    // Of its own, so that what one client does depends on the seed alone and not on how fast the others are.
    const random = new SeededRandom(this.#options.seed * 1_000 + n);
    const client = new ResilientClient(this.#urls, n);
    while (!this.#isOver) {
      const key = `s${this.#options.seed}.${n}.${this.#begun++}`;
      const story = createStory(random.pick(storyKinds), key, {
        size: random.between(1, 6) * random.between(1, 4),
        isWatched: random.next() < 0.5,
        isPushed: this.#pushes !== undefined && random.next() < 0.25,
      });
      const { faults, resumed } = await tellStory(client, story, this.#pushes);
      this.tally.add(faults);
      for (const { kind, what } of faults) this.#options.say(`     FAULT  ${kind}: ${what}`);
      this.resumed += resumed;
      this.told++;
    }
  }
}

/** @returns undefined: these gateways take no webhooks */
async function pushesOf(urls: readonly string[], receiver: PushReceiver): Promise<Pushes | undefined> {
  const url = await receiver.start();
  const message = { messageId: 'with-a-webhook', role: 'ROLE_USER' as const, parts: [{ text: 'talk 0 webhook' }] };
  try {
    await new ResilientClient(urls, 0).send(message, true, url);
    return { url, receiver };
  } catch (error) {
    if (error instanceof Refused) return undefined;
    throw error;
  }
}

async function killAtRandom(
  surroundings: Surroundings,
  { deeds, pauseMs, say }: ChaosOptions,
  run: Run,
): Promise<Record<string, number>> {
  const done: Record<string, number> = {};
  for (let number = 1; number <= deeds; number++) {
    await delay(surroundings.random.between(...pauseMs));
    const deed = await strike(surroundings);
    done[deed] = (done[deed] ?? 0) + 1;
    say(
      `${String(number).padStart(3)}/${deeds}  ${deed.padEnd(30)} ${run.told} tasks, ${run.tally.examples(99).length} faults`,
    );
  }
  return done;
}
