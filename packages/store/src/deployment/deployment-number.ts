/** Deployments behind one address have numbers from 0 to this one. */
export const MAX_DEPLOYMENT = 255;

/** A UUID of version 8: two digits after the version are the number. Ids that deployment 0 derives have the variant 8. */
const form = /^[\da-f]{8}-[\da-f]{4}-8([\da-f]{2})[\da-f]-b[\da-f]{3}-[\da-f]{12}$/;

/** The number of the deployment that made an id of a task, context or conversation. 0 also for ids that clients chose. */
export function deploymentOf(id: string): number {
  const [, number = '0'] = form.exec(id) ?? [];
  return Number.parseInt(number, 16);
}

/** The UUID with the number of a deployment. Those of deployment 0 stay as they are. */
export function withDeployment(uuid: string, deployment: number): string {
  if (deployment === 0) return uuid;
  const number = deployment.toString(16).padStart(2, '0');
  return `${uuid.slice(0, 14)}8${number}${uuid.slice(17, 19)}b${uuid.slice(20)}`;
}
