// `switchyard up`: Redis, a gateway, workers and the console for an author's agents, in one terminal.

import { runSession } from './session.ts';
import { up } from './up.ts';

await runSession(process, (session) => up(session, process.cwd(), process.argv.slice(2)));
