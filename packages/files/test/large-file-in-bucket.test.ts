import { describe, expect, it } from 'vitest';
import { skippedFor } from '../../../tests/support/has-program.ts';
import { growthOf } from '../../../tests/support/process-usage.ts';
import { missingS3 } from '../../../tests/support/s3-server.ts';
import { facts } from './support/contents.ts';
import { useS3 } from './support/places.ts';

const MiB = 1024 ** 2;
const large = 512 * MiB;
const missing = skippedFor(missingS3());

async function* zeros(): AsyncGenerator<Uint8Array> {
  for (let left = large; left > 0; left -= MiB) yield Buffer.alloc(MiB);
}

describe.skipIf(missing)(`A file of 512 MiB in a bucket${missing ? ` (${missing})` : ''}`, () => {
  const newPlace = useS3();

  it('is written and read with little memory', async () => {
    const files = (await newPlace()).open({ maxFileBytes: large, maxBytesPerPrincipal: large });
    let id = '';
    const [written] = await growthOf([process.pid], async () => {
      ({ id } = await files.write('o', zeros(), { facts }));
    });
    let bytes = 0;
    const [read] = await growthOf([process.pid], async () => {
      for await (const chunk of (await files.open('o', id))?.chunks() ?? []) bytes += chunk.length;
    });
    const grown = [written, read].map((more = Number.NaN) => Math.round(more / MiB));
    process.stdout.write(`grown by ${grown.join(' and ')} MiB\n`);
    expect(bytes).toBe(large);
    for (const more of grown) expect(more).toBeLessThan(150);
  }, 1_200_000);
});
