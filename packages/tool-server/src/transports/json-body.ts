import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'

/** Reads a request body up to `maxBytes`; `null` when it is larger. Rejects when the client breaks off. */
export function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | null> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve(null)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    let received = 0
    request.on('data', (chunk: Buffer) => {
      received += chunk.length
      if (received > maxBytes) return resolve(null)
      chunks.push(chunk)
    })
    request.on('end', () => resolve(chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', reject)
    request.on('aborted', () => reject(new Error('The client broke off its request.')))
  })
}

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
