import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { jsonFault, repeatedMember } from '@svc/runtime'
import { ToolError } from '@svc/amm'

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
  const text = bytes.toString('utf8')
  const written = parsed(text, basename(path))
  const repeated = repeatedMember(text)
  if (repeated !== null) throw unreadable(`A member of the policy file is ambiguous: ${repeated}.`, 'Keep one of them.')
  return { written, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable(`The policy file is not JSON: ${jsonFault(text)}.`, `Correct ${name} there.`, cause)
  }
}

export type PolicyFile = { readonly written: unknown; readonly sha256: string }

/** The facts are those of the very file that is read, whatever takes its name meanwhile. */
async function readBytes(path: string, uid: number | undefined): Promise<Buffer | null> {
  const name = basename(path)
  const own = `Give ${name} to the user of the server, mode 0600.`
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw unreadable('The policy file cannot be read.', own, error)
  })
  if (file === null) return null
  try {
    const facts = await file.stat()
    if (!facts.isFile()) {
      throw unreadable(
        `The policy file is ${facts.isDirectory() ? 'a directory' : 'no plain file'}.`,
        'Put a plain file in its place.',
      )
    }
    if ((facts.mode & 0o022) !== 0) {
      throw unreadable('The policy file may be written by others than its owner.', `Run chmod 600 on ${name}.`)
    }
    if (uid !== undefined && facts.uid !== uid && facts.uid !== 0) {
      throw unreadable('The policy file belongs to another user.', own)
    }
    if (facts.size > maxBytes) {
      throw unreadable(`The policy file has ${facts.size} bytes; at most ${maxBytes} are read.`, `Shorten ${name}.`)
    }
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const maxBytes = 1 << 20

function unreadable(message: string, suggestion: string, cause?: unknown): ToolError {
  return new ToolError('VALIDATION_FAILED', message, { suggestion, cause })
}
