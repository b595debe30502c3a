import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { type BulkState, runForEach } from '../app/bulk.ts';
import { Button } from './button.tsx';
import { Dialog } from './dialog.tsx';

/** An action for all chosen things. */
export interface BulkAction {
  /** `Cancel`, `Retry` */
  readonly name: string;
  /** What it does to them, for the question. */
  readonly effect: string;
  readonly isDanger?: boolean;
  readonly run: (id: string) => Promise<unknown>;
}

interface BulkBarProps {
  readonly ids: readonly string[];
  /** `tasks` */
  readonly things: string;
  readonly actions: readonly BulkAction[];
  readonly onChooseAll?: (() => void) | undefined;
  readonly onClear: () => void;
}

/** How many are chosen, and what can be done with all of them. */
export function BulkBar({ ids, things, actions, onChooseAll, onClear }: BulkBarProps) {
  const opened = useSignal<{ readonly action: BulkAction; readonly ids: readonly string[] } | undefined>(undefined);
  const close = (): void => {
    opened.value = undefined;
    onClear();
  };
  const { value } = opened;
  return (
    <>
      {ids.length > 0 && (
        <div class="bulk-bar">
          <b role="status">{ids.length.toLocaleString()} chosen</b>
          {actions.map((action) => (
            <Button
              key={action.name}
              kind={action.isDanger ? 'danger' : 'plain'}
              onPress={() => {
                opened.value = { action, ids };
              }}
            >
              {action.name}
            </Button>
          ))}
          <span class="grow" />
          {onChooseAll && (
            <Button kind="quiet" onPress={onChooseAll}>
              Choose all that are loaded
            </Button>
          )}
          <Button kind="quiet" onPress={onClear}>
            Choose none
          </Button>
        </div>
      )}
      <Dialog title={`${value?.action.name ?? ''} ${things}`} isOpen={value !== undefined} onClose={close}>
        {value && <Run {...value} things={things} onClose={close} />}
      </Dialog>
    </>
  );
}

interface RunProps {
  readonly action: BulkAction;
  readonly ids: readonly string[];
  readonly things: string;
  readonly onClose: () => void;
}

function Run({ action: { name, effect, isDanger, run }, ids, things, onClose }: RunProps) {
  const state = useSignal<BulkState | undefined>(undefined);
  const stop = useRef(new AbortController());
  useEffect(() => () => stop.current.abort(), []);
  const start = async (): Promise<void> => {
    for await (const step of runForEach(ids, run, stop.current.signal)) state.value = step;
  };
  if (state.value) {
    const { refused: reasons, ...far } = state.value;
    const refused = [...reasons.values()].reduce((sum, count) => sum + count, 0);
    return <BulkSteps {...far} refused={refused} reasons={reasons} onClose={onClose} />;
  }
  return (
    <>
      <p>
        {ids.length.toLocaleString()} {things}: {effect}
      </p>
      <div class="dialog-foot">
        <Button onPress={onClose}>Back</Button>
        <Button kind={isDanger ? 'danger' : 'primary'} onPress={start}>
          {`${name} ${ids.length.toLocaleString()}`}
        </Button>
      </div>
    </>
  );
}

interface BulkStepsProps {
  readonly total: number;
  readonly done: number;
  readonly refused: number;
  /** How often, by the reason. */
  readonly reasons?: ReadonlyMap<string, number>;
  readonly isDone: boolean;
  readonly onClose: () => void;
}

/** How far an action for several things has come. Closing it stops the action. */
export function BulkSteps({ total, done, refused, reasons = new Map(), isDone, onClose }: BulkStepsProps) {
  return (
    <>
      <progress class="progress" max={Math.max(1, total)} value={total === 0 ? 1 : done} aria-label="Progress" />
      <p role="status">
        {done.toLocaleString()} of {total.toLocaleString()}
        {refused > 0 && `, ${refused.toLocaleString()} refused`}
      </p>
      {reasons.size > 0 && (
        <ul class="bulk-refused">
          {[...reasons].map(([why, count]) => (
            <li key={why}>
              <b>{count}×</b> {why}
            </li>
          ))}
        </ul>
      )}
      <div class="dialog-foot">
        <Button kind={isDone ? 'primary' : 'plain'} onPress={onClose}>
          {isDone ? 'Done' : 'Stop'}
        </Button>
      </div>
    </>
  );
}
