import { useSignal } from '@preact/signals';
import { taskDetailSchema } from '@switchyard/operator-api';
import type { Part, Task } from '@switchyard/protocol';
import { useEffect } from 'preact/hooks';
import { z } from 'zod';
import { call, problemText } from '../../../app/api.ts';
import { href, taskPath } from '../../../app/route.ts';
import { Json } from '../../../design/json.tsx';
import { State } from '../../../design/state.tsx';
import { Problem } from '../../../design/views.tsx';
import { FailedReason } from '../../../failure/failed-reason.tsx';

const detailSchema = taskDetailSchema.extend({ task: z.custom<Task>().optional() });
type Read = z.infer<typeof detailSchema> | { readonly problem: string } | undefined;

/** What a called task was asked, and what it answered; read when it is opened. */
export function CalledTask({ taskId, agent }: { readonly taskId: string; readonly agent: string }) {
  const read = useSignal<Read>(undefined);
  useEffect(() => {
    call(`/admin/tasks/${taskId}`, detailSchema, { query: { contents: true } }).then(
      (detail) => {
        read.value = detail;
      },
      (error: unknown) => {
        read.value = { problem: problemText(error) };
      },
    );
  }, [taskId]);
  const { value } = read;
  if (value === undefined) return <p class="faint">Loading what it was asked …</p>;
  if ('problem' in value) return <Problem text={value.problem} />;
  const { task, state, reason } = value;
  const answer = [...(task?.status.message?.parts ?? []), ...(task?.artifacts ?? []).flatMap(({ parts }) => parts)];
  return (
    <>
      <p class="row">
        <State state={state} />
        <a href={href(taskPath(taskId))}>Open the task of {agent}</a>
      </p>
      {reason && <FailedReason reason={reason} />}
      <Parts title="Asked" parts={task?.history?.[0]?.parts ?? []} />
      <Parts title="Answered" parts={answer} />
    </>
  );
}

function Parts({ title, parts }: { readonly title: string; readonly parts: readonly Part[] }) {
  if (parts.length === 0) return null;
  const texts = parts.flatMap(({ text }) => text ?? []);
  return (
    <div>
      <p class="faint">{title}</p>
      {texts.length === parts.length ? <p class="called-text">{texts.join('\n')}</p> : <Json value={parts} />}
    </div>
  );
}
