import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare } from '../measure/comparison.ts';
import { httpRate } from '../measure/http.ts';
import { serve } from '../measure/program.ts';
import { sendMessage } from '../measure/rpc.ts';
import type { Stage } from '../stage.ts';
import type { BenchCase } from './bench-case.ts';

const OURS = 'Switchyard';

const MESSAGES = 100;

/** The same conversation at both servers: fifty questions and answers, about 25 KB. */
async function conversation(url: string): Promise<string> {
  const text = `ask ${'x'.repeat(20)}`;
  let { id, contextId } = await sendMessage(url, text);
  for (let i = 2; i < MESSAGES; i += 2) ({ id, contextId } = await sendMessage(url, text, { taskId: id, contextId }));
  return id;
}

/** The task's URL at each server, and its body at ours. */
async function longTask(stage: Stage): Promise<{ ours: string; sdk: string; body: string }> {
  await stage.withWorker();
  const ours = `${stage.gateway.url}/tasks/${await conversation(stage.gateway.url)}`;
  const sdk = `${stage.sdk.url}/rest/tasks/${await conversation(stage.sdk.url)}`;
  return { ours, sdk, body: await (await fetch(ours)).text() };
}

export const getTask: BenchCase = {
  id: 'get-task',
  title: 'GetTask, 100 messages, 25 KB',
  async run(stage, rounds) {
    const { ours, sdk, body } = await longTask(stage);
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-bench-'));
    const file = join(folder, 'body.json');
    await writeFile(file, body);
    const express = await serve('bench/peers/ready-body.ts', 'express', file);
    const node = await serve('bench/peers/ready-body.ts', 'node', file);
    try {
      const figures = await compare({
        unit: 'answers/s',
        rounds,
        ours: { name: OURS, measure: () => httpRate({ url: ours }) },
        others: [
          { name: 'SDK, in memory', measure: () => httpRate({ url: sdk }) },
          { name: 'Express, a ready body', measure: () => httpRate({ url: `${express.url}/tasks/1` }) },
          { name: 'node:http, a ready body', measure: () => httpRate({ url: `${node.url}/tasks/1` }) },
        ],
      });
      const sdkBytes = (await (await fetch(sdk, { headers: { 'a2a-version': '1.0' } })).text()).length;
      const notes = { bytes: body.length, 'bytes at the SDK': sdkBytes };
      const bars = [
        { to: 'SDK, in memory', at: 'least', value: 3 },
        { to: 'Express, a ready body', at: 'least', value: 0.9 },
      ] as const;
      return { ...figures, ours: OURS, notes, bars };
    } finally {
      await Promise.all([express.stop(), node.stop(), rm(folder, { recursive: true, force: true })]);
      await stage.clear();
    }
  },
};

export const getTaskUnchanged: BenchCase = {
  id: 'get-task-unchanged',
  title: 'GetTask with an ETag that still holds (304)',
  async run(stage, rounds) {
    const { ours } = await longTask(stage);
    const etag = (await fetch(ours)).headers.get('etag') ?? '';
    const whole = { name: 'GetTask, 25 KB', measure: () => httpRate({ url: ours }) };
    const unchanged = { name: OURS, measure: () => httpRate({ url: ours, headers: { 'if-none-match': etag } }) };
    const figures = await compare({ unit: 'answers/s', rounds, ours: unchanged, others: [whole] });
    await stage.clear();
    return { ...figures, ours: OURS, bars: [{ to: whole.name, at: 'least', value: 1.3 }] };
  },
};
