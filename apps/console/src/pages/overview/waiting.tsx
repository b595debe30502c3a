import type { Overview } from '@switchyard/operator-api';
import { href } from '../../app/route.ts';
import { Duration } from '../../design/time.tsx';

/** What waits for people: questions, and what was given up. */
export function WaitingPanel({ overview }: { readonly overview: Overview }) {
  const { interrupted, longestInterrupted, deadLetters } = overview;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>Waiting for a person</h2>
        <span class="faint">{interrupted.toLocaleString()}</span>
        <span class="grow" />
        <a href={href('/inbox')}>Inbox</a>
      </div>
      {longestInterrupted.length === 0 ? (
        <p class="panel-body soft">No task asks for anything.</p>
      ) : (
        <ul class="longest">
          {longestInterrupted.map(({ taskId, agent, since }) => (
            <li key={taskId}>
              <a class="grow clip" href={href(`/inbox/${taskId}`)}>
                {agent} <span class="mono faint">{taskId.slice(0, 8)}</span>
              </a>
              <Duration from={since} />
            </li>
          ))}
        </ul>
      )}
      <div class="panel-foot row">
        <span class="grow">
          Given up: {deadLetters.turn.toLocaleString()} messages, {deadLetters.webhook.toLocaleString()} webhooks
        </span>
        <a href={href('/dead-letters')}>Dead letters</a>
      </div>
    </section>
  );
}
