import { z } from 'zod';

/** What a watched worker tells its supervisor. */
const reportSchema = z.union([
  z.object({ kind: z.literal('module'), path: z.string() }),
  z.object({ kind: z.literal('started') }),
]);
export type WorkerReport = z.infer<typeof reportSchema>;

/** Undefined for whatever else a process may send. */
export function readReport(message: unknown): WorkerReport | undefined {
  return reportSchema.safeParse(message).data;
}
