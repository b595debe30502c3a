// Builds the console into apps/console/dist, unless what is there is of the same sources.
//
//   node scripts/console/build.ts

import { buildConsole } from './build-console.ts';

const { wasBuilt, ms } = await buildConsole();
process.stdout.write(wasBuilt ? `the console is built, in ${ms} ms\n` : 'the console is built already\n');
