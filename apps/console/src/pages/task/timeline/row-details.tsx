import type { TimelineEntry } from '@switchyard/operator-api';
import type { ComponentChildren } from 'preact';
import { durationText, fullTime } from '../../../design/time-text.ts';
import { FailureView } from '../../../failure/failure-view.tsx';
import { CalledTask } from './called-task.tsx';
import { StepResult } from './step-result.tsx';

type Entry<Kind extends TimelineEntry['kind']> = Extract<TimelineEntry, { kind: Kind }>;
export type OpenableEntry = Entry<'attempt'> | Entry<'step'> | Entry<'call'> | Entry<'model'>;

interface RowDetailsProps {
  readonly taskId: string;
  readonly entry: OpenableEntry;
  /** Number of the attempt that ran it; undefined: no longer stored. */
  readonly attempt: number | undefined;
}

/** What is known of an attempt, a step, a call or a request to a model. */
export function RowDetails({ taskId, entry, attempt }: RowDetailsProps) {
  return (
    <div class="row-details">
      {entry.kind === 'attempt' && <AttemptDetails entry={entry} />}
      {entry.kind === 'step' && <StepDetails taskId={taskId} entry={entry} attempt={attempt} />}
      {entry.kind === 'call' && <CallDetails entry={entry} attempt={attempt} />}
      {entry.kind === 'model' && <ModelDetails entry={entry} attempt={attempt} />}
    </div>
  );
}

function AttemptDetails({ entry }: { readonly entry: Entry<'attempt'> }) {
  const { at, untilAt, worker, waitedMs, isTakenOver, failure } = entry;
  return (
    <>
      {failure && <FailureView failure={failure} />}
      <Facts
        facts={{
          Began: fullTime(at),
          Ended: untilAt && fullTime(untilAt),
          Worker: failure?.worker === undefined ? worker : undefined,
          'Waited before': durationText(waitedMs),
          'Took over': isTakenOver ? 'from a worker that was lost' : undefined,
        }}
      />
    </>
  );
}

interface StepDetailsProps {
  readonly taskId: string;
  readonly entry: Entry<'step'>;
  readonly attempt: number | undefined;
}

function StepDetails({ taskId, entry, attempt }: StepDetailsProps) {
  const { at, untilAt, isRemembered, failure, epoch, name } = entry;
  const by = attempt === undefined ? 'an earlier attempt' : `attempt ${attempt}`;
  return (
    <>
      <p>{isRemembered ? `Remembered in ${by}: an earlier attempt had run it.` : `It ran in ${by}.`}</p>
      {failure && <FailureView failure={failure} />}
      <Facts facts={{ Began: isRemembered ? undefined : fullTime(at), Ended: untilAt && fullTime(untilAt) }} />
      {!failure && <StepResult taskId={taskId} name={name} epoch={epoch} />}
    </>
  );
}

interface CallDetailsProps {
  readonly entry: Entry<'call'>;
  readonly attempt: number | undefined;
}

function CallDetails({ entry: { at, taskId, agent, isDetached, failure }, attempt }: CallDetailsProps) {
  return (
    <>
      {failure && <FailureView failure={failure} />}
      <Facts
        facts={{
          Called: fullTime(at),
          By: attempt === undefined ? undefined : `attempt ${attempt}`,
          Waits: isDetached === undefined || failure ? undefined : waitsText(isDetached),
        }}
      />
      {taskId !== undefined && <CalledTask taskId={taskId} agent={agent} />}
    </>
  );
}

const waitsText = (isDetached: boolean): string =>
  isDetached ? 'no: the caller goes on' : 'the caller waits for its end';

interface ModelDetailsProps {
  readonly entry: Entry<'model'>;
  readonly attempt: number | undefined;
}

function ModelDetails({ entry, attempt }: ModelDetailsProps) {
  const { at, untilAt, model, inputTokens, outputTokens, finishReason, error } = entry;
  return (
    <>
      {error !== undefined && <p class="failure-kind">{error}</p>}
      <Facts
        facts={{
          Model: model,
          Asked: fullTime(at),
          Took: durationText(Date.parse(untilAt) - Date.parse(at)),
          By: attempt === undefined ? undefined : `attempt ${attempt}`,
          'Tokens in': inputTokens?.toLocaleString(),
          'Tokens out': outputTokens?.toLocaleString(),
          'Finish reason': finishReason,
        }}
      />
    </>
  );
}

function Facts({ facts }: { readonly facts: Readonly<Record<string, ComponentChildren>> }) {
  const known = Object.entries(facts).filter(([, value]) => value !== undefined && value !== '');
  return known.length === 0 ? null : (
    <dl class="facts">
      {known.map(([name, value]) => (
        <>
          <dt key={name}>{name}</dt>
          <dd>{value}</dd>
        </>
      ))}
    </dl>
  );
}
