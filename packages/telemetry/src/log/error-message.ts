const MAX_ISSUES = 10;
const MAX_NAMES = 10;

/**
 * The message of an error for people. The message of a schema's error (zod, valibot) is a page of JSON: its issues are
 * a line, `pizza: expected string, received undefined; count: …`.
 */
export function messageOf(error: Error): string {
  if (!('issues' in error) || !Array.isArray(error.issues) || error.issues.length === 0) return String(error.message);
  const texts = error.issues.slice(0, MAX_ISSUES).map(issueText);
  if (!texts.every((text) => text !== undefined)) return String(error.message);
  const more = error.issues.length - texts.length;
  return [...texts, ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** An issue as the Standard Schema describes it: a message, and a path of keys or of objects with a key. */
function issueText(issue: unknown): string | undefined {
  if (typeof issue !== 'object' || issue === null || !('message' in issue)) return undefined;
  const { message } = issue;
  if (typeof message !== 'string') return undefined;
  const path = 'path' in issue && Array.isArray(issue.path) ? issue.path.map(keyText).join('.') : '';
  return path === '' ? message : `${path}: ${message}`;
}

/** What a thrown value says that is no `Error`: of an object its message, or the names of its fields. */
export function textOfThrown(thrown: unknown): string {
  if (typeof thrown !== 'object' || thrown === null) return String(thrown);
  if ('message' in thrown && typeof thrown.message === 'string') return thrown.message;
  return `an object with ${Object.keys(thrown).slice(0, MAX_NAMES).join(', ')}`;
}

function keyText(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part);
}
