declare module '*.css';

/** Node's Buffer: the protocol uses it for base64url, which no gateway sends. */
declare const Buffer: { from(text: string, encoding: 'base64'): { toString(encoding: 'base64'): string } };
