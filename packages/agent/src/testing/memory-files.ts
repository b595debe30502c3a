import { randomUUID } from 'node:crypto';
import type { Part } from '@switchyard/protocol';
import type { FileAtUrl, FileContent, FileOptions, FilePort } from '../port/file-port.ts';
import { RefusedError } from '../port/turn-errors.ts';
import type { MemoryWorld } from './memory-world.ts';

/** URLs of files that agents write begin so. */
const storedAt = 'http://switchyard.test/files/';

/** Files in memory. What a test has not put there does not exist: nothing is fetched. */
export class MemoryFiles implements FilePort {
  readonly #world: MemoryWorld;

  constructor(world: MemoryWorld) {
    this.#world = world;
  }

  async open({ url }: FileAtUrl): Promise<FileContent> {
    const bytes = this.#world.files.get(url);
    if (!bytes)
      throw new RefusedError('file-refused', `There is no file ${url}. A test gives it with the option "files".`);
    return { stream: new Blob([Buffer.from(bytes)]).stream(), sizeBytes: bytes.length };
  }

  async openStored(url: string): Promise<FileContent | undefined> {
    return url.startsWith(storedAt) && this.#world.files.has(url) ? this.open({ url }) : undefined;
  }

  async write(content: AsyncIterable<Uint8Array>, { name, mediaType }: FileOptions): Promise<Part> {
    const chunks: Uint8Array[] = [];
    for await (const chunk of content) chunks.push(chunk);
    const url = `${storedAt}${randomUUID()}`;
    this.#world.files.set(url, Buffer.concat(chunks));
    return { url, ...(name !== undefined && { filename: name }), mediaType: mediaType ?? 'application/octet-stream' };
  }
}
