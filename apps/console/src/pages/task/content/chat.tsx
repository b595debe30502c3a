import type { Message } from '@switchyard/protocol';
import { isMarkdown, PartView } from '../../../content/part.tsx';

/** Messages of client and agent, in order. */
export function Chat({ history, agent }: { readonly history: readonly Message[]; readonly agent: string }) {
  if (history.length === 0) return <p class="faint">No messages.</p>;
  return (
    <ol class="chat">
      {history.map((message, i) => (
        <MessageItem
          key={message.messageId}
          message={message}
          by={message.role === history[i - 1]?.role ? undefined : message.role === 'ROLE_AGENT' ? agent : 'client'}
        />
      ))}
    </ol>
  );
}

/** @param by unset: the sender is shown above */
function MessageItem({ message, by }: { readonly message: Message; readonly by: string | undefined }) {
  return (
    <li class={`said ${message.role === 'ROLE_AGENT' ? 'by-agent' : 'by-client'}`}>
      {by !== undefined && <span class="said-by">{by}</span>}
      <div class="said-what">
        {message.parts.map((part, i) => (
          <PartView key={i} part={part} isGrowing={false} isMarkdown={isMarkdown(part)} />
        ))}
      </div>
    </li>
  );
}
