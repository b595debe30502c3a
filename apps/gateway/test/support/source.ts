/** An async iterable of the items that a test pushes. */
export class Source<T> implements AsyncIterable<T> {
  #waiting: PromiseWithResolvers<IteratorResult<T>>[] = [];
  #ready: Promise<IteratorResult<T>>[] = [];

  push(value: T): void {
    this.#settle(Promise.resolve({ done: false, value }));
  }

  end(): void {
    this.#settle(Promise.resolve({ done: true, value: undefined }));
  }

  fail(error: Error): void {
    this.#settle(Promise.reject(error));
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    return {
      next: () => {
        const ready = this.#ready.shift();
        if (ready) return ready;
        const waiting = Promise.withResolvers<IteratorResult<T>>();
        this.#waiting.push(waiting);
        return waiting.promise;
      },
    };
  }

  #settle(result: Promise<IteratorResult<T>>): void {
    const waiting = this.#waiting.shift();
    if (waiting) waiting.resolve(result);
    else this.#ready.push(result);
  }
}
