import type { Observe } from '../observe/happening.ts';

/** To be called whenever a config is about to be stored: says once that credentials are kept in clear, if they are. */
export function noteClearStorage(areSealed: boolean, observe: Observe): () => void {
  let isSaid = areSealed;
  return () => {
    if (!isSaid) observe({ kind: 'push-in-clear' });
    isSaid = true;
  };
}
