import type { Message } from '@switchyard/protocol';
import { isMarkdown, PartView } from '../../../content/part.tsx';

/** What client and agent said, in order. */
export function Chat({ history, agent }: { readonly history: readonly Message[]; readonly agent: string }) {
  if (history.length === 0) return <p class="faint">Nothing was said.</p>;
  return (
    <ol class="chat">
      {history.map((message) => (
        <Said key={message.messageId} message={message} agent={agent} />
      ))}
    </ol>
  );
}

function Said({ message, agent }: { readonly message: Message; readonly agent: string }) {
  const isAgent = message.role === 'ROLE_AGENT';
  return (
    <li class={isAgent ? 'said by-agent' : 'said by-client'}>
      <span class="said-by">{isAgent ? agent : 'client'}</span>
      <div class="said-what">
        {message.parts.map((part, i) => (
          <PartView key={i} part={part} isGrowing={false} isMarkdown={isMarkdown(part)} />
        ))}
      </div>
    </li>
  );
}
