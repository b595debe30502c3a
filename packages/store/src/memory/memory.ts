import { randomBytes } from 'node:crypto';
import { defineScript, integer } from '@switchyard/redis';
import type { DeploymentDependencies } from '../deployment/deployment.ts';
import { type OpenTurn, TurnFenced } from '../turns/open-turn.ts';

export const writeMemoryScript = defineScript({
  file: 'write-memory.lua',
  from: import.meta.url,
  keys: ['task', 'memory'],
  args: ['fence', 'write', 'ifVersion', 'json', 'keptMs'],
  reply: integer,
});

/** The value that an agent keeps for a context would be too large. */
export class MemoryTooLarge extends Error {
  override readonly name = 'MemoryTooLarge';

  constructor(limit: number) {
    super(`The memory of a context has at most ${limit} bytes of JSON: keep larger data in artifacts.`);
  }
}

/** `version` counts the writes; 0: nothing was written. */
export interface MemoryReading {
  readonly version: number;
  readonly json?: string;
}

/** A small JSON value per agent and context of a principal. It expires when it has not been used for the retention. */
export class Memory {
  readonly #dependencies: DeploymentDependencies;

  constructor(dependencies: DeploymentDependencies) {
    this.#dependencies = dependencies;
  }

  async read(turn: OpenTurn): Promise<MemoryReading> {
    const { redis, settings } = this.#dependencies;
    const key = this.#key(turn);
    const [[version, json]] = await Promise.all([
      redis.hmget(key, 'version', 'json'),
      redis.pexpire(key, settings.retentionMs),
    ]);
    return { version: Number(version ?? 0), ...(json != null && { json }) };
  }

  /**
   * @param ifVersion unset: replaces any version
   * @returns the new version; undefined if the stored version is not `ifVersion`
   * @throws {TurnFenced}
   * @throws {MemoryTooLarge}
   */
  async write(turn: OpenTurn, json: string, ifVersion?: number): Promise<number | undefined> {
    const { redis, shards, settings } = this.#dependencies;
    const { taskId, fence } = turn.start;
    if (Buffer.byteLength(json) > settings.maxMemoryBytes) throw new MemoryTooLarge(settings.maxMemoryBytes);
    const version = await writeMemoryScript.run(redis, {
      keys: { task: shards.of(taskId).task(taskId), memory: this.#key(turn) },
      args: { fence, write: newWriteId(), ifVersion: ifVersion ?? '', json, keptMs: settings.retentionMs },
    });
    if (version === -1) throw new TurnFenced();
    return version || undefined;
  }

  #key({ start: { taskId, principal, agent, task } }: OpenTurn): string {
    return this.#dependencies.shards.of(taskId).memory({ principal, agent }, task.contextId ?? '');
  }
}

/** Identifies a write: ioredis sends a command again when its reply was lost. */
const newWriteId = (): string => randomBytes(6).toString('base64url');
