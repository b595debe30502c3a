import { fileURLToPath } from 'node:url';
import type { CodeFrame } from '@switchyard/protocol';

const MAX_LINES = 100;
const MAX_LINE_LENGTH = 1_000;
const AT = '    at ';

/** A frame, and the absolute path or URL of its file. */
export interface ParsedFrame extends CodeFrame {
  readonly path: string;
}

/** The frames in the lines of a stack below its message. @param folder of the program that ran: paths are relative to it */
export function codeFrames(lines: string, folder: string): ParsedFrame[] {
  return lines
    .split('\n', MAX_LINES)
    .filter((line) => line.startsWith(AT) && line.length <= MAX_LINE_LENGTH)
    .flatMap((line) => frameIn(line.slice(AT.length), folder) ?? []);
}

/** `async name (place)`, or `place`; a place is `file:line:column`. Parsed by hand, in linear time. */
function frameIn(text: string, folder: string): ParsedFrame | undefined {
  const opening = text.endsWith(')') ? text.lastIndexOf(' (') : -1;
  const place = opening < 0 ? text.replace(/^async /, '') : text.slice(opening + 2, -1);
  const columnAt = place.lastIndexOf(':');
  const lineAt = place.lastIndexOf(':', columnAt - 1);
  const [line, column] = [Number(place.slice(lineAt + 1, columnAt)), Number(place.slice(columnAt + 1))];
  if (lineAt < 1 || !Number.isInteger(line) || !Number.isInteger(column)) return undefined;
  const path = pathOf(place.slice(0, lineAt));
  const of = ownerOf(path);
  const name = opening < 0 ? undefined : text.slice(0, opening).slice(0, 120);
  return { ...(name && { function: name }), file: shown(path, folder), line, column, of, path };
}

function pathOf(file: string): string {
  try {
    return file.startsWith('file:') ? fileURLToPath(file.split(/[?#]/, 1)[0] ?? file) : file;
  } catch {
    return file;
  }
}

const PACKAGES = '/node_modules/';
/** The folder that has `packages` and `apps`, when Switchyard runs from its own repository. */
const repository = fileURLToPath(new URL('../../../../', import.meta.url));

function ownerOf(path: string): CodeFrame['of'] {
  if (path.startsWith('node:')) return 'node';
  const unix = path.replaceAll('\\', '/');
  const at = unix.lastIndexOf(PACKAGES);
  if (at >= 0)
    return /^(?:@switchyard\/|switchyard\/)/.test(unix.slice(at + PACKAGES.length)) ? 'switchyard' : 'package';
  const own = path.startsWith(repository) ? path.slice(repository.length).replaceAll('\\', '/') : '';
  return /^(?:packages|apps)\/[^/]+\/(?:src|dist)\//.test(own) ? 'switchyard' : 'author';
}

function shown(path: string, folder: string): string {
  const at = path.replaceAll('\\', '/').lastIndexOf(PACKAGES);
  if (at >= 0) return path.slice(at + PACKAGES.length);
  const inside = folder.endsWith('/') ? folder : `${folder}/`;
  return path.startsWith(inside) ? path.slice(inside.length) : path.slice(-200);
}
