import { createInterface } from 'node:readline/promises'
import type { StopCause } from '@svc/tool-server/until-stopped'

/** Where a person is asked. */
export type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** Asks for one line; an end of input or of the command is an empty one. */
export async function askOnTerminal(
  question: string,
  { input, output }: Terminal,
  stopped: Promise<StopCause>,
): Promise<string> {
  const lines = createInterface({ input, output })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const leaving = new AbortController()
  void stopped.then(() => leaving.abort())
  try {
    const asked = lines.question(question, { signal: leaving.signal })
    return (await Promise.race([asked, closed])).trim()
  } catch {
    return ''
  } finally {
    lines.close()
  }
}
