/** Where the archive is, and the schema of its tables. */
export interface ArchiveAddress {
  /** As `pg` reads it. */
  readonly url: string;
  readonly schema: string;
}

const defaultSchema = 'switchyard';

/**
 * Takes `schema` out of the URL's parameters, as PostgreSQL does not know it. Not with `URL`: it refuses addresses of
 * Unix sockets, such as `postgres://user@/tasks?host=/run/postgresql`, and names passwords in its errors.
 * @throws {Error} it is no address of a PostgreSQL
 */
export function parseAddress(given: string, schema?: string): ArchiveAddress {
  if (!/^postgres(?:ql)?:\/\//.test(given))
    throw new Error(
      'ARCHIVE_URL must be the address of a PostgreSQL, such as postgres://user:password@host:5432/tasks',
    );
  const at = given.indexOf('?');
  const parameters = new URLSearchParams(at < 0 ? '' : given.slice(at + 1));
  const named = parameters.get('schema');
  parameters.delete('schema');
  const tls = parameters.get('sslmode');
  if (tls !== null) parameters.set('sslmode', meaningOf(tls));
  const url = `${at < 0 ? given : given.slice(0, at)}${parameters.size > 0 ? `?${parameters}` : ''}`;
  return { url, schema: schema ?? (named || defaultSchema) };
}

/**
 * As `pg` reads it, with one meaning for each word. `pg` means to change that of `require` and `verify-ca`, which it takes
 * for `verify-full`, and warns of it.
 * @throws {Error} another word
 */
function meaningOf(sslmode: string): string {
  if (['require', 'verify-ca', 'verify-full'].includes(sslmode)) return 'verify-full';
  if (['disable', 'no-verify'].includes(sslmode)) return sslmode;
  throw new Error(
    'ARCHIVE_URL has an unknown sslmode: it must be verify-full (also as require or verify-ca), no-verify or disable',
  );
}

/** @returns the URL @throws {Error} it is no address of a PostgreSQL */
export function requireArchiveUrl(url: string): string {
  parseAddress(url);
  return url;
}
