import { askRedis } from '../../../scripts/processes/ask-redis.ts';

/** Inline commands in one write; the raw replies. */
export function ask(redisUrl: string, ...commands: string[]): Promise<string> {
  return askRedis(Number(new URL(redisUrl).port), commands.join('\r\n'), 10_000);
}

/** Everything that Redis tells of itself. */
export const info = (redisUrl: string): Promise<string> => ask(redisUrl, 'INFO everything');

/** @throws {Error} Redis does not tell it: an older one */
export function number(text: string, name: string): number {
  const [, value] = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`This Redis does not tell its ${name}: measure with version 7 or later.`);
  return Number(value);
}

/** Of a command that answers a number. */
export async function numberOf(redisUrl: string, command: string): Promise<number> {
  const reply = await ask(redisUrl, command);
  return Number(/^:(\d+)/.exec(reply)?.[1]);
}

/** Memory of keys, their names and entries in the key space included. */
export async function bytesOf(redisUrl: string, keys: readonly string[]): Promise<number> {
  if (keys.length === 0) return 0;
  const reply = await ask(redisUrl, ...keys.map((key) => `MEMORY USAGE ${key} SAMPLES 0`));
  return Array.from(reply.matchAll(/^:(\d+)/gm), ([, bytes]) => Number(bytes)).reduce((sum, one) => sum + one, 0);
}

export async function keysLike(redisUrl: string, pattern: string): Promise<string[]> {
  const reply = await ask(redisUrl, `KEYS ${pattern}`);
  return Array.from(reply.matchAll(/^\$\d+\r\n(.*)\r\n/gm), ([, key = '']) => key);
}
