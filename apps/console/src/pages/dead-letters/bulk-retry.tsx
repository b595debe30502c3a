import { useSignal } from '@preact/signals';
import { type BulkProgress, bulkProgressSchema, type DeadLetterFilter } from '@switchyard/operator-api';
import { useEffect, useRef } from 'preact/hooks';
import { progress } from '../../app/api.ts';
import { BulkSteps } from '../../design/bulk.tsx';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { notifyProblem } from '../../design/notices.tsx';

interface BulkRetryProps {
  readonly isOpen: boolean;
  readonly count: number;
  readonly filter: DeadLetterFilter;
  readonly onClose: () => void;
}

/** Retries all matching dead letters, with progress. Closing it stops; finished retries stay. */
export function BulkRetry({ isOpen, onClose, ...what }: BulkRetryProps) {
  return (
    <Dialog title="Retry dead letters" isOpen={isOpen} onClose={onClose}>
      <Run {...what} onClose={onClose} />
    </Dialog>
  );
}

function Run({ count, filter, onClose }: Omit<BulkRetryProps, 'isOpen'>) {
  const state = useSignal<BulkProgress | undefined>(undefined);
  const stop = useRef(new AbortController());
  // The number when it started.
  const asked = useRef({ count, filter });
  useEffect(() => () => stop.current.abort(), []);
  const run = async (): Promise<void> => {
    const { signal } = stop.current;
    const how = { method: 'POST', body: asked.current.filter, signal } as const;
    try {
      for await (const step of progress('/admin/dead-letters:retry', bulkProgressSchema, how)) state.value = step;
    } catch (error) {
      if (!signal.aborted) notifyProblem(error);
    }
  };
  if (state.value) return <BulkSteps {...state.value} onClose={onClose} />;
  return (
    <>
      <p>
        {asked.current.count.toLocaleString()} dead letters {filterText(asked.current.filter)} are retried: messages are
        sent again, as new tasks in their context; deliveries to webhooks go on where they stopped.
      </p>
      <div class="dialog-foot">
        <Button onPress={onClose}>Cancel</Button>
        <Button kind="primary" icon="retry" onPress={run}>
          Retry {asked.current.count.toLocaleString()}
        </Button>
      </div>
    </>
  );
}

function filterText({ kind, agent, tenant, reason }: DeadLetterFilter): string {
  const parts = [
    kind && (kind === 'turn' ? 'of messages' : 'of webhooks'),
    agent && `of the agent “${agent}”`,
    tenant && `of the tenant “${tenant}”`,
    reason && `whose reason has “${reason}”`,
  ];
  return parts.filter(Boolean).join(', ');
}
