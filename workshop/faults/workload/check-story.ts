import type { Artifact, Task } from '@switchyard/protocol';
import { transcript } from '../../../tests/support/messages.ts';
import { SentEvent } from '../../../tests/support/sent-events.ts';
import type { Fault } from '../report/tally.ts';
import type { Story } from './story.ts';
import { endsTask, type Watched } from './watch-task.ts';

/** Everything that is wrong with a task that has ended, be it as it is read or in its events from the first to the last. */
export function checkStory(story: Story, task: Task, replayed: Watched): Fault[] {
  const { expected } = story;
  const name = `${story.kind} ${task.id}`;
  const faults: Fault[] = replayed.problems.map((what) => ({ kind: 'events', what }));
  if (task.status.state !== expected.state)
    faults.push({ kind: 'lost', what: `${name} ended ${task.status.state}: ${JSON.stringify(task.status.message)}` });
  const ends = [...replayed.events].filter(([seq, text]) => endsTask(new SentEvent(seq, text).data));
  if (ends.length > 1) faults.push({ kind: 'twice', what: `${name} ended ${ends.length} times` });
  if (!isEqual(contentsOf(task.artifacts ?? []), expected.artifacts))
    faults.push({ kind: 'artifacts', what: `${name} has ${JSON.stringify(contentsOf(task.artifacts ?? []))}` });
  // A cancel may come before the agent has said that it waits.
  const history = transcript(task);
  const wanted = story.isCanceled ? expected.history.slice(0, history.length) : expected.history;
  if (!isEqual(history, wanted)) faults.push({ kind: 'history', what: `${name} has ${JSON.stringify(history)}` });
  return faults;
}

/** What a watcher saw as it happened must be what the replay says. */
export function compareWatched(seen: Watched, replayed: Watched): Fault[] {
  const problems = [...seen.problems];
  for (const [seq, text] of seen.events)
    if (replayed.events.get(seq) !== text) problems.push(`event ${seq} was ${text}`);
  return problems.map((what) => ({ kind: 'events', what }));
}

function contentsOf(artifacts: readonly Artifact[]): Record<string, string> {
  const content = ({ parts }: Artifact): string =>
    parts.map(({ text, data }) => text ?? JSON.stringify(data ?? null)).join('');
  return Object.fromEntries(artifacts.map((artifact) => [artifact.name ?? '', content(artifact)]));
}

/** Artifacts by name: the order of names says nothing. */
const isEqual = (a: object, b: object): boolean => JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
const sorted = (value: object): object =>
  Array.isArray(value) ? value : Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
