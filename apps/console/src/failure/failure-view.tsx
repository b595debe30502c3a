import type { Failure } from '@switchyard/operator-api';
import { kindText } from './failure-kinds.ts';
import { Frames } from './frames.tsx';
import { PlaceView } from './place-view.tsx';
import './failure.css';

type Thrown = NonNullable<Failure['error']>;

/** Why an attempt or a step failed: the message, the author's line, then stack and causes. */
export function FailureView({ failure }: { readonly failure: Failure }) {
  const { kind, message, place, error, worker, requestId, traceId, retryAfterMs } = failure;
  return (
    <div class="failure" data-kind={kind}>
      <p class="failure-head">
        <b class="failure-kind">{kindText(kind)}</b> <span class="failure-message">{message}</span>
      </p>
      {place && <PlaceView place={place} />}
      {error && <ErrorView error={error} isSaid={saysItsError(failure)} />}
      <dl class="facts">
        <Fact name="Worker" value={worker} />
        <Fact name="Next attempt after" value={retryAfterMs === undefined ? undefined : `${retryAfterMs} ms`} />
        <Fact name="Request id" value={requestId} />
        <Fact name="Trace id" value={traceId} />
      </dl>
    </div>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string | undefined }) {
  if (value === undefined) return null;
  return (
    <>
      <dt>{name}</dt>
      <dd class="mono">{value}</dd>
    </>
  );
}

/** The failure's own words say what its error says. The error of an attempt that ended its worker has only the stack. */
function saysItsError({ kind, message, error }: Failure): boolean {
  if (kind === 'worker-blocked' || kind === 'worker-exited') return true;
  return (
    error !== undefined && message.endsWith(error.message) && error.code === undefined && error.status === undefined
  );
}

interface ErrorViewProps {
  readonly error: Thrown;
  /** Its message is above already. */
  readonly isSaid?: boolean;
}

/** Stack and causes of an error. */
function ErrorView({ error, isSaid = false }: ErrorViewProps) {
  const { type, message, code, status, frames = [], cause, errors = [] } = error;
  const about = [code !== undefined && `code ${code}`, status !== undefined && `HTTP ${status}`].filter(Boolean);
  return (
    <div class="failure-error">
      {!isSaid && (
        <p class="mono">
          {type}: {message} {about.length > 0 && <span class="faint">({about.join(', ')})</span>}
        </p>
      )}
      {frames.length > 0 && <Frames frames={frames} />}
      {cause && (
        <>
          <p class="faint">Caused by</p>
          <ErrorView error={cause} />
        </>
      )}
      {errors.map((each, i) => (
        <ErrorView key={i} error={each} />
      ))}
    </div>
  );
}
