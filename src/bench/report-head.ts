/** What every report begins with. */
export interface ReportHead {
  readonly date: string;
  readonly version: string;
  /** The command line as it was typed. */
  readonly command: string;
}
