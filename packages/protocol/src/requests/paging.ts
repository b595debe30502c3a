import { z } from 'zod';

/** A protobuf int32. */
const int32Schema = z
  .number()
  .int()
  .max(2 ** 31 - 1);

/** §3.2.4: at most so many of the latest messages; 0: none; unset: all. */
export const historyLengthSchema = int32Schema.min(0);

/** §3.1.4: tasks on a page. */
export const pageSizeSchema = int32Schema.min(1).max(100);

/** What a response says of sizes. */
export const countSchema = int32Schema.min(0);

/** Opaque to clients. */
export const pageTokenSchema = z.string().max(4096);
