import type { Timeline, TimelineEntry } from '@switchyard/operator-api';
import { type Colour, stateColour, stateName } from '../../../design/badges.ts';
import { fullTime } from '../../../design/time-text.ts';

type Attempt = Extract<TimelineEntry, { kind: 'attempt' }>;
type Step = Extract<TimelineEntry, { kind: 'step' }>;
type Call = Extract<TimelineEntry, { kind: 'call' }>;
type Model = Extract<TimelineEntry, { kind: 'model' }>;
type Wait = Extract<TimelineEntry, { kind: 'wait' }>;
type Given = Extract<TimelineEntry, { kind: 'event' }>;
type Queued = Extract<TimelineEntry, { kind: 'queued' }>;

/** A point in time in a row. */
export interface Mark {
  readonly at: number;
  readonly text: string;
  readonly colour: Colour;
}

/** A row of the timeline, from `from` to `until`, both in ms. */
export interface Row {
  readonly key: string;
  readonly kind: 'moments' | 'queued' | 'attempt' | 'step' | 'call' | 'model' | 'wait' | 'event';
  readonly depth: number;
  readonly label: string;
  /** Beside the label. */
  readonly about?: string;
  readonly detail: string;
  readonly colour: Colour;
  readonly from: number;
  /** Unset: a point in time. */
  readonly until?: number;
  /** It has not ended. */
  readonly isOpen: boolean;
  readonly marks: readonly Mark[];
  /** The called task. */
  readonly taskId?: string;
  /** What can be opened. */
  readonly entry?: Attempt | Step | Call | Model;
  /** The task that it is a part of; unset: that of the timeline. */
  readonly ofTask?: string | undefined;
  /** Number of the attempt that it belongs to. */
  readonly attempt?: number | undefined;
}

/** @param nowMs end of unfinished rows */
export function rowsOf(timeline: Timeline, nowMs: number): Row[] {
  const { entries } = timeline;
  const attempts = entries.filter((entry) => entry.kind === 'attempt');
  const epochs = new Set(attempts.map(({ epoch }) => epoch));
  const inside = (attempt?: Attempt): Row[] =>
    entries
      .filter((entry) => entry.kind === 'step' || entry.kind === 'call' || entry.kind === 'model')
      .filter(({ epoch }) => (attempt ? epoch === attempt.epoch : !epochs.has(epoch)))
      .map((entry, i) => ({ ...innerRow(entry, { attempt, index: i, nowMs }), entry, attempt: attempt?.attempt }));
  const outside = entries.flatMap((entry): Row[] => {
    if (entry.kind === 'queued') return [queuedRow(entry, nowMs)];
    if (entry.kind === 'wait') return [waitRow(entry, nowMs)];
    if (entry.kind === 'event') return [givenRow(entry, nowMs)];
    if (entry.kind === 'attempt') return [attemptRow(entry, entries, nowMs), ...inside(entry)];
    return [];
  });
  const moments = momentsRow(entries);
  return [...(moments ? [moments] : []), ...outside, ...inside()];
}

interface InnerPlace {
  readonly attempt: Attempt | undefined;
  readonly index: number;
  readonly nowMs: number;
}

function innerRow(entry: Step | Call | Model, { attempt, index, nowMs }: InnerPlace): Row {
  if (entry.kind === 'step') return stepRow(entry, attempt, nowMs);
  return entry.kind === 'call' ? callRow(entry, index) : modelRow(entry, index, nowMs);
}

/** The starts and ends of all rows, and their marks. */
export function momentsOf(rows: readonly Row[]): number[] {
  return rows.flatMap(({ from, until, marks }) => [
    from,
    ...(until === undefined ? [] : [until]),
    ...marks.map(({ at }) => at),
  ]);
}

function momentsRow(entries: readonly TimelineEntry[]): Row | undefined {
  const marks = entries.flatMap((entry): Mark[] => {
    const at = Date.parse(entry.at);
    if (entry.kind === 'accepted')
      return [{ at, text: `Message ${entry.number} from ${entry.from || 'the client'}`, colour: 'gray' }];
    if (entry.kind === 'status') return [{ at, text: stateName(entry.state), colour: stateColour(entry.state) }];
    if (entry.kind === 'late')
      return [{ at, text: `Rejected: no worker had begun the message by ${fullTime(entry.beginBy)}`, colour: 'red' }];
    return entry.kind === 'swept' ? [{ at, text: 'Checked that its job is not lost', colour: 'amber' }] : [];
  });
  const [first] = marks;
  if (!first) return undefined;
  return {
    key: 'moments',
    kind: 'moments',
    depth: 0,
    label: 'Messages and states',
    detail: marks.at(-1)?.text ?? '',
    colour: marks.at(-1)?.colour ?? 'gray',
    from: first.at,
    isOpen: false,
    marks,
  };
}

function queuedRow({ at, untilAt, beginBy, priority }: Queued, nowMs: number): Row {
  const isOpen = untilAt === undefined;
  const end = beginBy === undefined ? '' : ` ${isOpen ? 'until' : 'without a worker until'} ${fullTime(beginBy)}`;
  return {
    ...stretch('queued', at, untilAt, nowMs),
    depth: 0,
    label: 'In the queue',
    detail: [priority && `${priority} priority`, (isOpen || end) && `${isOpen ? 'waits' : 'waited'}${end}`]
      .filter(Boolean)
      .join(', '),
    colour: untilAt === undefined ? 'amber' : 'gray',
    marks: [],
  };
}

function waitRow({ at, untilAt, what, name }: Wait, nowMs: number): Row {
  const isOpen = untilAt === undefined;
  const label = { time: 'Sleeps', event: `Waits for ${name}`, step: `Waits to try ${name} again` }[what];
  return {
    ...stretch('wait', at, untilAt, nowMs),
    key: `wait ${at} ${label}`,
    depth: 0,
    label,
    detail: isOpen ? 'waits' : 'ended',
    colour: isOpen ? 'amber' : 'gray',
    marks: [],
  };
}

function givenRow({ at, name }: Given, nowMs: number): Row {
  return {
    ...stretch('event', at, at, nowMs),
    key: `event ${at} ${name}`,
    depth: 0,
    label: `Event ${name}`,
    detail: 'given',
    colour: 'violet',
    marks: [{ at: Date.parse(at), text: `The event ${name} was given`, colour: 'violet' }],
  };
}

const ends: Readonly<Record<Attempt['end'], readonly [text: string, colour: Colour]>> = {
  settled: ['done', 'green'],
  failed: ['failed', 'red'],
  'given-back': ['given back', 'gray'],
  retried: ['failed, tried again', 'red'],
  'gave-up': ['given up', 'red'],
  suspended: ['suspended', 'gray'],
  'taken-over': ['taken over', 'red'],
  open: ['runs', 'blue'],
};

function attemptRow(entry: Attempt, entries: readonly TimelineEntry[], nowMs: number): Row {
  const { attempt, epoch, worker, failure, end, isTakenOver } = entry;
  const [text, colour] = ends[end];
  const silence = end === 'open' && entry.leaseMs !== undefined && entry.leaseMs <= 0 ? 'its worker is silent' : '';
  const fenced = entries.filter((other) => other.kind === 'fenced' && other.epoch === epoch);
  return {
    ...stretch('attempt', entry.at, end === 'open' ? undefined : (entry.untilAt ?? entry.at), nowMs),
    key: `attempt ${epoch}`,
    depth: 0,
    label: `Attempt ${attempt}`,
    about: worker,
    detail: [isTakenOver && end === 'open' ? 'took over' : text, silence || failure?.message]
      .filter(Boolean)
      .join(': '),
    colour: silence ? 'red' : colour,
    marks: fenced.map(({ at }) => ({ at: Date.parse(at), text: 'A late write was refused', colour: 'red' })),
    entry,
    attempt,
  };
}

function stepRow(entry: Step, attempt: Attempt | undefined, nowMs: number): Row {
  const { name, isRemembered, epoch } = entry;
  const key = `step ${epoch} ${name} ${entry.at}`;
  const row = { depth: 1, label: name, marks: [] };
  if (isRemembered) {
    const mark: Mark = { at: Date.parse(entry.at), text: `${name}: stored result, not run again`, colour: 'violet' };
    const moment = stretch('step', entry.at, entry.at, nowMs);
    return { ...row, ...moment, key, detail: 'remembered', colour: 'violet', marks: [mark] };
  }
  if (entry.failure)
    return {
      ...row,
      ...stretch('step', entry.at, entry.untilAt ?? entry.failure.at, nowMs),
      key,
      detail: `failed: ${entry.failure.message}`,
      colour: 'red',
    };
  if (entry.untilAt !== undefined)
    return { ...row, ...stretch('step', entry.at, entry.untilAt, nowMs), key, detail: 'ran', colour: 'green' };
  // It was aborted with its attempt.
  if (attempt && attempt.end !== 'open')
    return {
      ...row,
      ...stretch('step', entry.at, attempt.untilAt ?? entry.at, nowMs),
      key,
      detail: 'not finished',
      colour: 'red',
    };
  return { ...row, ...stretch('step', entry.at, undefined, nowMs), key, detail: 'runs', colour: 'blue' };
}

function callRow({ at, epoch, taskId, agent, isDetached, state, failure }: Call, index: number): Row {
  const from = Date.parse(at);
  const colour = failure ? 'red' : state === undefined ? 'gray' : stateColour(state);
  const told = [state === undefined ? '' : stateName(state), isDetached ? 'detached' : ''].filter(Boolean).join(' · ');
  return {
    key: `call ${epoch} ${taskId} ${index}`,
    kind: 'call',
    depth: 1,
    label: agent,
    detail: failure ? `failed: ${failure.message}` : told,
    colour,
    from,
    isOpen: false,
    marks: [{ at: from, text: `Calls ${agent}`, colour }],
    ...(taskId !== undefined && { taskId }),
  };
}

function modelRow(
  { at, untilAt, epoch, model, inputTokens, outputTokens, finishReason, error }: Model,
  index: number,
  nowMs: number,
): Row {
  const tokens = [inputTokens, outputTokens].some((count) => count !== undefined)
    ? `${inputTokens ?? '?'} + ${outputTokens ?? '?'} tokens`
    : '';
  return {
    ...stretch('model', at, untilAt, nowMs),
    key: `model ${epoch} ${index}`,
    depth: 1,
    label: model,
    detail: error === undefined ? [tokens, finishReason].filter(Boolean).join(' · ') : `failed: ${error}`,
    colour: error === undefined ? 'green' : 'red',
    marks: [],
  };
}

function stretch(
  kind: Row['kind'],
  at: string,
  untilAt: string | undefined,
  nowMs: number,
): Pick<Row, 'key' | 'kind' | 'from' | 'until' | 'isOpen'> {
  const from = Date.parse(at);
  const until = untilAt === undefined ? Math.max(from, nowMs) : Math.max(from, Date.parse(untilAt));
  return { key: `${kind} ${at}`, kind, from, until, isOpen: untilAt === undefined };
}
