/** Whether predicted inputs are right: `python -m foretrace check-inputs` runs them in its sandbox. */
import { ForetraceError } from '../errors.js';
import { runForetracePython } from './cruxeval-python.js';

export interface CheckRequest {
  readonly id: string;
  readonly code: string;
  readonly entry: string;
  readonly output: string;
  /** Arguments as text between the brackets of the call. */
  readonly candidates: readonly string[];
}

/** For each request whether each candidate is right; null: the problem itself cannot be judged. */
export type CheckInputs = (
  requests: readonly CheckRequest[],
  onProgress?: (done: number, total: number) => void,
) => Promise<readonly (readonly (boolean | null)[])[]>;

/** @throws ForetraceError internal when the Python side does not answer every request */
export function checkInputs(python: string, seconds: number): CheckInputs {
  return async (requests, onProgress) => {
    if (requests.length === 0) return [];
    const input = requests.map((request) => `${JSON.stringify(request)}\n`).join('');
    let done = 0;
    const { code, lines, complaint } = await runForetracePython(
      python,
      ['check-inputs', '--seconds', String(seconds)],
      input,
      () => {
        done += 1;
        onProgress?.(done, requests.length);
      },
    );
    if (code !== 0 || lines.length !== requests.length) {
      throw new ForetraceError('internal', 'predicted inputs could not be checked', {
        expected: `${requests.length} answers`,
        actual: `${lines.length} answers, exit code ${code}: ${complaint.trim()}`,
      });
    }
    return lines.map((line) => (JSON.parse(line) as { right: (boolean | null)[] }).right);
  };
}
