import { jsonFault } from '@svc/runtime'
import { readInputText } from './read-input-text.ts'

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
