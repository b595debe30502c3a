import { useSignal } from '@preact/signals';
import type { Part } from '@switchyard/protocol';
import { useRef } from 'preact/hooks';
import { Button, IconButton } from '../../design/button.tsx';
import { notifyProblem } from '../../design/notices.tsx';

interface ComposerProps {
  /** Data that the agent takes: it is to be changed, and stays for the next message. Unset: none is needed. */
  readonly example?: string | undefined;
  /** What was wrong with the data before. */
  readonly wrongFields?: readonly string[] | undefined;
  readonly isBusy: boolean;
  readonly onSend: (parts: readonly Part[]) => void;
  readonly onCancel: () => Promise<void>;
}

/** Text, files and data for an agent. Enter sends, Shift+Enter starts a new line. */
export function Composer({ example, wrongFields = [], isBusy, onSend, onCancel }: ComposerProps) {
  const text = useSignal('');
  const data = useSignal<string | undefined>(example);
  const files = useSignal<readonly Part[]>([]);
  const send = (): void => {
    const parts = partsOf(text.value, files.value, data.value);
    if (!parts || parts.length === 0 || isBusy) return;
    text.value = '';
    if (example === undefined) data.value = undefined;
    files.value = [];
    onSend(parts);
  };
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {data.value !== undefined && (
        <textarea
          class="input mono"
          aria-label="Data as JSON"
          placeholder='{"size": "large"}'
          aria-invalid={wrongFields.length > 0}
          rows={Math.min(12, Math.max(3, data.value.split('\n').length))}
          value={data.value}
          onInput={(event) => {
            data.value = event.currentTarget.value;
          }}
        />
      )}
      {wrongFields.length > 0 && (
        <ul class="composer-wrong" aria-label="What is wrong with the data">
          {wrongFields.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
      <textarea
        class="input"
        aria-label="Message"
        placeholder="A message to the agent"
        rows={2}
        value={text.value}
        onInput={(event) => {
          text.value = event.currentTarget.value;
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          send();
        }}
      />
      <div class="row">
        <FileButton
          onFiles={(given) => {
            files.value = [...files.value, ...given];
          }}
        />
        <Button
          kind="quiet"
          icon="plus"
          onPress={() => {
            data.value = data.value === undefined ? '' : undefined;
          }}
        >
          Data
        </Button>
        <ul class="row grow attached">
          {files.value.map((file, i) => (
            <li key={file.filename} class="tag gray">
              {file.filename}
              <IconButton
                icon="close"
                label={`Remove ${file.filename}`}
                onPress={() => {
                  files.value = files.value.filter((_, at) => at !== i);
                }}
              />
            </li>
          ))}
        </ul>
        {isBusy && (
          <Button kind="danger" onPress={onCancel}>
            Cancel
          </Button>
        )}
        <Button kind="primary" icon="send" submits isDisabled={isBusy}>
          Send
        </Button>
      </div>
    </form>
  );
}

/** Undefined: the data is not JSON, and an error is shown. */
function partsOf(text: string, files: readonly Part[], data: string | undefined): Part[] | undefined {
  const said: Part[] = text.trim() ? [{ text: text.trim() }] : [];
  if (!data?.trim()) return [...said, ...files];
  try {
    return [...said, ...files, { data: JSON.parse(data), mediaType: 'application/json' }];
  } catch {
    notifyProblem('The data is not JSON');
    return undefined;
  }
}

function FileButton({ onFiles }: { readonly onFiles: (files: readonly Part[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  const read = async (): Promise<void> => {
    onFiles(await Promise.all([...(input.current?.files ?? [])].map(partOf)));
    if (input.current) input.current.value = '';
  };
  return (
    <>
      <input ref={input} type="file" multiple hidden aria-label="Files" onChange={read} />
      <Button kind="quiet" icon="file" onPress={() => input.current?.click()}>
        File
      </Button>
    </>
  );
}

async function partOf(file: File): Promise<Part> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let binary = '';
  for (let at = 0; at < bytes.length; at += 0x8000) binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return { raw: btoa(binary), filename: file.name, mediaType: file.type || 'application/octet-stream' };
}
