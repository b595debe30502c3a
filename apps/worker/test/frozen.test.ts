import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { type Program, startProgram } from '../../../tests/support/process.ts';
import { startRedis } from '../../../tests/support/redis.ts';
import { until } from '../../../tests/support/until.ts';
import { Desk } from './support/desk.ts';

/** Worker processes with an agent that writes its side effects into a file, on a private Redis. */
class Stage implements AsyncDisposable {
  readonly redis: Redis;
  readonly desk: Desk;
  readonly file: string;
  readonly #redisUrl: string;
  readonly #workers: Program[] = [];
  readonly #close: () => Promise<void>;

  private constructor(parts: { redisUrl: string; desk: Desk; file: string; close: () => Promise<void> }) {
    this.redis = new Redis(parts.redisUrl);
    this.desk = parts.desk;
    this.file = parts.file;
    this.#redisUrl = parts.redisUrl;
    this.#close = parts.close;
  }

  static async open(): Promise<Stage> {
    const server = await startRedis();
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-frozen-'));
    const desk = await Desk.open({ redisUrl: server.url, prefix: 'f', agent: 'effects' });
    const close = async (): Promise<void> => {
      await desk.close();
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    };
    return new Stage({ redisUrl: server.url, desk, file: join(folder, 'effects'), close });
  }

  async startWorker(): Promise<Program> {
    const args = ['--agents', 'tests/support/agents/effects.ts'];
    const env = { REDIS_URL: this.#redisUrl, KEY_PREFIX: 'f', DRAIN_MS: '0', LOG_LEVEL: 'debug' };
    const worker = await startProgram({ file: 'apps/worker/src/main.ts', args, env });
    this.#workers.push(worker);
    await worker.waitFor(/"event":"started"/, 20_000);
    return worker;
  }

  async effects(): Promise<string[]> {
    return (await readFile(this.file, 'utf8').catch(() => '')).split('\n').slice(0, -1);
  }

  /** Lets turns continue and have their side effect. */
  async openGate(): Promise<void> {
    await writeFile(`${this.file}.go`, '');
  }

  /** Whether the only task has a running turn in Redis. */
  async hasTurn(): Promise<boolean> {
    const keys = await this.redis.keys('f*:t:*');
    const task = keys.find((key) => /:t:[^:]+$/.test(key));
    return task !== undefined && Boolean(await this.redis.hget(task, 'turn'));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) worker.kill('SIGCONT');
    await Promise.all(this.#workers.map((worker) => worker.stop()));
    this.redis.disconnect();
    await this.#close();
  }
}

test('a worker that resumes after its lease has expired has no side effects', async () => {
  await using stage = await Stage.open();
  const frozen = await stage.startWorker();
  const answer = stage.desk.ask(stage.file);
  const hasBegun = async (times: number) => (await stage.effects()).length === times;
  await until(() => hasBegun(1), { what: 'the turn has begun' });
  frozen.kill('SIGSTOP');
  const other = await stage.startWorker();
  await until(() => hasBegun(2), { what: 'the other worker has begun the turn', timeoutMs: 20_000 });
  await stage.openGate();
  expect(await answer).toBe('done');
  frozen.kill('SIGCONT');
  await frozen.waitFor(/"event":"turn-fenced".*"outcome":"interrupted-taken-over"/, 10_000);
  expect(await stage.effects()).toEqual([`begun ${frozen.pid}`, `begun ${other.pid}`, `effect ${other.pid}`]);
});

test('a worker that was frozen between taking a job and running it does not run the agent', async () => {
  await using stage = await Stage.open();
  const frozen = await stage.startWorker();
  await stage.openGate();
  frozen.kill('SIGSTOP');
  const answer = stage.desk.ask(stage.file);
  await until(async () => (await stage.redis.keys('f*:t:*')).length > 0, { what: 'the message is accepted' });
  // The worker requests the job from a paused Redis, and is stopped before the reply arrives.
  await stage.redis.client('PAUSE', 30_000, 'WRITE');
  frozen.kill('SIGCONT');
  await delay(300);
  frozen.kill('SIGSTOP');
  await stage.redis.client('UNPAUSE');
  await until(() => stage.hasTurn(), { what: 'the turn has begun in Redis' });
  expect(await stage.effects()).toEqual([]);
  const other = await stage.startWorker();
  expect(await answer).toBe('done');
  frozen.kill('SIGCONT');
  await frozen.waitFor(/"event":"turn-fenced".*"outcome":"interrupted-taken-over"/, 10_000);
  expect(await stage.effects()).toEqual([`begun ${other.pid}`, `effect ${other.pid}`]);
});
