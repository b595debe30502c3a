/** W3C Trace Context, version 00 and those that begin like it. */
const traceParent = /^[\da-f]{2}-[\da-f]{32}-[\da-f]{16}-[\da-f]{2}$/;

/** What is none is left out, as the recommendation has it: it is not the caller's fault. */
export function traceParentIn(value: unknown): string | undefined {
  return typeof value === 'string' && traceParent.test(value) ? value : undefined;
}
