import type { Diagnosis, TaskDetail } from '@switchyard/operator-api';
import type { Message } from '@switchyard/protocol';
import { href, taskPath } from '../../app/route.ts';
import { stateName } from '../../design/badges.ts';
import { Button } from '../../design/button.tsx';
import { Icon } from '../../design/icon.tsx';
import { notify } from '../../design/notices.tsx';
import type { Colour } from '../../design/state.tsx';
import { Duration } from '../../design/time.tsx';
import { fullTime } from '../../design/time-text.ts';
import { FailedReason } from '../../failure/failed-reason.tsx';
import { PlaceView } from '../../failure/place-view.tsx';
import { immediateAction } from './actions.ts';

type Action = Diagnosis['actions'][number];

interface FindingProps {
  readonly detail: TaskDetail;
  /** The agent's reason for the failure. */
  readonly lastWords: Message | undefined;
  /** For actions that need a form or a dialog of the page. */
  readonly onAction: (action: Action) => void | Promise<void>;
}

/** Why the task is in its state, and what to do. */
export function Finding({ detail, lastWords, onAction }: FindingProps) {
  const { finding, isStuck, since, see, actions } = detail.diagnosis;
  // The state in the page's header says the same.
  if (finding === 'ended' && !hasFailed(detail)) return null;
  const told = hasFailed(detail) ? lastWords?.parts.map((part) => part.text ?? '').join(' ') : undefined;
  const run = async (action: Action): Promise<void> => {
    const immediate = immediateAction(action, detail);
    if (!immediate) return onAction(action);
    await immediate.run();
    notify(`${immediate.label}: done`);
  };
  return (
    <section class={`finding ${colourOf(detail)}`} aria-label="Why it is where it is" data-finding={finding}>
      <Icon name={isStuck || slow.has(finding) || hasFailed(detail) ? 'warning' : 'right'} size={18} />
      <div class="finding-words" aria-live="polite">
        <h2>{headOf(detail)}</h2>
        <What detail={detail} />
        {told !== undefined && told !== detail.reason?.message && <p class="soft">The client was told: {told}</p>}
        {actions.includes('start-worker') && <StartWorker />}
        <p class="finding-see faint">
          {since !== undefined && (
            <span>
              {hasFailed(detail) ? (
                fullTime(since)
              ) : (
                <>
                  for <Duration from={since} />
                </>
              )}
            </span>
          )}
          {see.map(({ kind, id }) => (
            <SeeLink key={`${kind} ${id}`} kind={kind} id={id} />
          ))}
        </p>
      </div>
      <div class="finding-actions">
        {actions.map((action, i) => {
          const label = labelOf(action, detail);
          return label === undefined ? null : (
            <Button key={action} kind={i === 0 ? 'primary' : 'plain'} onPress={() => run(action)}>
              {label}
            </Button>
          );
        })}
      </div>
    </section>
  );
}

/** What happened: of a failure the reason, the author's line and what to do, otherwise a sentence. */
function What({ detail: { reason, diagnosis, deadLetter } }: { readonly detail: TaskDetail }) {
  const { finding, failure, advice, text, actions } = diagnosis;
  if (!failure)
    return (
      <>
        {finding !== 'ended' && <p>{text}</p>}
        {reason && !text.includes(reason.message) && <FailedReason reason={reason} />}
      </>
    );
  const { kind, message, place } = failure;
  return (
    <>
      <FailedReason reason={{ kind, message }} />
      {place && <PlaceView place={place} />}
      {advice !== undefined && (
        <p>
          <b>What to do</b> {advice}
          {actions.includes('retry') && ` Then ${deadLetter ? 'retry its message' : 'run the task again'}.`}
        </p>
      )}
    </>
  );
}

/** The events for which its suspended turn waits. */
export const awaitedEvents = ({ waits = [], diagnosis: { actions } }: TaskDetail): string[] =>
  actions.includes('give-event') ? [...new Set(waits.flatMap(({ event }) => event ?? []))] : [];

function headOf(detail: TaskDetail): string {
  const { state, diagnosis } = detail;
  const { finding, isStuck, failure } = diagnosis;
  const which = failure?.attempt !== undefined && failure.attempt > 1 ? `, in attempt ${failure.attempt}` : '';
  if (/REJECTED/.test(state)) return `Rejected${which}`;
  if (/FAILED/.test(state)) return `Failed${which}`;
  if (isForPerson(finding)) return stateName(state);
  const awaited = awaitedEvents(detail);
  if (awaited.length > 0 && !isStuck) return `Waits for ${awaited.join(' or ')}`;
  return isStuck ? `Stuck: ${names[finding] ?? words(finding)}` : sentence(names[finding] ?? words(finding));
}

/** Findings whose name says less than it could. */
const names: Partial<Record<Diagnosis['finding'], string>> = {
  'worker-frozen': 'its worker is silent',
  'no-worker': 'no worker runs its agent',
  'agent-paused': 'its agent is paused',
  'agent-unknown': 'nobody knows its agent',
  'worker-dead': 'its worker is gone',
  'not-swept': 'no worker looks after waiting tasks',
  'job-missing': 'its job is lost, and is added again',
  'retry-waits': 'it failed, and is tried again',
  'tenant-over-share': 'others are served in turn with its tenant',
  'waits-for-place': 'its agent runs as many turns as it may',
  'remote-unreachable': 'its remote agent does not answer',
  'cancel-waits': 'its cancel waits',
  'webhook-fails': 'a webhook fails',
};

/** The page's header has buttons to cancel and to rerun. */
function labelOf(action: Action, detail: TaskDetail): string | undefined {
  if (action === 'answer') return 'Answer';
  if (action === 'give-event') return 'Give it';
  if (action === 'retry' && detail.deadLetter) return 'Retry its message';
  return immediateAction(action, detail)?.label;
}

const isForPerson = (finding: Diagnosis['finding']): boolean =>
  finding === 'waits-for-input' || finding === 'waits-for-auth';

const slow: ReadonlySet<Diagnosis['finding']> = new Set([
  'tenant-over-share',
  'retry-waits',
  'remote-unreachable',
  'worker-dead',
  'job-missing',
  'webhook-fails',
  'cancel-waits',
]);

const hasFailed = ({ state }: TaskDetail): boolean => /FAILED|REJECTED/.test(state);

function colourOf(detail: TaskDetail): Colour {
  const { finding, isStuck } = detail.diagnosis;
  if (isForPerson(finding) || slow.has(finding)) return 'amber';
  if (isStuck || hasFailed(detail)) return 'red';
  return finding === 'queued' || finding === 'scheduled' || finding === 'ended' ? 'gray' : 'blue';
}

const words = (finding: string): string => finding.replaceAll('-', ' ');
const sentence = (text: string): string => text.slice(0, 1).toUpperCase() + text.slice(1);

/** Workers are started elsewhere, so the page only says how. */
function StartWorker() {
  return (
    <p class="soft">
      Where <code>switchyard up</code> runs, it starts its workers itself: check that it has the agent’s module, and see
      its terminal. Elsewhere, start one: <code>switchyard worker path/to/agent.ts</code>
    </p>
  );
}

function SeeLink({ kind, id }: Diagnosis['see'][number]) {
  if (kind === 'task') return <a href={href(taskPath(id))}>task {id.slice(0, 8)}</a>;
  if (kind === 'tenant') return <a href={href('/tasks', { q: `tenant:"${id}"` })}>tasks of {id}</a>;
  const place = kind === 'agent' ? `/agents/${encodeURIComponent(id)}` : '/agents';
  return (
    <a href={href(place)}>
      {kind} {id}
    </a>
  );
}
