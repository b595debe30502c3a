import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest';
import { type Finding, fuzzGateway } from '../fuzz-gateway.ts';
import { judge } from '../target/judge.ts';
import { Target } from '../target/target.ts';

let target: Target;

beforeAll(async () => {
  target = await Target.open(inject('redisUrl'));
});

afterAll(() => target[Symbol.asyncDispose]());

const folder = new URL('../cases/', import.meta.url);
const cases = readdirSync(folder).map((name): [string, Finding] => [
  name,
  JSON.parse(readFileSync(new URL(name, folder), 'utf8')),
]);

describe('input from a client', () => {
  test.each(cases)('that was a finding gets a correct answer now: %s', async (_, { input }) => {
    expect(await judge(target, input)).toBeUndefined();
  });

  test('never causes an internal error: 600 generated inputs', async () => {
    expect(await fuzzGateway(target, { requests: 600, seed: 1, keeps: false })).toEqual([]);
  });

  test('ends neither process, and causes no error in the log', () => {
    expect(target.isAlive).toBe(true);
    expect(target.faults()).toEqual([]);
  });
});
