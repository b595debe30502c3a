import type { CodeFrame, CodePlace, Failure } from '@switchyard/operator-api';
import { kindText } from './failure-kinds.ts';
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
      {error && <ErrorView error={error} />}
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

/** The line of the author's code. */
function PlaceView({ place: { file, line, column, source } }: { readonly place: CodePlace }) {
  return (
    <div class="failure-place">
      <span class="mono">
        {file}:{line}:{column}
      </span>
      {source !== undefined && <code>{source.trim()}</code>}
    </div>
  );
}

/** Stack and causes of an error; frames of others' code are folded. */
function ErrorView({ error }: { readonly error: Thrown }) {
  const { type, message, code, status, frames = [], cause, errors = [] } = error;
  const about = [code !== undefined && `code ${code}`, status !== undefined && `HTTP ${status}`].filter(Boolean);
  return (
    <div class="failure-error">
      <p class="mono">
        {type}: {message} {about.length > 0 && <span class="faint">({about.join(', ')})</span>}
      </p>
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

function Frames({ frames }: { readonly frames: readonly CodeFrame[] }) {
  const own = frames.filter(({ of }) => of === 'author');
  return (
    <details class="failure-stack" open={own.length > 0 && own.length <= 6}>
      <summary>
        Stack: {own.length} of the agent’s lines, {frames.length - own.length} of others
      </summary>
      <ol>
        {frames.map(({ file, line, column, function: name, of }, i) => (
          <li key={i} class={of === 'author' ? 'mono' : 'mono faint'}>
            {name !== undefined && <b>{name} </b>}
            {file}:{line}:{column}
          </li>
        ))}
      </ol>
    </details>
  );
}
