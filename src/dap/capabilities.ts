/** What the adapter can do, as a client is told. */
import type { DebugProtocol } from '@vscode/debugprotocol';

/** The filter of exceptions that are raised, caught or not: what will become of one is not known where it is raised. */
export const raisedFilter = 'raised';

export const capabilities: DebugProtocol.Capabilities = {
  supportsConfigurationDoneRequest: true,
  supportsStepBack: true,
  supportsSteppingGranularity: true,
  supportsRestartRequest: true,
  supportsRestartFrame: true,
  supportsSetVariable: true,
  supportsEvaluateForHovers: true,
  supportsConditionalBreakpoints: true,
  supportsLogPoints: true,
  supportsBreakpointLocationsRequest: true,
  supportsExceptionInfoRequest: true,
  exceptionBreakpointFilters: [
    {
      filter: raisedFilter,
      label: 'Raised Exceptions',
      description: 'Predict every event, and stop where an exception is raised.',
      default: false,
    },
  ],
  supportsDelayedStackTraceLoading: true,
  supportsTerminateRequest: true,
};
