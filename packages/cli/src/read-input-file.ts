import { jsonFault } from '@svc/runtime'
import { constants } from 'node:fs'
import { open } from 'node:fs/promises'

/**
 * The JSON of a file that was named on the command line. `what` it should be is part of what is said when it is missing, a
 * directory, closed to this user, too large or not JSON (with line and column).
 */
export async function readInputFile(path: string, what: string): Promise<unknown> {
  const text = await readInputText(path, what, maxBytes)
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${jsonFault(text)}.`, { cause })
  }
}

const maxBytes = 4 << 20

/** The text of a file that was named on the command line, as `readInputFile` reads it, up to so many bytes. */
export async function readInputText(path: string, what: string, maxBytes: number): Promise<string> {
  const file = await open(path, atOnce).catch((cause: unknown) => {
    throw new Error(`${path} ${whyNot(cause)}: name ${what}.`, { cause })
  })
  try {
    const facts = await file.stat()
    if (!facts.isFile())
      throw new Error(`${path} is ${facts.isDirectory() ? 'a directory' : 'no plain file'}: name ${what}.`)
    if (facts.size > maxBytes) throw new Error(`${path} has ${facts.size} bytes; at most ${maxBytes} are read.`)
    return await file.readFile('utf8')
  } finally {
    await file.close()
  }
}

/** Without waiting for whoever would write into a pipe. */
const atOnce = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)

function whyNot(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
  return code === 'EACCES' || code === 'EPERM' ? 'may not be read by this user' : 'cannot be read'
}
