/** Whether a field of a decoded message is there: absent ones are null, or not at all. */
export const isGiven = <T>(value: T | null | undefined): value is T => value !== undefined && value !== null;
