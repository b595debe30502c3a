export * from '../../../../tests/support/store/redis.ts';
