/** What `doctor` has found. */
export interface Finding {
  readonly verdict: 'ok' | 'warning' | 'problem';
  readonly text: string;
  /** What to do. */
  readonly todo?: string;
}

/** Says of which deployment they are. @param deployment unset: there is one */
export function ofDeployment(findings: readonly Finding[], deployment: number | undefined): Finding[] {
  return findings.map((each) =>
    deployment === undefined ? each : { ...each, text: `Deployment ${deployment}: ${each.text}` },
  );
}
