import { useSignal } from '@preact/signals';
import { type DeadLetterFilter, deadLetterSchema, pageOf } from '@switchyard/operator-api';
import { useLive } from '../../app/live.ts';
import { go, query, setQuery } from '../../app/route.ts';
import { Button } from '../../design/button.tsx';
import { Search } from '../../design/field.tsx';
import { Page } from '../../design/page.tsx';
import { Empty, WithData } from '../../design/views.tsx';
import { BulkRetry } from './bulk-retry.tsx';
import { LettersTable } from './letters-table.tsx';
import './page.css';

const pageSchema = pageOf('deadLetters', deadLetterSchema);
const pageSize = 50;

/** Messages and webhooks that failed for good, the latest first. The URL has the filter. */
export function DeadLettersPage() {
  const filter = filterIn(query.value);
  const pageToken = query.value.get('pageToken') ?? undefined;
  const live = useLive('/admin/dead-letters', pageSchema, { ...filter, pageSize, pageToken });
  const isRetrying = useSignal(false);
  const found = live.data.value?.totalSize;
  return (
    <Page
      title="Dead letters"
      about={found?.toLocaleString() ?? ''}
      isLost={live.isLost}
      bar={<FilterBar filter={filter} />}
      actions={
        <Button
          icon="retry"
          kind="primary"
          isDisabled={!found}
          onPress={() => {
            isRetrying.value = true;
          }}
        >
          Retry all
        </Button>
      }
    >
      <WithData live={live}>
        {({ deadLetters, nextPageToken }) => (
          <>
            {deadLetters.length > 0 ? <LettersTable letters={deadLetters} /> : <None isFiltered={isSome(filter)} />}
            <Pager isFirst={pageToken === undefined} next={nextPageToken} />
          </>
        )}
      </WithData>
      <BulkRetry
        isOpen={isRetrying.value}
        count={found ?? 0}
        filter={filter}
        onClose={() => {
          isRetrying.value = false;
        }}
      />
    </Page>
  );
}

function filterIn(given: URLSearchParams): DeadLetterFilter {
  const text = (name: string): string | undefined => given.get(name) ?? undefined;
  const kind = given.get('kind');
  return {
    kind: kind === 'turn' || kind === 'webhook' ? kind : undefined,
    agent: text('agent'),
    tenant: text('tenant'),
    reason: text('reason'),
  };
}

const isSome = (filter: DeadLetterFilter): boolean => Object.values(filter).some((value) => value !== undefined);

function FilterBar({ filter: { kind, agent = '', tenant = '', reason = '' } }: { readonly filter: DeadLetterFilter }) {
  const set = (name: string) => (value: string) => setQuery({ [name]: value, pageToken: undefined });
  return (
    <div class="letters-bar">
      <Search label="Part of the reason" placeholder="Part of the reason" value={reason} onInput={set('reason')} />
      <select
        class="input"
        aria-label="Kind"
        value={kind ?? ''}
        onChange={({ currentTarget }) => set('kind')(currentTarget.value)}
      >
        <option value="">All kinds</option>
        <option value="turn">Messages</option>
        <option value="webhook">Webhooks</option>
      </select>
      <Text label="Agent" value={agent} onInput={set('agent')} />
      <Text label="Tenant" value={tenant} onInput={set('tenant')} />
    </div>
  );
}

interface TextProps {
  readonly label: string;
  readonly value: string;
  readonly onInput: (value: string) => void;
}

function Text({ label, value, onInput }: TextProps) {
  return (
    <input
      class="input"
      aria-label={label}
      placeholder={label}
      autocomplete="off"
      spellcheck={false}
      value={value}
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  );
}

function Pager({ isFirst, next }: { readonly isFirst: boolean; readonly next: string }) {
  if (isFirst && next === '') return null;
  return (
    <div class="letters-pager">
      {!isFirst && <Button onPress={() => setQuery({ pageToken: undefined })}>Latest</Button>}
      {next !== '' && <Button onPress={() => setQuery({ pageToken: next }, { replaces: false })}>Older</Button>}
    </div>
  );
}

function None({ isFiltered }: { readonly isFiltered: boolean }) {
  if (!isFiltered)
    return (
      <Empty icon="check" title="Nothing was given up">
        A message comes here when all attempts at it have failed, a webhook when it did not answer for too long.
      </Empty>
    );
  return (
    <div class="letters-none">
      <Empty icon="search" title="No dead letter matches" />
      <Button onPress={() => go('/dead-letters')}>Show all</Button>
    </div>
  );
}
