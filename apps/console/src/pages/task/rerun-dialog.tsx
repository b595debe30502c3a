import { useSignal } from '@preact/signals';
import type { Message, Part } from '@switchyard/protocol';
import { partSchema } from '@switchyard/protocol/schemas';
import { useRef } from 'preact/hooks';
import { z } from 'zod';
import { problemText } from '../../app/api.ts';
import { newMessageId } from '../../app/message-id.ts';
import { go, taskPath } from '../../app/route.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/field.tsx';
import { Problem } from '../../design/views.tsx';
import { rerunTask } from './actions.ts';

interface RerunProps {
  readonly taskId: string;
  /** Steps with stored results, in order. */
  readonly steps: readonly string[];
  readonly first: Message | undefined;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

/** Reruns a task as a new one, from its beginning or from a step, with its message or an edited one. */
export function RerunDialog({ isOpen, onClose, ...rest }: RerunProps) {
  return (
    <Dialog title="Run again" isOpen={isOpen} onClose={onClose}>
      <RerunForm {...rest} onClose={onClose} />
    </Dialog>
  );
}

function RerunForm({ taskId, steps, first, onClose }: Omit<RerunProps, 'isOpen'>) {
  const messageId = useRef(newMessageId());
  const original = editable(first?.parts ?? []);
  const from = useSignal('');
  const input = useSignal(original.text);
  const problem = useSignal<string | undefined>(undefined);
  const remembered = steps.slice(0, Math.max(0, steps.indexOf(from.value)));
  const start = async (event: Event): Promise<void> => {
    event.preventDefault();
    try {
      const parts = input.value === original.text ? undefined : partsOf(input.value, original.isJson);
      const started = await rerunTask(taskId, {
        messageId: messageId.current,
        parts,
        fromStep: from.value || undefined,
      });
      onClose();
      go(taskPath(started));
    } catch (error) {
      problem.value = error instanceof SyntaxError || error instanceof z.ZodError ? notParts : problemText(error);
    }
  };
  return (
    <form class="rerun" onSubmit={start}>
      <p class="soft">A new task in the same context, for the same client. This task does not change.</p>
      <Field label="From">
        <select
          class="input"
          value={from.value}
          onChange={({ currentTarget }) => {
            from.value = currentTarget.value;
          }}
        >
          <option value="">the beginning</option>
          {steps.map((step) => (
            <option key={step} value={step}>
              step “{step}”
            </option>
          ))}
        </select>
      </Field>
      {remembered.length > 0 && <p class="faint">Remembered, not run again: {remembered.join(', ')}</p>}
      <Field label={original.isJson ? 'Parts of the message, as JSON' : 'Message'}>
        <textarea
          class={`input${original.isJson ? ' mono' : ''}`}
          rows={original.isJson ? 12 : 5}
          required
          value={input.value}
          onInput={({ currentTarget }) => {
            input.value = currentTarget.value;
          }}
        />
      </Field>
      {problem.value !== undefined && <Problem text={problem.value} />}
      <div class="dialog-foot">
        <Button onPress={onClose}>Close</Button>
        <Button submits kind="primary" icon="retry">
          Run again
        </Button>
      </div>
    </form>
  );
}

const notParts = 'These are not the parts of a message: each has text, data, url or raw.';

/** A single plain text is edited as text, everything else as JSON. */
function editable(parts: readonly Part[]): { readonly text: string; readonly isJson: boolean } {
  const [only] = parts;
  if (parts.length === 1 && only?.text !== undefined && Object.keys(only).length === 1)
    return { text: only.text, isJson: false };
  return { text: JSON.stringify(parts, null, 2), isJson: true };
}

/** @throws {SyntaxError}, {z.ZodError} */
function partsOf(text: string, isJson: boolean): Part[] {
  return isJson ? z.array(partSchema).min(1).parse(JSON.parse(text)) : [{ text }];
}
