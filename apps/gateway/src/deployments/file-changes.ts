import { readFile } from 'node:fs/promises';
import { isDeepStrictEqual } from 'node:util';
import { type ListedDeployment, readDeployments } from './deployments-file.ts';

/**
 * How the file of DEPLOYMENTS_FILE, and the passwords and certificates that it names, differ from what the gateway has
 * read at its start. It does not take them over: see docs/deployments.md.
 */
export class FileChanges {
  readonly #file: string;
  readonly #read: readonly ListedDeployment[];
  #text: string | undefined;
  /** Of all files, at the last check. */
  #contents: string | undefined;

  constructor(file: string, read: readonly ListedDeployment[]) {
    this.#file = file;
    this.#read = read;
  }

  /** As of the last check: `deployment 2 is new`. Undefined: none. */
  get text(): string | undefined {
    return this.#text;
  }

  /**
   * Reads the files again and again, as a change of a password or certificate is one of another file.
   * @param onChange is called for changes other than those that were there before
   */
  watch(intervalMs: number, onChange: (text: string) => void): void {
    const again = async (): Promise<void> => {
      if ((await this.check()) && this.#text !== undefined) onChange(this.#text);
      this.watch(intervalMs, onChange);
    };
    setTimeout(() => void again(), intervalMs).unref();
  }

  /**
   * Reads the files again, without blocking the process as long as they stay the same.
   * @returns whether there are changes other than those that were there before
   */
  async check(): Promise<boolean> {
    const contents = await contentsOf(this.#file);
    if (contents === this.#contents) return false;
    this.#contents = contents;
    const previous = this.#text;
    try {
      this.#text = changesBetween(this.#read, readDeployments(this.#file));
    } catch (error) {
      this.#text = error instanceof Error ? error.message : String(error);
    }
    return this.#text !== undefined && this.#text !== previous;
  }
}

const NAMED_FILE = /"redis(?:Password|Ca)File"\s*:\s*("(?:[^"\\]|\\.)*")/g;

/** The text of the file, and of those that it names; instead of one that cannot be read, why. */
async function contentsOf(path: string): Promise<string> {
  const read = (file: string): Promise<string> => readFile(file, 'utf8').catch(String);
  const text = await read(path);
  const named = new Set(Array.from(text.matchAll(NAMED_FILE), ([, quoted = '']) => quoted));
  return JSON.stringify([text, ...(await Promise.all(Array.from(named, (quoted) => read(unquoted(quoted)))))]);
}

function unquoted(json: string): string {
  try {
    return JSON.parse(json);
  } catch {
    // The file is not JSON.
    return json;
  }
}

function changesBetween(before: readonly ListedDeployment[], after: readonly ListedDeployment[]): string | undefined {
  const numbers = new Set([...before, ...after].map(({ number }) => number));
  const changes = [...numbers].flatMap((number) => {
    const [old, current] = [before, after].map((all) => all.find((each) => each.number === number));
    if (isDeepStrictEqual(old, current)) return [];
    if (!old) return `deployment ${number} is new`;
    return current ? `deployment ${number} has changed` : `deployment ${number} is gone`;
  });
  return changes.length > 0 ? changes.join(', ') : undefined;
}
