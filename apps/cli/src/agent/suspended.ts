import { suspendedUri } from '@switchyard/protocol';
import { z } from 'zod';

const waitsSchema = z.array(z.object({ event: z.string().optional(), until: z.string().optional() }));

export type SuspendedWaits = z.infer<typeof waitsSchema>;

/** What the metadata of a task, or of a status event, say that it waits for: docs/extensions/suspended.md. */
export function suspendedWaits(metadata: unknown): SuspendedWaits {
  return waitsSchema.safeParse(Object(metadata)[suspendedUri]).data ?? [];
}

/** `for the event "payment" until 2026-02-03T12:00:00.000Z`; undefined: for nothing. */
export function suspendedText(metadata: unknown): string | undefined {
  const texts = suspendedWaits(metadata).map(({ event, until }) =>
    [
      ...(event === undefined ? [] : [`for the event "${event}"`]),
      ...(until === undefined ? [] : [`until ${until}`]),
    ].join(' '),
  );
  return texts.length > 0 ? texts.join(', or ') : undefined;
}
