export * from '../../../../tests/support/store/drive.ts';
