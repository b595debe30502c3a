import { useSignal } from '@preact/signals';
import { type TimelineEntry, taskDetailSchema } from '@switchyard/operator-api';
import { useEffect } from 'preact/hooks';
import { call, problemText } from '../../../app/api.ts';
import { Problem } from '../../../design/views.tsx';

type Step = Extract<TimelineEntry, { kind: 'step' }>;
type Read = { readonly result: Step['result'] } | { readonly problem: string } | undefined;

interface StepResultProps {
  readonly taskId: string;
  readonly name: string;
  readonly epoch: number | undefined;
}

/** The stored result of a step, which is read when it is opened. */
export function StepResult({ taskId, name, epoch }: StepResultProps) {
  const read = useSignal<Read>(undefined);
  useEffect(() => {
    const query = { timeline: true, contents: true };
    call(`/admin/tasks/${taskId}`, taskDetailSchema, { query }).then(
      ({ timeline }) => {
        const steps = (timeline?.entries ?? []).filter((entry) => entry.kind === 'step' && entry.name === name);
        read.value = { result: resultIn(steps, epoch) };
      },
      (error: unknown) => {
        read.value = { problem: problemText(error) };
      },
    );
  }, [taskId, name, epoch]);
  const { value } = read;
  if (value === undefined) return <p class="faint">Loading its result …</p>;
  if ('problem' in value) return <Problem text={value.problem} />;
  if (!value.result) return <p class="faint">It has no stored result.</p>;
  const { text, bytes } = value.result;
  return (
    <div>
      <p class="faint">
        Result, {bytes.toLocaleString()} bytes{text.length < bytes && ': its beginning'}
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable with the keyboard. */}
      <pre class="json" tabIndex={0}>
        {text}
      </pre>
    </div>
  );
}

function resultIn(steps: readonly TimelineEntry[], epoch: number | undefined): Step['result'] {
  const results = steps.flatMap((entry) => (entry.kind === 'step' && entry.result ? [entry] : []));
  return (results.find((entry) => entry.epoch === epoch) ?? results.at(-1))?.result;
}
