/**
 * Each item as `change` makes it. Not a generator: it would keep the last item, which may be a large task, in memory
 * until the next one.
 */
export function mapItems<Item, Changed>(
  items: AsyncIterable<Item>,
  change: (item: Item) => Changed | Promise<Changed>,
): AsyncIterable<Changed> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        async next() {
          const { done, value } = await iterator.next();
          return done ? { done, value: undefined } : { done: false, value: await change(value) };
        },
        async return() {
          await iterator.return?.();
          return { done: true, value: undefined };
        },
      };
    },
  };
}
