export class Slots<Handle = unknown> {
  constructor(handles: readonly Handle[]);
  use<Result>(context: string, work: (handle: Handle) => Promise<Result>): Promise<Result>;
}
