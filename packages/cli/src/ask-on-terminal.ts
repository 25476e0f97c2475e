import { createInterface } from 'node:readline/promises'
import type { StopCause } from '@svc/tool-server/until-stopped'

/** Asks a person, for whom only the whole word yes is a yes. */
export async function saysYes(question: string, terminal: Terminal, stopped: Promise<StopCause>): Promise<boolean> {
  return (await askLine(`${question} Type yes: `, terminal, stopped)) === 'yes'
}

/** Where a person is asked. */
export type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** An end of input or of the command is an empty line. */
async function askLine(question: string, { input, output }: Terminal, stopped: Promise<StopCause>): Promise<string> {
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
