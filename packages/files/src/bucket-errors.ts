import { FileRefused } from './file-refused.ts';

/** What is read of an error of the SDK. The rest of it may hold parts of the request, and is not passed on. */
interface ErrorFacts {
  readonly name: string;
  /** Of the system, for a connection. */
  readonly code?: string;
  readonly status?: number;
}

function factsOf(error: unknown): ErrorFacts {
  if (!(error instanceof Error)) return { name: 'Error' };
  const { name, code, $metadata } = error as Error & {
    readonly code?: unknown;
    readonly $metadata?: { readonly httpStatusCode?: number };
  };
  const { httpStatusCode: status } = $metadata ?? {};
  // The SDK has no name for it.
  if (error.message === 'Region is missing') return { name: 'RegionMissing' };
  return { name, ...(typeof code === 'string' && { code }), ...(status !== undefined && { status }) };
}

const missingNames: readonly string[] = ['NoSuchKey', 'NoSuchUpload', 'NotFound'];

/** Whether there is no such object or upload. */
export function isMissing(error: unknown): boolean {
  return missingNames.includes(factsOf(error).name);
}

/** Whether a condition of a request did not hold, or another request changed the object at the same time. */
export function isConflict(error: unknown): boolean {
  const { status } = factsOf(error);
  return status === 412 || status === 409 || isMissing(error);
}

/** Whether the server refuses a header that it does not know. */
export function isUnknownHeader(error: unknown): boolean {
  const { status } = factsOf(error);
  return status === 501 || status === 400;
}

/** Names of MinIO, Ceph and others. AWS is never full. */
const fullNames = /StorageFull|QuotaExceeded|InsufficientStorage|InsufficientCapacity/;
const credentialNames: readonly string[] = [
  'AccessDenied',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'ExpiredToken',
  'InvalidToken',
  'Forbidden',
];
const regionNames: readonly string[] = [
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'TemporaryRedirect',
  'IllegalLocationConstraintException',
];

/** An error for clients, who do not learn where files are; its cause tells operators what happened, and where to look. */
export function refusalOf(error: unknown, place: string): FileRefused {
  const failure = factsOf(error);
  const cause = new Error(`FILES_URL: ${place} ${reasonOf(failure)}`);
  // The stack of this place tells nothing.
  Reflect.deleteProperty(cause, 'stack');
  return fullNames.test(failure.name) || failure.status === 507
    ? new FileRefused('store-full', 'The store of files (FILES_URL) is full', { cause })
    : new FileRefused('unavailable', 'The store of files is unavailable', { cause });
}

function reasonOf({ name, code, status }: ErrorFacts): string {
  if (name === 'NoSuchBucket') return 'does not exist';
  if (name === 'CredentialsProviderError' || name === 'TokenProviderError')
    return 'needs credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give this machine a role';
  if (name === 'RequestTimeTooSkewed') return 'has another time than this machine: look at both clocks';
  if (credentialNames.includes(name) || status === 401 || status === 403)
    return `refuses the credentials (${name}): look at AWS_ACCESS_KEY_ID, or at the role, and at what it may do there`;
  if (regionNames.includes(name) || status === 301 || status === 307)
    return `is in another region (${name}): set region in FILES_URL, or AWS_REGION`;
  if (fullNames.test(name) || status === 507) return `is full (${name})`;
  if (name === 'RegionMissing') return 'needs a region: set region in FILES_URL, or AWS_REGION';
  if (status === undefined) return `does not answer (${code ?? name}): look at the server, and at the endpoint`;
  return `answers ${status} (${name})`;
}
