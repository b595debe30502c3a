import type { ArchivedJson } from '@switchyard/store';

/** So many characters of a task's messages are searched, and as many of its artifacts. */
const SEARCHED_LENGTH = 50_000;

/** Texts of parts, and fields of data with this name. In JSON, this is in no string: quotes in strings are escaped. */
const TEXT = '"text":"';

/** The words of a task, separated by blanks. */
export function wordsOf({ history, artifacts }: ArchivedJson): string {
  return plain(`${textsIn(history)}\n${textsIn([artifacts])}`);
}

/**
 * What was typed, for `websearch_to_tsquery`: words, all of which a task must have, `"two words"` that follow one
 * another, `-word` that it must not have, and `or`. '' if it has no word.
 */
export function wordQuery(typed: string): string {
  const terms = Array.from(typed.matchAll(/(-?)(?:"([^"]*)"|(\S+))/g), ([, minus = '', quoted, word = '']) => {
    if (quoted === undefined && word.toLowerCase() === 'or') return 'or';
    const words = plain(quoted ?? word).trim();
    return words === '' ? '' : `${minus}"${words}"`;
  });
  return terms.filter(Boolean).join(' ');
}

/**
 * The same for texts and searches, and for all databases: PostgreSQL would take `invoice.pdf` for the name of a host,
 * and not find it by `invoice`. Where writing has no blanks between words, each character is one.
 */
function plain(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ')
    .replace(
      /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}]/gu,
      ' $& ',
    );
}

/** Does not parse the JSON: an artifact may have many megabytes. */
function textsIn(jsons: readonly string[]): string {
  const texts: string[] = [];
  let left = SEARCHED_LENGTH;
  for (const json of jsons) {
    for (let at = json.indexOf(TEXT); at >= 0 && left > 0; at = json.indexOf(TEXT, at)) {
      const from = at + TEXT.length;
      at = endOfString(json, from, from + left);
      left -= at - from;
      texts.push(JSON.parse(`"${json.slice(from, at)}"`));
    }
  }
  return texts.join('\n');
}

/** The end of a string in JSON, or of what is searched of it: behind a whole character. */
function endOfString(json: string, from: number, upto: number): number {
  let at = from;
  while (at < upto && json[at] !== '"') {
    if (json[at] !== '\\') at += 1;
    else at += json[at + 1] === 'u' ? '\\u0000'.length : 2;
  }
  return at;
}
