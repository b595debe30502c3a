/** Where files are in S3. */
export interface BucketPlace {
  readonly bucket: string;
  /** Of all keys: empty, or it ends with a slash. */
  readonly prefix: string;
  /** Unset: that of AWS. */
  readonly endpoint?: string | undefined;
  /** Unset: that of the environment (AWS_REGION). */
  readonly region?: string | undefined;
}

/** Regions mean nothing to most servers but AWS, but a request is signed for one. */
const ANY_REGION = 'us-east-1';

/** @throws {Error} the URL is none of a bucket */
export function bucketAt(url: URL): BucketPlace {
  if (url.username !== '' || url.password !== '')
    throw new Error('must have no credentials: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or give a role');
  const bucket = url.host;
  if (!/^[a-z\d][a-z\d.-]{1,61}[a-z\d]$/.test(bucket)) throw new Error('must name a bucket: s3://bucket/prefix');
  const path = url.pathname.replace(/^\/|\/$/g, '');
  if (!/^(?:[\w.-]+(?:\/[\w.-]+)*)?$/.test(path) || url.hash !== '')
    throw new Error('must have a prefix of letters, digits, dots, hyphens, underscores and slashes');
  const { endpoint, region, ...others } = Object.fromEntries(url.searchParams);
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw new Error(`must have no other parameters than endpoint and region: not ${unknown}`);
  if (endpoint !== undefined) requireEndpoint(endpoint);
  return {
    bucket,
    prefix: path === '' ? '' : `${path}/`,
    endpoint,
    region: region ?? (endpoint === undefined ? undefined : ANY_REGION),
  };
}

function requireEndpoint(endpoint: string): void {
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
  const isHttp = url?.protocol === 'http:' || url?.protocol === 'https:';
  if (!url || !isHttp || url.username !== '' || url.password !== '' || url.search !== '')
    throw new Error('must have the URL of a server as its endpoint, such as endpoint=https://minio.example:9000');
}
