import { createInterface } from 'node:readline/promises'
import type { StopCause } from '@svc/tool-server/until-stopped'
import { UsageError } from './usage-error.ts'

/** Asks a person, for whom only the whole word yes is a yes. */
export async function saysYes(question: string, terminal: Terminal, stopped: Promise<StopCause>): Promise<boolean> {
  return (await askLine(`${question} Type yes: `, terminal, stopped)) === 'yes'
}

/** Where a person is asked. */
export type Terminal = {
  readonly input: NodeJS.ReadableStream & { readonly isTTY?: boolean }
  readonly output: NodeJS.WritableStream
}

/** A yes is worth something only where somebody can say no. */
export function requireAsking(
  { yes, json }: { readonly yes: boolean; readonly json: boolean },
  { input }: Terminal,
): void {
  if (yes || json || input.isTTY === true) return
  throw new UsageError(
    'There is no terminal to ask on. A script says --yes, or looks first with --json, which writes nothing.',
  )
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
