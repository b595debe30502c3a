// `npm run floors`: apps → store and agent → protocol, and nothing back up. The rules are in floors/rules.ts.

import { checkFloors } from './floors/check-floors.ts';

const violations = checkFloors('.');
for (const violation of violations) process.stderr.write(`${violation}\n`);
if (violations.length > 0) process.exitCode = 1;
else process.stdout.write('The floors hold.\n');
