export { Pace, type PaceLimits, type RoomAnswer } from './pace.ts';
