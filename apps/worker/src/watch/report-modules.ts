import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WorkerReport } from './worker-report.ts';

/**
 * Tells of every module that is loaded from now on and may change, however deep it was imported. Installed packages do
 * not.
 */
export function reportModules(tell: (report: WorkerReport) => void): void {
  registerHooks({
    resolve(specifier, context, next) {
      const resolved = next(specifier, context);
      const path = resolved.url.startsWith('file:') ? fileURLToPath(resolved.url) : '';
      if (path && !path.includes('/node_modules/')) tell({ kind: 'module', path });
      return resolved;
    },
  });
}
