import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type * as z from 'zod'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { StoreError } from '@svc/store'

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

/** The body as its strict schema has it. Throws `VALIDATION_FAILED`, which names every field that is off. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new ApiError('VALIDATION_FAILED', 'The request is not valid.', {
    details: parsed.error.issues.flatMap(detailsOf),
  })
}

function detailsOf(issue: z.core.$ZodIssue): readonly ErrorDetail[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key.slice(0, 64)].join('.'), message: 'The field is unknown.' }))
  }
  const field = path.length === 0 ? {} : { field: path.join('.') }
  const accepted = issue.message.replace(/^Invalid input: expected (.*), received .*$/, '$1')
  return [{ ...field, message: 'The value is not valid.', accepted }]
}

/**
 * What a strict reader has against a JSON text that parses: a name that stands twice in an object, where readers differ
 * in which one they believe, or nesting beyond `maxDepth`. `null` when there is nothing.
 */
export function strictJsonFault(json: string, maxDepth: number): string | null {
  /** Names seen in each open object; `null` for an open list. */
  const open: (Set<string> | null)[] = []
  for (const [token, text] of json.matchAll(tokens)) {
    if (token === '}' || token === ']') open.pop()
    else if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > maxDepth) return `The body is nested deeper than ${maxDepth} levels.`
    } else if (text !== undefined && token !== text) {
      const name = String(JSON.parse(text))
      const names = open.at(-1)
      if (names?.has(name)) return `The name ${JSON.stringify(name.slice(0, 64))} stands twice in one object.`
      names?.add(name)
    }
  }
  return null
}

/** Brackets; and texts, which are names where a colon follows. */
const tokens = /("(?:[^"\\]|\\.)*")(?:\s*:)?|[{}[\]]/g

/** An answer. What it says itself wins over the headers that the pipeline gives to all; their names are in lower case. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody | null
}

type ReplyBody = string | Uint8Array<ArrayBuffer>

/** A body of a type. Made once where it says the same to many, since it counts the bytes. */
export function reply(body: ReplyBody, type: string, { status = 200, headers = {} }: ReplyOptions = {}): Reply {
  const length = String(Buffer.byteLength(body))
  return { status, headers: { ...headers, 'content-type': type, 'content-length': length }, body }
}

export type ReplyOptions = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }

/** The value as JSON. */
export function jsonReply(value: unknown, options?: ReplyOptions): Reply {
  return reply(JSON.stringify(value), 'application/json', options)
}

/** What a caller gets of anything thrown: our own errors as they are, a database that is away, else `INTERNAL`. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof StoreError && storeIsAway.has(error.code)) {
    return new ApiError('UPSTREAM_UNAVAILABLE', 'The database is away for a moment.', {
      cause: error,
      retryAfterSeconds: 2,
    })
  }
  return new ApiError('INTERNAL', 'Something went wrong inside the service.', { cause: error })
}

const storeIsAway: ReadonlySet<string> = new Set(['STORE_UNAVAILABLE', 'STORE_BUSY', 'STORE_IN_DOUBT'])
