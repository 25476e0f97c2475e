import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { ApiError } from '../errors.ts'
import { strictJsonFault } from './parse-body.ts'

/** Refuses what is not plain JSON, or says of itself that it is too large, before anything else is looked at. */
export function requireJsonHeaders(headers: IncomingHttpHeaders, maxBytes: number): void {
  const type = headers['content-type'] ?? ''
  const isPlain = (headers['content-encoding'] ?? 'identity') === 'identity'
  if (!isPlain || !/^application\/json[\t ]*(?:;[\t ]*charset=(?:utf-8|"utf-8")[\t ]*)?$/i.test(type)) {
    throw new ApiError('MEDIA_TYPE_NOT_SUPPORTED', 'The body is not application/json.')
  }
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes)
}

/**
 * Reads a body of at most `maxBytes` as strict JSON (RFC 8259): UTF-8, no name twice in an object, at most 16 levels.
 * Throws `PAYLOAD_TOO_LARGE` as soon as it is, and `VALIDATION_FAILED`.
 */
export async function readJsonBody(request: IncomingMessage, maxBytes: number): Promise<unknown> {
  const body = await readBytes(request, maxBytes)
  if (!isUtf8(body)) throw malformed('The body is not UTF-8.')
  const text = body.toString('utf8')
  const value = parse(text)
  const fault = strictJsonFault(text, maxDepth)
  if (fault !== null) throw malformed(fault)
  return value
}

export function tooLarge(maxBytes: number): ApiError {
  const details = [{ message: 'The body is too large.', accepted: `at most ${maxBytes} bytes` }]
  return new ApiError('PAYLOAD_TOO_LARGE', 'The body is too large.', { details, headers: { connection: 'close' } })
}

/** The body as it came. Throws `PAYLOAD_TOO_LARGE` as soon as it is. */
export async function readBytes(request: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  let length = 0
  try {
    // The connection stays for the answer when the body is not read to its end.
    for await (const chunk of request.iterator({ destroyOnReturn: false })) {
      length += chunk.length
      if (length > maxBytes) throw tooLarge(maxBytes)
      chunks.push(chunk)
    }
  } catch (error) {
    if (error instanceof ApiError) throw error
    throw new ApiError('VALIDATION_FAILED', 'The body broke off.', { cause: error })
  }
  return Buffer.concat(chunks)
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    throw malformed('The body is not JSON.')
  }
}

function malformed(message: string): ApiError {
  return new ApiError('VALIDATION_FAILED', message, { details: [{ message, accepted: 'one JSON object' }] })
}

const maxDepth = 16
