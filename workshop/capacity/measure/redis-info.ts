import type { Redis } from 'ioredis';

/** Everything that Redis tells of itself. */
export const info = (redis: Redis): Promise<string> => redis.info('everything');

/** @throws {Error} Redis does not tell it: an older one */
export function number(text: string, name: string): number {
  const [, value] = new RegExp(`^${name}:([\\d.]+)`, 'm').exec(text) ?? [];
  if (value === undefined) throw new Error(`This Redis does not tell its ${name}: measure with version 7 or later.`);
  return Number(value);
}

export function mainThreadMicros(text: string): number {
  return (number(text, 'used_cpu_user_main_thread') + number(text, 'used_cpu_sys_main_thread')) * 1_000_000;
}
