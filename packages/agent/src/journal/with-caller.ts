/** A line of a stack that names code outside of Node. */
const codeLine = /^ {4}at (?!.*\bnode:)/m;

/**
 * Adds where the author called to the stack of an error that names no code. Libraries make such errors in callbacks of
 * Node, which belong to nobody: `fetch failed` has no line at all.
 * @param site an error made in the call
 */
export async function withCaller<T>(site: Error, result: Promise<T>): Promise<T> {
  try {
    return await result;
  } catch (error) {
    const [, ...frames] = site.stack?.split('\n') ?? [];
    if (error instanceof Error && !codeLine.test(error.stack ?? '')) error.stack = [error.stack, ...frames].join('\n');
    throw error;
  }
}
