import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';

/** What a watched worker reports to its supervisor. */
const reportSchema = z.union([
  z.object({ kind: z.literal('module'), path: z.string() }),
  z.object({ kind: z.literal('started'), agents: z.array(z.string()) }),
  /** It was asked to stop, and ends its turns. */
  z.object({ kind: z.literal('stopping') }),
]);
export type WorkerReport = z.infer<typeof reportSchema>;

/** Undefined for any other message. */
export function readReport(message: unknown): WorkerReport | undefined {
  return reportSchema.safeParse(message).data;
}

/** What a supervisor tells a watched worker: to stop, as after SIGTERM, and which of its agents its successor lacks. */
const retirementSchema = z.object({ kind: z.literal('retire'), gone: z.array(z.string()) });
export type Retirement = z.infer<typeof retirementSchema>;

/** Undefined for any other message. */
export function readRetirement(message: unknown): Retirement | undefined {
  return retirementSchema.safeParse(message).data;
}

/** Reports every module that is loaded from now on, and the modules that it imports, except installed packages. */
export function reportModules(report: (event: WorkerReport) => void): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const path = resolved.url.startsWith('file:') ? fileURLToPath(resolved.url) : '';
      if (path && !path.includes('/node_modules/')) report({ kind: 'module', path });
      return resolved;
    },
  });
}
