import { createHash } from 'node:crypto'
import { type FileHandle, open } from 'node:fs/promises'

/**
 * Opens the audit log: one JSON object a line, each carrying the hash of the line before it, so that a line taken out or
 * changed shows. `append` resolves when the line is on disk, and rejects when it is not, or when the file was deleted;
 * then nothing may be signed. A last line torn by a crash was never acknowledged: it is cut off, and a line says so. The file has mode 0600.
 */
export async function openAuditLog(options: {
  readonly path: string
  /** Unix milliseconds. */
  readonly now: () => number
}): Promise<AuditLog> {
  const file = await open(options.path, 'a+', 0o600)
  await file.chmod(0o600)
  const tail = await readTail(file)
  const writer = createWriter(file, tail, options.now)
  if (tail.tornBytes > 0) {
    await file.truncate(tail.size)
    await writer.append({ event: 'audit.recovered', tornBytes: tail.tornBytes })
  }
  return writer
}

export type AuditLog = {
  append(event: AuditEvent): Promise<void>
  close(): Promise<void>
}

/** What happened, with whatever facts belong to it. Never holds a secret: it is our own record, not a caller's text. */
export type AuditEvent = { readonly event: string; readonly [fact: string]: unknown }

/** `prevHash` of the first line. */
export const auditGenesis = '0'.repeat(64)

/** The hash a line must carry: SHA-256 of its text without the member `hash`, which is always the last. */
export function auditHash(body: string): string {
  return createHash('sha256').update(body).digest('hex')
}

type Tail = { readonly size: number; readonly seq: number; readonly hash: string; readonly tornBytes: number }

function createWriter(file: FileHandle, tail: Tail, now: () => number): AuditLog {
  let { size, seq, hash } = tail
  let dirty = false
  let last: Promise<unknown> = Promise.resolve()

  const mend = async (): Promise<void> => {
    await file.truncate(size)
    dirty = false
  }

  const write = async (event: AuditEvent) => {
    if ((await file.stat()).nlink === 0) throw new Error('The audit log was deleted while it was open.')
    if (dirty) await mend()
    const members = { v: 1, seq: seq + 1, ts: new Date(now()).toISOString(), prevHash: hash, ...event }
    const body = JSON.stringify(members, (_name, value: unknown) => (typeof value === 'bigint' ? `${value}` : value))
    const nextHash = auditHash(body)
    const line = Buffer.from(`${body.slice(0, -1)},"hash":"${nextHash}"}\n`)
    dirty = true
    try {
      await file.appendFile(line)
      await file.datasync()
    } catch (error) {
      // What a full disk took of the line is cut off at once, so that nobody reads half a line; else the next one does it.
      await mend().catch(() => undefined)
      throw error
    }
    dirty = false
    size += line.length
    seq += 1
    hash = nextHash
  }

  return Object.freeze({
    append: (event: AuditEvent) => {
      const written = last.then(() => write(event))
      last = written.catch(() => undefined)
      return written
    },
    close: async () => {
      await last
      await file.close()
    },
  })
}

async function readTail(file: FileHandle): Promise<Tail> {
  const { size: fileSize } = await file.stat()
  const span = Math.min(fileSize, maxTailBytes)
  const bytes = Buffer.alloc(span)
  await file.read(bytes, 0, span, fileSize - span)
  const end = bytes.lastIndexOf(newline) + 1
  const size = fileSize - span + end
  if (end === 0) {
    if (span === maxTailBytes) throw new Error('The audit log ends in a line longer than any that is written.')
    return { size: 0, seq: 0, hash: auditGenesis, tornBytes: fileSize }
  }
  const start = bytes.lastIndexOf(newline, end - 2) + 1
  const line: unknown = JSON.parse(bytes.toString('utf8', start, end))
  if (!isAuditLine(line)) throw new Error('The last line of the audit log is not one of ours.')
  return { size, seq: line.seq, hash: line.hash, tornBytes: fileSize - size }
}

const newline = 0x0a
const maxTailBytes = 1 << 20

function isAuditLine(value: unknown): value is { seq: number; hash: string } {
  return (
    typeof value === 'object' &&
    value !== null &&
    'seq' in value &&
    typeof value.seq === 'number' &&
    'hash' in value &&
    typeof value.hash === 'string'
  )
}
