import type { Delivery } from '@switchyard/operator-api';
import { Badge, type Colour } from '../../design/state.tsx';
import { fullTime } from '../../design/time-text.ts';
import { Panel } from './panel.tsx';

const states: Readonly<Record<Delivery['state'], readonly [text: string, colour: Colour]>> = {
  idle: ['has everything', 'green'],
  due: ['next', 'blue'],
  sending: ['is sent to', 'blue'],
  waiting: ['failed, tried again', 'amber'],
  dead: ['given up', 'red'],
};

interface WebhooksProps {
  readonly deliveries: readonly Delivery[];
  /** Number of the task's last event. */
  readonly seq: number;
}

/** The task's webhooks: how far each is, and what its receiver answered last. */
export function Webhooks({ deliveries, seq }: WebhooksProps) {
  return (
    <Panel title="Webhooks" isPlain>
      <ul class="webhooks">
        {deliveries.map((delivery) => (
          <li key={delivery.configId}>
            <Webhook delivery={delivery} seq={seq} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

function Webhook({ delivery, seq }: { readonly delivery: Delivery; readonly seq: number }) {
  const { origin, state, deliveredSeq, attempts, nextAt, reason, lastFailure, configId } = delivery;
  const [text, colour] = states[state];
  return (
    <details open={state === 'waiting' || state === 'dead'}>
      <summary class="row">
        <span class="grow clip">{origin}</span>
        <span class="faint">
          {deliveredSeq} of {seq} events
        </span>
        <Badge colour={colour}>{text}</Badge>
      </summary>
      <dl class="facts">
        <dt>Tries</dt>
        <dd>{attempts}</dd>
        <dt>Next try</dt>
        <dd>{nextAt === undefined ? 'none is due' : fullTime(nextAt)}</dd>
        {reason !== undefined && !lastFailure && (
          <>
            <dt>Why</dt>
            <dd>{reason}</dd>
          </>
        )}
        {lastFailure && <LastFailure failure={lastFailure} />}
        <dt>Its id</dt>
        <dd class="mono">{configId}</dd>
      </dl>
    </details>
  );
}

function LastFailure({
  failure: { at, status, reason, response },
}: {
  readonly failure: NonNullable<Delivery['lastFailure']>;
}) {
  return (
    <>
      <dt>Last answer</dt>
      <dd>
        <b class="failure-kind">{status === undefined ? 'none' : `HTTP ${status}`}</b> {reason}, {fullTime(at)}
      </dd>
      {response !== undefined && (
        <>
          <dt>It began with</dt>
          <dd class="mono called-text">{response}</dd>
        </>
      )}
    </>
  );
}
