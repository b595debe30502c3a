import { useSignal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { newMessageId } from '../../app/message-id.ts';
import { Button } from '../../design/button.tsx';
import { Field } from '../../design/field.tsx';
import { notifyProblem } from '../../design/notices.tsx';
import { answerTask } from './actions.ts';

export const answerId = 'answer';

/** Answers a task that waits for input, in place of its client. */
export function AnswerForm({ taskId }: { readonly taskId: string }) {
  const text = useSignal('');
  const isSending = useSignal(false);
  const messageId = useRef(newMessageId());
  const send = async (event: Event): Promise<void> => {
    event.preventDefault();
    isSending.value = true;
    try {
      await answerTask(taskId, messageId.current, [{ text: text.value }]);
      messageId.current = newMessageId();
      text.value = '';
    } catch (error) {
      notifyProblem(error);
    }
    isSending.value = false;
  };
  return (
    <form class="answer" onSubmit={send}>
      <Field label="Your answer">
        <textarea
          id={answerId}
          class="input"
          rows={3}
          required
          value={text.value}
          onInput={({ currentTarget }) => {
            text.value = currentTarget.value;
          }}
        />
      </Field>
      <div class="row">
        <span class="faint grow">Sent in the name of the task’s client.</span>
        <Button submits kind="primary" icon="send" isDisabled={isSending.value}>
          Answer
        </Button>
      </div>
    </form>
  );
}
