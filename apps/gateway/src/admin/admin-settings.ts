/** Where operators reach a gateway, and the key that lets them in. */
export interface AdminSettings {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** At least 16 characters. */
  readonly key: string;
}
