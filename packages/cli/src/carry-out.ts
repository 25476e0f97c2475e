import type { StopCause } from '@svc/tool-server/until-stopped'
import { printableText } from './printable-text.ts'
import { UsageError } from './usage-error.ts'

/**
 * Loads a command of `svc` and runs it with these words. Resolves to its exit code; what it throws is said on stderr after the
 * command's name, and is exit code 2 where the words of the call are off, else 1.
 */
export async function carryOut(
  name: string,
  load: () => Promise<Command>,
  words: readonly string[],
  stopped: Promise<StopCause>,
): Promise<number> {
  try {
    const run = await Promise.race([load(), stopped.then(() => asked)])
    return await run(words, stopped)
  } catch (error) {
    const message = printableText(error instanceof Error ? error.message : String(error))
    const pointer = error instanceof UsageError && error.seeHelp ? `\nSee: svc help ${name}` : ''
    process.stderr.write(`${message.startsWith(`svc ${name} `) ? '' : `svc ${name}: `}${message}${pointer}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

/** A command: its flags, and what resolves when it is asked to end. Resolves to the exit code. */
export type Command = (argv: readonly string[], stopped: Promise<StopCause>) => Promise<number>

const asked: Command = async () => 0
