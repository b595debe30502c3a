import { type ConversationRow, conversationRowSchema, pageOf } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { href, parts, query, setQuery } from '../../app/route.ts';
import { clientText } from '../../design/client-text.ts';
import { Page } from '../../design/page.tsx';
import { Split, useSplitKeys } from '../../design/split.tsx';
import { Badge } from '../../design/state.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { Ago } from '../../design/time.tsx';
import { Empty, NotShown, WithData } from '../../design/views.tsx';
import { ConversationView } from './conversation-view.tsx';
import './page.css';

const pageSchema = pageOf('conversations', conversationRowSchema);
const states = { all: 'All', open: 'Open', complete: 'Ended' } as const;

/** Conversations of agents, the latest first. The URL has the selected one. */
export function ConversationsPage() {
  const given = query.value.get('state');
  const state = given === 'open' || given === 'complete' ? given : undefined;
  const contextId = query.value.get('contextId') ?? undefined;
  const live = useLive('/admin/conversations', pageSchema, { pageSize: 100, state, contextId });
  const total = live.data.value?.totalSize;
  const bar = (
    <Tabs
      label="Which conversations"
      tabs={states}
      selected={state ?? 'all'}
      onSelect={(name) => setQuery({ state: name === 'all' ? undefined : name })}
    />
  );
  return (
    <Page
      title="Conversations"
      about={total === undefined ? '' : total.toLocaleString()}
      isLost={live.isLost}
      bar={bar}
      isFull
    >
      <WithData live={live}>
        {({ conversations, totalSize: all }) => <Conversations rows={conversations} totalSize={all} />}
      </WithData>
    </Page>
  );
}

function Conversations({ rows, totalSize }: { readonly rows: readonly ConversationRow[]; readonly totalSize: number }) {
  const chosenId = parts.value[1];
  const ids = rows.map(({ conversationId }) => conversationId);
  useSplitKeys('/conversations', ids, chosenId);
  if (rows.length === 0 && chosenId === undefined)
    return (
      <Empty icon="conversations" title="No conversations">
        They begin when an agent talks to another one with <code>turn.holdConversation</code>.
      </Empty>
    );
  return (
    <Split
      list={
        <>
          {rows.map((row) => (
            <Item key={row.conversationId} row={row} isChosen={row.conversationId === chosenId} />
          ))}
          <NotShown shown={rows.length} totalSize={totalSize} />
        </>
      }
      detail={chosenId === undefined ? undefined : <ConversationView key={chosenId} id={chosenId} />}
      otherwise={<Empty icon="conversations" title="Choose a conversation to read" />}
    />
  );
}

function Item({ row, isChosen }: { readonly row: ConversationRow; readonly isChosen: boolean }) {
  const { conversationId, fromAgent, toAgent, tenant, subject, state, lastSeq, at } = row;
  return (
    <a
      class="split-item"
      href={href(`/conversations/${conversationId}`, { state: query.value.get('state') ?? undefined })}
      aria-current={isChosen || undefined}
    >
      <span class="row">
        <b class="grow clip">
          {fromAgent} <span class="faint">⇄</span> {toAgent}
        </b>
        <span class="faint">
          <Ago at={at} />
        </span>
      </span>
      <span class="row soft">
        <span class="grow clip">
          {lastSeq} {lastSeq === 1 ? 'event' : 'events'} · {clientText({ tenant, subject })}
        </span>
        {state === 'open' && <Badge colour="blue">Open</Badge>}
      </span>
    </a>
  );
}
