// `switchyard all`: a gateway and workers in one program, for example in a container, with the Redis of REDIS_URL.

import { all } from './all.ts';

await all(process);
