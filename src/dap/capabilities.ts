/** What the adapter can do, as a client is told. */
import type { DebugProtocol } from '@vscode/debugprotocol';

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
  supportsDelayedStackTraceLoading: true,
  supportsTerminateRequest: true,
};
