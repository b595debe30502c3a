import { globSync, readFileSync } from 'node:fs';

/** A code block of a page. Its info string has the language, then notes for tests, which readers do not see. */
export interface Block {
  readonly page: string;
  readonly line: number;
  /** '' if the page names none. */
  readonly language: string;
  readonly notes: {
    /** A file of this name, which other blocks of the page can import. */
    readonly file?: string;
    /** TypeScript that is also run. */
    readonly run?: true;
    /** Why it is not compiled or run. */
    readonly 'no-check'?: string;
    readonly 'no-run'?: string;
  };
  readonly code: string;
}

export const pages = [...globSync('docs/*.md'), 'README.md'].sort();

export function blocksOf(page: string): Block[] {
  const text = readFileSync(page, 'utf8');
  return Array.from(text.matchAll(/^```(.*)\n([\s\S]*?)^```$/gm), ({ index, 1: info = '', 2: code = '' }) => {
    const [language = ''] = info.split(' ', 1);
    const notes = Array.from(info.slice(language.length).matchAll(/ ([\w-]+)(?:="([^"]*)"|=(\S+))?/g), (note) => [
      note[1],
      note[2] ?? note[3] ?? true,
    ]);
    return { page, line: text.slice(0, index).split('\n').length, language, notes: Object.fromEntries(notes), code };
  });
}

/** `docs/push.md:44` */
export const placeOf = ({ page, line }: Block): string => `${page}:${line}`;
