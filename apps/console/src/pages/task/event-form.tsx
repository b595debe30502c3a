import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { newMessageId } from '../../app/message-id.ts';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/field.tsx';
import { notify, notifyProblem } from '../../design/notices.tsx';
import { giveEvent } from './actions.ts';

export const eventId = 'event';

const states: Readonly<Record<string, string>> = {
  taken: 'the task goes on',
  kept: 'kept until the task waits for it',
  'known-before': 'it was given before',
};

/** Gives a suspended task an event for which it waits. @param props `events`: their names */
export function EventForm({ taskId, events }: { readonly taskId: string; readonly events: readonly string[] }) {
  const chosen = useSignal(events[0] ?? '');
  const text = useSignal('{}');
  const isSending = useSignal(false);
  const id = useRef(newMessageId());
  const name = events.includes(chosen.value) ? chosen.value : (events[0] ?? '');
  const give = async (event: Event): Promise<void> => {
    event.preventDefault();
    isSending.value = true;
    try {
      const { state } = await giveEvent(taskId, { name, data: JSON.parse(text.value), id: id.current });
      id.current = newMessageId();
      notify(`${name}: ${states[state] ?? state}`);
    } catch (error) {
      notifyProblem(error instanceof SyntaxError ? new Error(`The data are not JSON: ${error.message}`) : error);
    }
    isSending.value = false;
  };
  return (
    <form class="answer" aria-label="Give an event" onSubmit={give}>
      {events.length > 1 && (
        <Field label="Event">
          <select
            class="input"
            value={name}
            onChange={({ currentTarget }) => {
              chosen.value = currentTarget.value;
            }}
          >
            {events.map((one) => (
              <option key={one}>{one}</option>
            ))}
          </select>
        </Field>
      )}
      <Field label={`Data of ${name}, as JSON`}>
        <textarea
          id={eventId}
          class="input"
          rows={3}
          required
          spellcheck={false}
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </Field>
      <div class="row">
        <span class="faint grow">In place of who should give it.</span>
        <Button submits kind="primary" icon="send" isDisabled={isSending.value}>
          Give {name}
        </Button>
      </div>
    </form>
  );
}
