import { ArchiveTooSlow, ArchiveUnavailable } from '@switchyard/store';
import { DatabaseError } from 'pg';
import { ArchiveRefused } from './archive-refused.ts';

/** Of PostgreSQL: `statement_timeout` is over. */
const TOO_SLOW = '57014';
/** Of PostgreSQL: `max_connections`, or the limit of a user or database. */
const NO_CONNECTION = '53300';
const DISK_FULL = '53100';

/** Of Node, and of the certificates of OpenSSL. */
const TLS_CODES =
  /^(?:ERR_TLS_|ERR_SSL_|CERT_|DEPTH_ZERO_SELF_SIGNED_CERT$|SELF_SIGNED_CERT_IN_CHAIN$|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF))/;

/** Errors about a value repeat it. */
const MAX_MESSAGE = 300;

/** Whom the archive was asked as. Without the password: this is for messages. */
export interface Asked {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly database: string;
}

/** What an error of PostgreSQL, or of the way to it, means for the operator. */
export function unavailable(error: unknown, asked: Asked): ArchiveUnavailable {
  if (error instanceof ArchiveUnavailable) return error;
  const place = asked.host.startsWith('/') ? asked.host : `${asked.host}:${asked.port}`;
  if (isAboutData(error)) return new DataRefused(`The archive at ${place} refuses the data (${nameOf(error)}).`);
  const options = { cause: isLong(error) ? undefined : error };
  if (isAboutWaiting(error))
    return new AllBusy(`All connections of this program to the archive at ${place} were busy for too long.`, options);
  if (isTlsFailure(error))
    return new ArchiveRefused(
      `TLS with the archive at ${place} failed (${reasonOf(error)}): see sslmode and sslrootcert in ARCHIVE_URL.`,
      options,
    );
  if (!(error instanceof DatabaseError))
    return new ArchiveUnavailable(
      `The archive does not answer at ${place} (${reasonOf(error)}): see whether PostgreSQL runs there, and ARCHIVE_URL.`,
      options,
    );
  const text = refusal(error, asked, place);
  if (error.code === TOO_SLOW) return new ArchiveTooSlow(text, options);
  return isSetUpWrong(error) ? new ArchiveRefused(text, options) : new ArchiveUnavailable(text, options);
}

/** All connections of this program are used, for longer than a request waits. */
export class AllBusy extends ArchiveUnavailable {}

/** The statement will fail again. Without the cause, whose details may have contents of tasks. */
export class DataRefused extends ArchiveUnavailable {}

/** Wrong values, constraints that the database's owner has added, limits of PostgreSQL, and of what builds its messages. */
function isAboutData(error: unknown): error is DatabaseError | RangeError {
  return error instanceof RangeError || (error instanceof DatabaseError && /^(?:22|23|54)/.test(error.code ?? ''));
}

const nameOf = (error: DatabaseError | RangeError): string =>
  `${error instanceof DatabaseError ? `SQLSTATE ${error.code}: ` : ''}${error.message.slice(0, MAX_MESSAGE)}`;

/** Authorization, no such database, no right, only a replica. */
function isSetUpWrong({ code = '' }: DatabaseError): boolean {
  return code.startsWith('28') || ['3D000', '42501', '25006'].includes(code);
}

function isLong(error: unknown): boolean {
  return error instanceof Error && error.message.length > MAX_MESSAGE;
}

function refusal({ code = '', message }: DatabaseError, { user, database }: Asked, place: string): string {
  const who = `The archive at ${place}`;
  if (code.startsWith('28')) return `${who} does not let the user "${user}" in (${message}): see ARCHIVE_URL.`;
  if (code === '3D000') return `${who} has no database "${database}": create it, or see ARCHIVE_URL.`;
  if (code === '42501')
    return `${who} does not allow this to the user "${user}" (${message}): it must own the schema, or may create it.`;
  if (code === '25006') return `${who} only reads (${message}): ARCHIVE_URL must name the primary server.`;
  if (code === NO_CONNECTION)
    return `${who} has no connection left for the user "${user}" (${message}): allow it more, or run fewer programs.`;
  if (code === DISK_FULL) return `${who} has no room left on its disk (${message.slice(0, MAX_MESSAGE)}): enlarge it.`;
  if (code === TOO_SLOW) return `${who} took too long (${message}).`;
  if (code.startsWith('57P') || code.startsWith('53')) return `${who} is not ready (${message}).`;
  return `${who} failed (${message.slice(0, MAX_MESSAGE)}).`;
}

/** All connections are used. `pg` gives this as a text only. */
function isAboutWaiting(error: unknown): boolean {
  return error instanceof Error && error.message === 'timeout exceeded when trying to connect';
}

/** Nobody else than PostgreSQL should be there, or it has no TLS. `pg` gives the last one as a text only. */
function isTlsFailure(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  const code = 'code' in error ? String(error.code) : '';
  return TLS_CODES.test(code) || error.message === 'The server does not support SSL connections';
}

/** An error for several addresses of a name has no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return reasonOf(error.errors[0]);
  return error instanceof Error ? error.message : String(error);
}
