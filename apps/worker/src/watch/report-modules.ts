import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import type { WorkerReport } from './worker-report.ts';

/** Reports every module that is loaded from now on, also those that modules import; installed packages are left out. */
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
