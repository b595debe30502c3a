import { ownerName } from './rules.ts';
import { factsName } from './sweep.ts';

/**
 * The keys of a file. The content has one without the size, because an agent writes it before the size is known; the
 * folder of the rest has the size in its name, so that the files of a principal are counted by a list of names.
 */
export interface FileKeys {
  readonly content: string;
  readonly folder: string;
  /** Written last, and removed first: without it nobody sees the file. */
  readonly facts: string;
  /** There as long as the file is not complete. */
  readonly upload: string;
  /** The facts while a sweep removes the file. */
  readonly gone: string;
}

export const uploadName = 'upload.json';
export const goneName = 'gone.json';

/** Where the files of a principal are. @param name see `ownerName` */
export function ownerKeys(prefix: string, name: string): { readonly contents: string; readonly files: string } {
  return { contents: `${prefix}${name}/content/`, files: `${prefix}${name}/files/` };
}

export function fileKeys(prefix: string, owner: string, id: string): FileKeys {
  return keysIn(ownerKeys(prefix, ownerName(owner)), id);
}

export function keysIn({ contents, files }: ReturnType<typeof ownerKeys>, id: string): FileKeys {
  const folder = `${files}${id}/`;
  return {
    content: contents + nameOf(id),
    folder,
    facts: folder + factsName,
    upload: folder + uploadName,
    gone: folder + goneName,
  };
}

/** The id without the size. */
export function nameOf(id: string): string {
  return id.slice(0, id.indexOf('-'));
}
