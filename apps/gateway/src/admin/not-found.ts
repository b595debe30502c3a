import { A2AError } from '@switchyard/protocol';

/** @param what `worker`, `agent`, … */
export function notFound(what: string, id: string): A2AError {
  return new A2AError('NotFound', `There is no such ${what}`, {
    metadata: { [what.replace(' ', '-')]: id.slice(0, 64) },
  });
}

/** What is there, or NotFound. @throws {A2AError} */
export function found<T>(thing: T | undefined, what: string, id: string): T {
  if (thing === undefined) throw notFound(what, id);
  return thing;
}
