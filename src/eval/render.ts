/** Vega-Lite specifications to SVG and PNG, without a display and with the font that ships. */
import { createRequire } from 'node:module';
import { Resvg } from '@resvg/resvg-js';
import * as vega from 'vega';
import { compile, type TopLevelSpec } from 'vega-lite';
import type { PlotSpec } from './plot-look.js';

const fontFamily = 'Open Sans';
const fontPackage = '@expo-google-fonts/open-sans';
const fontFiles = ['400Regular/OpenSans_400Regular.ttf', '600SemiBold/OpenSans_600SemiBold.ttf'];

/** Device pixels of a PNG for each unit of the plot. */
const pixelRatio = 2;

/** Widths of Open Sans in ems, by kind of character: Vega lays out by them, since there is no canvas to measure on. */
const characterWidths: readonly (readonly [RegExp, number])[] = [
  [/[ijlI.,:;'|()[\]!]/, 0.28],
  [/[frt -]/, 0.35],
  [/[mwMW%@]/, 0.9],
  [/[A-Z]/, 0.65],
];
const usualWidth = 0.57;

function textWidth({ fontSize = 11 }: { fontSize?: number }, text: unknown): number {
  const widths = [...String(text ?? '')].map(
    (character) => characterWidths.find(([kind]) => kind.test(character))?.[1] ?? usualWidth,
  );
  return fontSize * widths.reduce((sum, width) => sum + width, 0);
}

// Exported by Vega for this purpose, but missing in its types.
(vega as unknown as { textMetrics: { width: typeof textWidth } }).textMetrics.width = textWidth;

export async function renderSvg(spec: PlotSpec): Promise<string> {
  const view = new vega.View(vega.parse(compile(spec as unknown as TopLevelSpec).spec), {
    renderer: 'none',
    logLevel: vega.Error,
  });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}

/** Text is drawn with the package's own font files: a bare machine has none. */
export function renderPng(svg: string): Uint8Array {
  const require = createRequire(import.meta.url);
  const image = new Resvg(svg, {
    background: 'white',
    fitTo: { mode: 'zoom', value: pixelRatio },
    font: {
      loadSystemFonts: false,
      defaultFontFamily: fontFamily,
      sansSerifFamily: fontFamily,
      fontFiles: fontFiles.map((file) => require.resolve(`${fontPackage}/${file}`)),
    },
  });
  return image.render().asPng();
}
