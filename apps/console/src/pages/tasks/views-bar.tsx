import { useSignal } from '@preact/signals';
import { Button, IconButton } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { Field } from '../../design/field.tsx';
import { commonViews, forgetView, savedViews, saveView } from './saved-views.ts';

interface ViewsBarProps {
  readonly text: string;
  readonly onSelect: (text: string) => void;
}

/** Saved searches, and a name for the current one. */
export function ViewsBar({ text, onSelect }: ViewsBarProps) {
  const isSaving = useSignal(false);
  const known = [...commonViews, ...savedViews.value];
  const current = known.find((view) => view.text === text);
  const isOwn = savedViews.value.some((view) => view === current);
  const close = (): void => {
    isSaving.value = false;
  };
  return (
    <div class="views">
      {known.map((view) => (
        <button
          key={view.name}
          type="button"
          class="view-chip"
          aria-pressed={view === current}
          onClick={() => onSelect(view.text)}
        >
          {view.name}
        </button>
      ))}
      {current === undefined && (
        <IconButton
          icon="bookmark"
          label="Save this search"
          onPress={() => {
            isSaving.value = true;
          }}
        />
      )}
      {isOwn && current && (
        <IconButton icon="close" label={`Forget “${current.name}”`} onPress={() => forgetView(current.name)} />
      )}
      <Dialog title="Save this search" isOpen={isSaving.value} onClose={close}>
        <SaveForm text={text} onDone={close} />
      </Dialog>
    </div>
  );
}

function SaveForm({ text, onDone }: { readonly text: string; readonly onDone: () => void }) {
  const name = useSignal('');
  const save = (event: SubmitEvent): void => {
    event.preventDefault();
    saveView({ name: name.value.trim(), text });
    onDone();
  };
  return (
    <form class="dialog-body" onSubmit={save}>
      <code class="soft">{text}</code>
      <Field label="Name">
        <input
          class="input"
          required
          maxLength={40}
          value={name.value}
          onInput={(event) => {
            name.value = event.currentTarget.value;
          }}
        />
      </Field>
      <div class="dialog-foot">
        <Button kind="primary" submits>
          Save
        </Button>
      </div>
    </form>
  );
}
