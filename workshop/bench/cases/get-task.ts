import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { temporaryFolder } from '../../temporary-folder.ts';
import { compare, shortRounds } from '../measure/comparison.ts';
import { CALLERS, etagsOf, httpRate } from '../measure/http.ts';
import { serve } from '../measure/program.ts';
import { sendMessage } from '../measure/rpc.ts';
import type { Stage } from '../measure/stage.ts';
import type { BenchCase } from './bench-case.ts';

const OURS = 'Switchyard';

const MESSAGES = 100;

/** Which two of gateway, Redis and generator share a core is drawn anew each time. */
const SHORT = { seconds: 1 };

/** The same conversation at both servers: fifty questions and answers, about 25 KB. */
async function conversation(url: string): Promise<string> {
  const text = `ask ${'x'.repeat(20)}`;
  let { id, contextId } = await sendMessage(url, text);
  for (let i = 2; i < MESSAGES; i += 2) ({ id, contextId } = await sendMessage(url, text, { taskId: id, contextId }));
  return id;
}

/** One for each caller: equal questions cost less. */
interface Tasks {
  readonly url: string;
  readonly paths: readonly string[];
}

async function longTasks(server: string, base: string): Promise<Tasks> {
  const ids = await Promise.all(Array.from({ length: CALLERS }, () => conversation(server)));
  return { url: server, paths: ids.map((id) => `${base}/tasks/${id}`) };
}

async function ourTasks(stage: Stage): Promise<Tasks> {
  await stage.withWorker();
  return longTasks(stage.gateway.url, '');
}

const first = ({ url, paths }: Tasks): string => `${url}${paths[0]}`;

export const getTask: BenchCase = {
  id: 'get-task',
  title: 'GetTask, 100 messages, 25 KB',
  async run(stage, rounds) {
    const [ours, sdk] = [await ourTasks(stage), await longTasks(stage.sdk.url, '/rest')];
    const body = await (await fetch(first(ours))).text();
    const folder = await temporaryFolder();
    const file = join(folder.path, 'body.json');
    await writeFile(file, body);
    const express = await serve('workshop/bench/peers/ready-body.ts', 'express', file);
    const node = await serve('workshop/bench/peers/ready-body.ts', 'node', file);
    try {
      const figures = await compare({
        unit: 'answers/s',
        ...shortRounds(rounds),
        ours: { name: OURS, measure: () => httpRate({ ...ours, ...SHORT }) },
        others: [
          { name: 'SDK, in memory', measure: () => httpRate({ ...sdk, ...SHORT }) },
          { name: 'Express, a ready body', measure: () => httpRate({ url: `${express.url}/tasks/1`, ...SHORT }) },
          { name: 'node:http, a ready body', measure: () => httpRate({ url: `${node.url}/tasks/1`, ...SHORT }) },
        ],
      });
      const sdkBytes = (await (await fetch(first(sdk), { headers: { 'a2a-version': '1.0' } })).text()).length;
      const notes = { bytes: body.length, 'bytes at the SDK': sdkBytes };
      const bars = [
        { to: 'SDK, in memory', at: 'least', value: 3 },
        { to: 'Express, a ready body', at: 'least', value: 0.9 },
      ] as const;
      return { ...figures, ours: OURS, notes, bars };
    } finally {
      await Promise.all([express.stop(), node.stop(), folder.remove()]);
      await stage.clear();
    }
  },
};

export const getTaskUnchanged: BenchCase = {
  id: 'get-task-unchanged',
  title: 'GetTask with an ETag that still holds (304)',
  async run(stage, rounds) {
    const ours = await ourTasks(stage);
    const etags = await etagsOf(ours);
    const whole = { name: 'GetTask, 25 KB', measure: () => httpRate({ ...ours, ...SHORT }) };
    const unchanged = { name: OURS, measure: () => httpRate({ ...ours, ...SHORT, etags }) };
    const figures = await compare({
      unit: 'answers/s',
      ...shortRounds(rounds),
      ours: unchanged,
      others: [whole],
    });
    await stage.clear();
    return { ...figures, ours: OURS, bars: [{ to: whole.name, at: 'least', value: 1.3 }] };
  },
};
