import { longStreams } from './long-streams.ts';
import { pollingHerd } from './polling-herd.ts';
import type { Profile } from './profile.ts';
import { ramp } from './ramp.ts';
import { burst, steady } from './steady.ts';

export const profiles: readonly Profile[] = [steady, burst, ramp, longStreams, pollingHerd];
