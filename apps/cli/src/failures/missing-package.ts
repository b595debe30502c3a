/** The command can be installed without these (`npm install --omit=optional`), to call agents only. */
const optional = /'(@switchyard\/[\w-]+|@grpc\/grpc-js|pino-pretty)/;

/** @returns the name of an optional package that is not installed, if that is the error */
export function missingPackage(error: unknown): string | undefined {
  const isMissing = error instanceof Error && 'code' in error && error.code === 'ERR_MODULE_NOT_FOUND';
  return isMissing ? optional.exec(error.message)?.[1] : undefined;
}

export const missingText = (name: string): string => `This needs the package ${name}, which is not installed`;

export const missingHint = 'Install the command with all of its packages: npm install --global @switchyard/cli';
