import { type Conversation, conversationSchema } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { href, taskPath } from '../../app/route.ts';
import '../../content/content.css';
import { Markdown } from '../../content/markdown.tsx';
import { Badge } from '../../design/state.tsx';
import { clockTime, fullTime } from '../../design/time-text.ts';
import { WithData } from '../../design/views.tsx';

type ConversationEvent = Conversation['events'][number];

/** Two agents side by side, turn by turn. */
export function ConversationView({ id }: { readonly id: string }) {
  const live = useLive(`/admin/conversations/${encodeURIComponent(id)}`, conversationSchema);
  return (
    <article class="conversation">
      <a class="split-back" href={href('/conversations')}>
        ← Conversations
      </a>
      <WithData live={live}>{(conversation) => <Turns conversation={conversation} />}</WithData>
    </article>
  );
}

function Turns({ conversation }: { readonly conversation: Conversation }) {
  const { fromAgent, toAgent, state, taskId, contextId, maxTurns, events, hasMore } = conversation;
  return (
    <>
      <header class="conversation-head">
        <Badge colour={state === 'open' ? 'blue' : 'gray'}>{state === 'open' ? 'Open' : 'Ended'}</Badge>
        <span class="soft">at most {maxTurns} turns</span>
        <span class="grow" />
        <a href={href('/tasks', { q: `context:${contextId}` })}>Context</a>
        <a href={href(taskPath(taskId))}>Task that holds it</a>
      </header>
      <div class="sides">
        <h2>{fromAgent}</h2>
        <h2>{toAgent}</h2>
      </div>
      <ol class="turns">
        {events.map((event) => (
          <Turn key={event.seq} event={event} isFirst={event.fromAgent === fromAgent} />
        ))}
      </ol>
      {hasMore === true && <p class="faint">It is longer: only its first events are shown.</p>}
    </>
  );
}

function Turn({ event, isFirst }: { readonly event: ConversationEvent; readonly isFirst: boolean }) {
  if (event.phase === 'complete')
    return (
      <li class="turn-end">
        <span class="faint">Ended, {fullTime(event.timestamp)}</span>
      </li>
    );
  const { fromAgent, turn, timestamp, taskId } = event;
  const what = event.phase === 'error' ? 'turn wrong' : 'turn';
  return (
    <li class={`${what} ${isFirst ? 'first' : 'second'}`}>
      <div class="turn-about">
        <b class="turn-speaker">{fromAgent}</b>
        <span>Turn {turn}</span>
        <time dateTime={timestamp} title={fullTime(timestamp)}>
          {clockTime(timestamp)}
        </time>
        <span class="grow" />
        {taskId !== undefined && (
          <a href={href(taskPath(taskId))} title={taskId}>
            Task
          </a>
        )}
      </div>
      {event.phase === 'error' ? <p>{event.error}</p> : <Markdown text={event.text} />}
    </li>
  );
}
