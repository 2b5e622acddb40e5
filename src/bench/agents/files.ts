/** Writes what a load test measured: numbers, tables, and the plot of latency against load. */
import { join } from 'node:path';
import { writeFile } from '../../eval/files.js';
import { loadPlot } from './load-plot.js';
import { type AgentsReport, agentsTable } from './report.js';

/** @throws ForetraceError unreadable_file */
export async function writeAgentsReport(folder: string, report: AgentsReport): Promise<void> {
  writeFile(join(folder, 'report.json'), `${JSON.stringify(report, null, 2)}\n`);
  writeFile(join(folder, 'report.md'), `${agentsTable(report)}\n`);
  if (report.load.length === 0) return;
  const { agents, workload, machine } = report;
  const subtitle = `${agents} agents, workload ${String(workload.name)}, ${machine.cores} cores of ${machine.cpu}`;
  // The plot libraries take a second to load, which a run without a curve should not wait for.
  const { renderPng, renderSvg } = await import('../../eval/render.js');
  const svg = await renderSvg(loadPlot(report.load, subtitle));
  writeFile(join(folder, 'load.svg'), svg);
  writeFile(join(folder, 'load.png'), renderPng(svg));
}
