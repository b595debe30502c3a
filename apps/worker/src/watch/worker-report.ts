import { z } from 'zod';

/** What a watched worker reports to its supervisor. */
const reportSchema = z.union([
  z.object({ kind: z.literal('module'), path: z.string() }),
  z.object({ kind: z.literal('started') }),
]);
export type WorkerReport = z.infer<typeof reportSchema>;

/** Undefined for any other message. */
export function readReport(message: unknown): WorkerReport | undefined {
  return reportSchema.safeParse(message).data;
}
