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
