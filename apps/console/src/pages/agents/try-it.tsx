import type { AgentReading } from '@switchyard/operator-api';
import { type Artifact, inputExample, type Message } from '@switchyard/protocol';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import { href, taskPath } from '../../app/route.ts';
import { isMarkdown, PartView } from '../../content/part.tsx';
import { Json } from '../../design/json.tsx';
import { notifyProblem } from '../../design/notices.tsx';
import { State } from '../../design/state.tsx';
import { Empty, Problem } from '../../design/views.tsx';
import { readCard } from './card.ts';
import { Composer } from './composer.tsx';
import { type Exchange, Trial } from './trial.ts';

/** A conversation with an agent, as a client. */
export function TryIt({ agent: { id, name, card, inputSchema } }: { readonly agent: AgentReading }) {
  const trial = useMemo(() => new Trial(id), [id]);
  useEffect(() => () => trial.leave(), [trial]);
  const exchanges = trial.exchanges.value;
  const end = useStaysAtEnd();
  const example = inputSchema && trial.beginsTask ? JSON.stringify(inputExample(inputSchema), undefined, 2) : undefined;
  return (
    <div class="try-it">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by the keyboard. */}
      <section ref={end} class="try-it-talk" aria-label="Conversation" tabIndex={0}>
        {exchanges.length === 0 && (
          <Beginning
            name={name}
            card={card}
            inputSchema={inputSchema}
            onSend={(text) => void trial.send([{ text }]).catch(notifyProblem)}
          />
        )}
        {exchanges.map((exchange) => (
          <ExchangeView key={exchange.sent.messageId} exchange={exchange} name={name} />
        ))}
      </section>
      <Composer
        key={example}
        example={example}
        wrongFields={exchanges.at(-1)?.wrongFields}
        isBusy={exchanges.at(-1)?.isOpen ?? false}
        onSend={(parts) => void trial.send(parts).catch(notifyProblem)}
        onCancel={() => trial.cancel()}
      />
    </div>
  );
}

interface BeginningProps extends Pick<AgentReading, 'name' | 'card' | 'inputSchema'> {
  readonly onSend: (text: string) => void;
}

function Beginning({ name, card, inputSchema, onSend }: BeginningProps) {
  const { description, skills } = readCard(card);
  // A text does not begin a task of an agent that works on data.
  const examples = inputSchema ? [] : skills.flatMap((skill) => skill.examples).slice(0, 4);
  return (
    <div class="try-it-beginning">
      <Empty icon="agents" title={name}>
        {description}
      </Empty>
      {inputSchema && (
        <details>
          <summary>The data that a task begins with, as JSON Schema</summary>
          <Json value={inputSchema} />
        </details>
      )}
      <ul>
        {examples.map((example) => (
          <li key={example}>
            <button type="button" class="button" onClick={() => onSend(example)}>
              {example}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function ExchangeView({ exchange, name }: { readonly exchange: Exchange; readonly name: string }) {
  const { sent, task, answer, problem, isOpen } = exchange;
  const answers = answer ? [answer] : answersTo(exchange);
  return (
    <>
      <Bubble message={sent} by="You" />
      {answers.map((message) => (
        <Bubble key={message.messageId} message={message} by={name} />
      ))}
      {task?.artifacts?.map((artifact) => (
        <ArtifactView key={artifact.artifactId} artifact={artifact} isGrowing={isOpen} />
      ))}
      {problem !== undefined && <Problem text={problem} />}
      <div class="try-it-state row">
        {task && (
          <>
            <State state={task.status.state} />
            <a href={href(taskPath(task.id))}>See the task</a>
          </>
        )}
        {isOpen && !task && <span class="faint">Sent …</span>}
      </div>
    </>
  );
}

/** The agent's answer to a message. */
function answersTo({ sent, task }: Exchange): readonly Message[] {
  const { history = [], status } = task ?? {};
  const since = history.findIndex(({ messageId }) => messageId === sent.messageId);
  const said = history.slice(since + 1).filter(({ role }) => role === 'ROLE_AGENT');
  const last = status?.message;
  const isNew = last && !history.some(({ messageId }) => messageId === last.messageId);
  return isNew ? [...said, last] : said;
}

function Bubble({ message, by }: { readonly message: Message; readonly by: string }) {
  const isAgent = message.role === 'ROLE_AGENT';
  return (
    <article class={isAgent ? 'bubble' : 'bubble own'}>
      <h2 class="unseen">{by}</h2>
      {message.parts.map((part, i) => (
        <PartView key={i} part={part} isGrowing={false} isMarkdown={isMarkdown(part)} />
      ))}
    </article>
  );
}

function ArtifactView({ artifact, isGrowing }: { readonly artifact: Artifact; readonly isGrowing: boolean }) {
  const { name, artifactId, parts } = artifact;
  return (
    <article class="panel try-it-artifact">
      <div class="panel-head">
        <h2 class="clip">{name ?? artifactId}</h2>
      </div>
      <div class="panel-body">
        {parts.map((part, i) => (
          <PartView key={i} part={part} isGrowing={isGrowing} isMarkdown={isMarkdown(part, name)} />
        ))}
      </div>
    </article>
  );
}

/** Keeps the end in view if it is. */
function useStaysAtEnd() {
  const frame = useRef<HTMLElement>(null);
  const wasAtEnd = useRef(true);
  useEffect(() => {
    const { current } = frame;
    if (!current) return;
    const onScroll = (): void => {
      wasAtEnd.current = current.scrollHeight - current.scrollTop - current.clientHeight < 60;
    };
    current.addEventListener('scroll', onScroll);
    return () => current.removeEventListener('scroll', onScroll);
  }, []);
  useEffect(() => {
    if (wasAtEnd.current) frame.current?.scrollTo({ top: frame.current.scrollHeight });
  });
  return frame;
}
