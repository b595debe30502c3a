const MAX_ISSUES = 10;

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

function keyText(part: unknown): string {
  return String(typeof part === 'object' && part !== null && 'key' in part ? part.key : part);
}
