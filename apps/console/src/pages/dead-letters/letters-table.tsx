import { useSignal } from '@preact/signals';
import { type DeadLetter, deadLetterSchema, startedTaskSchema } from '@switchyard/operator-api';
import { useEffect } from 'preact/hooks';
import { z } from 'zod';
import { call } from '../../app/api.ts';
import { go, href, taskPath } from '../../app/route.ts';
import { type BulkAction, BulkBar } from '../../design/bulk.tsx';
import { Button } from '../../design/button.tsx';
import { clientText } from '../../design/client-text.ts';
import { Dialog } from '../../design/dialog.tsx';
import { shortId } from '../../design/id.tsx';
import { Json } from '../../design/json.tsx';
import { notify, notifyProblem } from '../../design/notices.tsx';
import { Badge } from '../../design/state.tsx';
import { type Column, Table } from '../../design/table.tsx';
import { Ago } from '../../design/time.tsx';
import { Loading } from '../../design/views.tsx';
import { kindText } from '../../failure/failure-kinds.ts';
import { FailureView } from '../../failure/failure-view.tsx';

export function LettersTable({ letters }: { readonly letters: readonly DeadLetter[] }) {
  const opened = useSignal<DeadLetter | undefined>(undefined);
  const chosen = useSignal<ReadonlySet<string>>(new Set());
  const toggle = (id: string): void => {
    const next = new Set(chosen.value);
    if (!next.delete(id)) next.add(id);
    chosen.value = next;
  };
  const choose = (ids: readonly string[]): void => {
    chosen.value = new Set(ids);
  };
  const columns: readonly Column<DeadLetter>[] = [
    {
      name: 'Chosen',
      cell: ({ id, taskId }) => (
        <input
          type="checkbox"
          aria-label={`Choose the dead letter of task ${shortId(taskId)}`}
          checked={chosen.value.has(id)}
          onChange={() => toggle(id)}
        />
      ),
    },
    {
      name: 'Reason',
      cell: (letter) => (
        <button
          type="button"
          class="letter-reason"
          title={whyText(letter)}
          onClick={() => {
            opened.value = letter;
          }}
        >
          {letter.why && <b>{kindText(letter.why.kind)}: </b>}
          {whyText(letter)}
        </button>
      ),
    },
    {
      name: 'Kind',
      cell: ({ kind }) => (
        <Badge colour={kind === 'turn' ? 'gray' : 'violet'}>{kind === 'turn' ? 'Message' : 'Webhook'}</Badge>
      ),
    },
    { name: 'Agent or receiver', cell: ({ agent, origin }) => agent ?? origin ?? '' },
    {
      name: 'From',
      cell: ({ kind, ...owner }) => <span class="soft">{kind === 'turn' && clientText(owner)}</span>,
    },
    { name: 'Attempts', isNumber: true, cell: ({ attempts }) => attempts },
    { name: 'Died', isNumber: true, cell: ({ diedAt }) => <Ago at={diedAt} /> },
    { name: 'Task', cell: ({ taskId }) => <TaskLink id={taskId} /> },
    { name: '', cell: (letter) => <Actions letter={letter} /> },
  ];
  const close = (): void => {
    opened.value = undefined;
  };
  return (
    <div class="panel letters">
      <BulkBar
        ids={[...chosen.value]}
        things="dead letters"
        actions={letterActions}
        onChooseAll={() => choose(letters.map(({ id }) => id))}
        onClear={() => choose([])}
      />
      <Table
        label="Dead letters"
        columns={columns}
        rows={letters}
        keyOf={({ id }) => id}
        isSelected={({ id }) => chosen.value.has(id)}
      />
      <Dialog title="Dead letter" isOpen={opened.value !== undefined} onClose={close}>
        {opened.value && <Letter letter={opened.value} onDone={close} />}
      </Dialog>
    </div>
  );
}

/** Why its last attempt failed; of a webhook, what its receiver answered. */
const whyText = ({ why, reason }: DeadLetter): string => why?.message ?? reason;

const letterActions: readonly BulkAction[] = [
  {
    name: 'Retry',
    effect: 'messages are sent again as new tasks in their context; deliveries to webhooks go on where they stopped.',
    run: (id) => call(`/admin/dead-letters/${encodeURIComponent(id)}:retry`, startedTaskSchema, { method: 'POST' }),
  },
  {
    name: 'Delete',
    effect: 'messages are forgotten, their tasks stay; webhooks are deleted with their deliveries.',
    isDanger: true,
    run: (id) => call(`/admin/dead-letters/${encodeURIComponent(id)}`, z.undefined(), { method: 'DELETE' }),
  },
];

function TaskLink({ id }: { readonly id: string }) {
  return (
    <a class="mono" href={href(taskPath(id))} title={id}>
      {shortId(id)}
    </a>
  );
}

function Actions({ letter }: { readonly letter: DeadLetter }) {
  return (
    <Button kind="quiet" icon="retry" onPress={() => retry(letter)}>
      Retry
    </Button>
  );
}

async function retry({ id, kind }: DeadLetter): Promise<void> {
  const path = `/admin/dead-letters/${encodeURIComponent(id)}:retry`;
  const { taskId } = await call(path, startedTaskSchema, { method: 'POST' });
  if (kind === 'webhook') notify('Deliveries continue where they stopped');
  else go(taskPath(taskId));
}

async function forget({ id }: DeadLetter): Promise<void> {
  await call(`/admin/dead-letters/${encodeURIComponent(id)}`, z.undefined(), { method: 'DELETE' });
  notify('Deleted');
}

/** The whole dead letter, with the client's message. */
function Letter({ letter, onDone }: { readonly letter: DeadLetter; readonly onDone: () => void }) {
  const whole = useSignal<DeadLetter | undefined>(undefined);
  useEffect(() => {
    const query = { contents: true };
    call(`/admin/dead-letters/${encodeURIComponent(letter.id)}`, deadLetterSchema, { query }).then((found) => {
      whole.value = found;
    }, notifyProblem);
  }, [letter.id]);
  const act = (order: (letter: DeadLetter) => Promise<void>) => async () => {
    await order(letter);
    onDone();
  };
  return (
    <>
      {whole.value?.failure ? (
        <FailureView failure={whole.value.failure} />
      ) : (
        <p class="letter-why">{whyText(letter)}</p>
      )}
      {whole.value ? <Json value={whole.value} /> : <Loading />}
      <div class="dialog-foot">
        <Button kind="danger" onPress={act(forget)}>
          Delete
        </Button>
        <Button kind="primary" icon="retry" onPress={act(retry)}>
          Retry
        </Button>
      </div>
    </>
  );
}
