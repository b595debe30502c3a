// Loaded before an agent's tests: in a folder without packages they get those beside the command, as agents under
// `switchyard up` do.

import { registerHooks } from 'node:module';

registerHooks({
  resolve(specifier, context, next) {
    if (!/^@switchyard\/(?:agent|cli)(?:\/|$)/.test(specifier)) return next(specifier, context);
    try {
      return next(specifier, context);
    } catch {
      return next(specifier, { ...context, parentURL: import.meta.url });
    }
  },
});
