// `switchyard all`: a gateway and workers as one program, such as a container's, on the Redis of REDIS_URL.

import { all } from './all.ts';

await all(process);
