import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { ToolError } from '../tool-error.ts'

/**
 * Reads a policy file: its JSON and the SHA-256 of its bytes; `null` where there is none. Refuses a file that others than
 * its owner may write, or that belongs to somebody other than this user or root. Throws `VALIDATION_FAILED`.
 */
export async function readPolicyFile(
  path: string,
  uid: number | undefined = process.getuid?.(),
): Promise<PolicyFile | null> {
  const bytes = await readBytes(path, uid)
  if (bytes === null) return null
  try {
    const written: unknown = JSON.parse(bytes.toString('utf8'))
    return { written, sha256: createHash('sha256').update(bytes).digest('hex') }
  } catch (cause) {
    throw unreadable('The policy file is not JSON.', cause)
  }
}

export type PolicyFile = { readonly written: unknown; readonly sha256: string }

/** The facts are those of the very file that is read, whatever takes its name meanwhile. */
async function readBytes(path: string, uid: number | undefined): Promise<Buffer | null> {
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw unreadable('The policy file cannot be read.', error)
  })
  if (file === null) return null
  try {
    const facts = await file.stat()
    if ((facts.mode & 0o022) !== 0) throw unreadable('The policy file may be written by others than its owner.')
    if (uid !== undefined && facts.uid !== uid && facts.uid !== 0) {
      throw unreadable('The policy file belongs to another user.')
    }
    if (!facts.isFile() || facts.size > maxBytes) throw unreadable('The policy file is not a file of at most 1 MiB.')
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const maxBytes = 1 << 20

function unreadable(message: string, cause?: unknown): ToolError {
  return new ToolError('VALIDATION_FAILED', message, {
    suggestion: 'Mend policy.json (mode 0600, owned by the user of the server) in the data directory.',
    cause,
  })
}
