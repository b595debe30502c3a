import { defineScript, integer, list, text, tuple } from '@switchyard/redis';
import type { OperatorDependencies } from './operator-dependencies.ts';
import type { Timeline, TimelineEntry } from './timeline.ts';

const readStepResultsScript = defineScript({
  file: 'read-step-results.lua',
  from: import.meta.url,
  keys: ['steps'],
  args: ['maxBytes', 'names*'],
  reply: list(tuple(integer, text)),
});

const MAX_BYTES = 2_048;
const MAX_STEPS = 100;

/** Adds the beginning of each stored result to the steps of the timeline: those of the message that had steps last. */
export async function withStepResults(
  { redis, shards }: Pick<OperatorDependencies, 'redis' | 'shards'>,
  taskId: string,
  timeline: Timeline,
): Promise<Timeline> {
  const from = lastMessage(timeline.entries);
  const isOfLast = (entry: TimelineEntry): entry is Step =>
    entry.kind === 'step' && entry.epoch >= from && entry.failure === undefined;
  const names = [...new Set(timeline.entries.filter(isOfLast).map(({ name }) => name))].slice(-MAX_STEPS);
  if (names.length === 0) return timeline;
  const keys = { steps: `${shards.of(taskId).task(taskId)}:s` };
  const found = await readStepResultsScript.run(redis, { keys, args: { maxBytes: MAX_BYTES, names } });
  const results = new Map(names.map((name, i) => [name, found[i]]));
  const entries = timeline.entries.map((entry) => {
    const [bytes = -1, begin = ''] = isOfLast(entry) ? (results.get(entry.name) ?? []) : [];
    return bytes < 0 ? entry : { ...entry, result: { text: withoutCutCharacter(begin), bytes } };
  });
  return { ...timeline, entries };
}

/** The script may have cut a character in two. */
function withoutCutCharacter(text: string): string {
  let end = text.length;
  while (text[end - 1] === '\uFFFD') end--;
  return text.slice(0, end);
}

type Step = Extract<TimelineEntry, { kind: 'step' }>;

/** Epoch of the first attempt at the last message: the results are those of one message. */
function lastMessage(entries: readonly TimelineEntry[]): number {
  const attempts = entries.flatMap((entry) => (entry.kind === 'attempt' ? [entry] : []));
  const before = attempts.slice(0, -1).findLast(({ end }) => end === 'settled');
  return (before?.epoch ?? 0) + 1;
}
