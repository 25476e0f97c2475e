import { pictureOf, type DrawingRequest } from '../../pictures/drawing.ts'
import { renderPng } from '../../pictures/render-png.ts'
import { renderSvg } from '../../pictures/render-svg.ts'

/** An SVG as text, or the bytes of a PNG. */
export async function draw({ drawing, theme, format }: DrawingRequest): Promise<string | Uint8Array> {
  const svg = await renderSvg(pictureOf(drawing, { theme }))
  return format === 'svg' ? svg : renderPng(svg)
}
