import type { Artifact, Task } from '@switchyard/protocol';
import { transcript } from '../../../tests/support/messages.ts';
import type { SentEvent } from '../../../tests/support/sent-events.ts';
import type { Scenario } from './scenario.ts';
import type { Violation } from './violations.ts';
import { endsTask, type Watched } from './watch-task.ts';

/**
 * Everything that is wrong with a task that has ended, be it as it is read or in its events from the first to the last.
 */
export function checkScenario(scenario: Scenario, task: Task, replayed: Watched, mayLoseEvents = false): Violation[] {
  const { expected } = scenario;
  const name = `${scenario.kind} ${task.id}`;
  const violations: Violation[] = replayed.problems.map((what) => ({ kind: 'events', what }));
  if (task.status.state !== expected.state)
    violations.push({
      kind: 'lost',
      what: `${name} ended ${task.status.state}: ${JSON.stringify(task.status.message)}`,
    });
  const ends = [...replayed.events].filter(([, { data }]) => endsTask(data));
  if (ends.length > 1) violations.push({ kind: 'twice', what: `${name} ended ${ends.length} times` });
  if (!isEqual(contentsOf(task.artifacts ?? []), expected.artifacts))
    violations.push({ kind: 'artifacts', what: `${name} has ${JSON.stringify(contentsOf(task.artifacts ?? []))}` });
  // A cancel may come before the agent reports that it waits.
  const history = transcript(task);
  const wanted = scenario.isCanceled ? expected.history.slice(0, history.length) : expected.history;
  // An answer to a question that a fail-over has lost comes before that question is asked again.
  const isSame = mayLoseEvents ? isEqual(history.toSorted(), wanted.toSorted()) : isEqual(history, wanted);
  if (!isSame) violations.push({ kind: 'history', what: `${name} has ${JSON.stringify(history)}` });
  return violations;
}

/** Live events must be equal to the replay. */
export function compareWatched(seen: Watched, replayed: Watched): Violation[] {
  const problems = [...seen.problems];
  for (const [seq, { eventId, text }] of seen.events) {
    const now = replayed.events.get(seq);
    if (now?.eventId !== eventId || now.text !== text) problems.push(`event ${eventId} was ${text}`);
  }
  return problems.map((what) => ({ kind: 'events', what }));
}

/**
 * A fail-over may have lost the last events after they were seen. A kept one must not follow a lost one. A chunk that
 * is written again has the same contents, but is another event with another id.
 */
export function compareLossy(seen: Watched, replayed: Watched): Violation[] {
  const problems = [...seen.problems];
  const isKept = ({ id, eventId }: SentEvent): boolean => replayed.events.get(id)?.eventId === eventId;
  const events = [...seen.events.values()];
  const kept = events.findLast(isKept);
  for (const event of events) {
    const { id, eventId, text } = event;
    if (kept && id < kept.id && !isKept(event))
      problems.push(`event ${kept.eventId} of now came after a lost event ${eventId}: ${text}`);
    if (isKept(event) && replayed.events.get(id)?.text !== text) problems.push(`event ${eventId} was ${text}`);
  }
  return problems.map((what) => ({ kind: 'events', what }));
}

/**
 * Events over gRPC carry no numbers: what they add up to must be the task. Undefined: they broke too late to be asked
 * for again.
 */
export function compareFolded(folded: Task | undefined, task: Task): Violation[] {
  if (!folded) return [];
  const [seen, read] = [folded, task].map(({ status, artifacts = [] }) => ({
    state: status.state,
    artifacts: contentsOf(artifacts),
  }));
  const isSame = seen?.state === read?.state && isEqual(seen?.artifacts ?? {}, read?.artifacts ?? {});
  return isSame ? [] : [{ kind: 'grpc', what: `${task.id}: ${JSON.stringify(seen)} is not ${JSON.stringify(read)}` }];
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
