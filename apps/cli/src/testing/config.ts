/** Says where programs are looked for. */
export const { env: environment } = process;
