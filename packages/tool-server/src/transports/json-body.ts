import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/** Reads a request body up to `maxBytes`, as far as there is room for it. Rejects when the client breaks off. */
export function readBody(
  request: IncomingMessage,
  { maxBytes, bodies }: { readonly maxBytes: number; readonly bodies: BodyRoom },
): Promise<Buffer | 'too-large' | 'no-room'> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve('too-large')
  const room = bodies.open()
  const read = new Promise<Buffer | 'too-large' | 'no-room'>((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    const take = (chunk: Buffer) => {
      received += chunk.length
      if (received > maxBytes) return refuse('too-large')
      if (!room.holds(received)) return refuse('no-room')
      chunks.push(chunk)
    }
    // What still comes of it is read and dropped.
    const refuse = (why: 'too-large' | 'no-room') => {
      request.off('data', take).resume()
      chunks.length = 0
      resolve(why)
    }
    request.on('data', take)
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('aborted', () => reject(new Error('The client broke off its request.')))
  })
  return read.finally(() => room.close())
}

/**
 * Memory for bodies that are on their way. The first bytes of each are its connection's own, so that a plain call always has them; what is beyond
 * is had from a room that all share: else a thousand clients that send large bodies slowly would hold a thousand large bodies.
 */
export function createBodyRoom(bytes: number): BodyRoom {
  let free = bytes
  return {
    open() {
      let had = 0
      return {
        holds(received) {
          const more = Math.max(0, received - ownBytes) - had
          if (more > free) return false
          had += more
          free -= more
          return true
        },
        close() {
          free += had
          had = 0
        },
      }
    },
  }
}

export type BodyRoom = {
  /** For one body. */
  open(): {
    /** Whether there is room for it now that so many bytes of it have come. */
    holds(received: number): boolean
    /** Gives back what it had. */
    close(): void
  }
}

const ownBytes = 16_384

/** The parsed body, or why it is none: not UTF-8 or not JSON, or nested deeper than `maxDepth`. */
export type ParsedBody =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'malformed' | 'too-deep' }

/** Parses JSON after counting its nesting, so that nothing of a hostile depth is ever built. */
export function parseJson(body: Buffer, maxDepth: number): ParsedBody {
  if (!isUtf8(body)) return { ok: false, reason: 'malformed' }
  if (deeperThan(body, maxDepth)) return { ok: false, reason: 'too-deep' }
  try {
    return { ok: true, value: JSON.parse(body.toString('utf8')) as unknown }
  } catch {
    return { ok: false, reason: 'malformed' }
  }
}

function deeperThan(body: Buffer, maxDepth: number): boolean {
  let depth = 0
  let inString = false
  for (let index = 0; index < body.length; index += 1) {
    const byte = body[index]
    if (inString) {
      if (byte === backslash) index += 1
      else if (byte === quote) inString = false
    } else if (byte === quote) inString = true
    else if (byte === openBrace || byte === openBracket) {
      depth += 1
      if (depth > maxDepth) return true
    } else if (byte === closeBrace || byte === closeBracket) depth -= 1
  }
  return false
}

const quote = 0x22
const backslash = 0x5c
const openBrace = 0x7b
const closeBrace = 0x7d
const openBracket = 0x5b
const closeBracket = 0x5d
