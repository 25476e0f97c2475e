import { open } from 'node:fs/promises'
import { jsonFault } from '@svc/tool-server/policy'

/**
 * The JSON of a file that was named on the command line. `what` it should be is part of what is said when it is missing, a
 * directory, closed to this user, too large or not JSON (with line and column).
 */
export async function readInputFile(path: string, what: string): Promise<unknown> {
  const text = await readText(path, what)
  try {
    return JSON.parse(text) as unknown
  } catch (cause) {
    throw new Error(`${path} is not JSON: ${jsonFault(text)}.`, { cause })
  }
}

async function readText(path: string, what: string): Promise<string> {
  const file = await open(path, 'r').catch((cause: unknown) => {
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

const maxBytes = 4 << 20

function whyNot(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? cause.code : null
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist'
  return code === 'EACCES' || code === 'EPERM' ? 'may not be read by this user' : 'cannot be read'
}
