import type { Message } from '@switchyard/protocol';
import { isMarkdown, PartView } from '../../../content/part.tsx';

interface ChatProps {
  readonly taskId: string;
  readonly history: readonly Message[];
  readonly agent: string;
}

/** Messages of client and agent, in order. */
export function Chat({ taskId, history, agent }: ChatProps) {
  if (history.length === 0) return <p class="faint">No messages.</p>;
  return (
    <ol class="chat">
      {history.map((message, i) => (
        <MessageItem
          key={message.messageId}
          taskId={taskId}
          message={message}
          by={message.role === history[i - 1]?.role ? undefined : message.role === 'ROLE_AGENT' ? agent : 'client'}
        />
      ))}
    </ol>
  );
}

interface MessageProps {
  readonly taskId: string;
  readonly message: Message;
  /** Unset: the sender is shown above. */
  readonly by: string | undefined;
}

function MessageItem({ taskId, message, by }: MessageProps) {
  return (
    <li class={`said ${message.role === 'ROLE_AGENT' ? 'by-agent' : 'by-client'}`}>
      {by !== undefined && <span class="said-by">{by}</span>}
      <div class="said-what">
        {message.parts.map((part, i) => (
          <PartView key={i} part={part} taskId={taskId} isGrowing={false} isMarkdown={isMarkdown(part)} />
        ))}
      </div>
    </li>
  );
}
