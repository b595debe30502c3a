// `npm run layers`: apps → store and agent → protocol, and nothing back up. The rules are in layers/rules.ts.

import { layerViolations } from './layers/violations.ts';

const violations = layerViolations('.');
for (const violation of violations) process.stderr.write(`${violation}\n`);
if (violations.length > 0) process.exitCode = 1;
else process.stdout.write('The layers hold.\n');
