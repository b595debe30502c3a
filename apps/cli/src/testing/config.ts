/** Sets where programs are searched. */
export const { env: environment } = process;
