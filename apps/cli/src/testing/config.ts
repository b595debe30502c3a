/** The environment of this process, whose PATH is searched for programs. */
export const { env: environment } = process;
