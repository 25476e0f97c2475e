import { UsageError } from '../usage-error.ts'
import { rename, rm, writeFile } from 'node:fs/promises'
import type * as pictures from '@svc/tool-server'

/** Draws a picture into a file, which is written over. Throws Error naming the file that cannot be written. */
export async function writeSvg(path: string, picture: (drawn: typeof pictures) => pictures.Picture): Promise<void> {
  const drawn = await import('@svc/tool-server')
  await writeSvgText(path, await drawn.renderSvg(picture(drawn)))
}

/** The same with a picture that was drawn already: wholly or not at all. */
export async function writeSvgText(path: string, svg: string): Promise<void> {
  const draft = `${path}.part`
  const written = writeFile(draft, svg).then(() => rename(draft, path))
  await written.catch(async (cause: unknown) => {
    await rm(draft, { force: true }).catch(() => {})
    throw new Error(`${path} cannot be written: name a file in a directory that there is.`, { cause })
  })
}

/** The file that `--svg` names, which is written over: so none of another kind, such as the bars. Throws `UsageError`. */
export function svgPath(text: string | undefined): string | undefined {
  if (text === undefined || /\.svg$/i.test(text)) return text
  throw new UsageError(`--svg takes the name of a file that ends in .svg, not "${text.slice(0, 40)}"`)
}
