import type { Deployment } from './deployment.ts';

/**
 * Subscribes once a deployment is reached, and then calls `listener`: what it had before is not known. A subscription
 * that fails is left out, because what it would tell is also read from time to time.
 * @returns ends those that there are, and those that come later
 */
export function subscribeToEach(
  deployments: readonly Deployment[],
  subscribe: (deployment: Deployment) => Promise<() => void>,
  listener: () => void,
): () => void {
  const ends: (() => void)[] = [];
  let hasEnded = false;
  for (const deployment of deployments)
    deployment.onConnected(async () => {
      const end = await subscribe(deployment).catch(() => () => undefined);
      if (hasEnded) return end();
      ends.push(end);
      listener();
    });
  return () => {
    hasEnded = true;
    for (const end of ends.splice(0)) end();
  };
}
