import { z } from '@hono/zod-openapi'
import { ApiError } from '../errors.ts'
import type { ApiContext, Route, RouteContext } from '../context.ts'
import { reply } from '../edge/json.ts'
import { problemResponses } from './problem-schema.ts'

/**
 * The trustless gateway of the content kept here: the block as it is, or as JSON for people. Source: IPFS "Trustless
 * Gateway Specification" and "Path Gateway Specification".
 */
export const blockRoute: Route = {
  config: {
    method: 'get',
    path: '/ipfs/{cid}',
    summary: 'Content that is kept here',
    tags: ['pins'],
    request: {
      params: z.object({ cid: z.string() }),
      query: z.object({ format: z.enum(['raw', 'json']).optional() }),
    },
    responses: {
      200: {
        description: 'The block, or what it holds as JSON.',
        content: { 'application/vnd.ipld.raw': { schema: {} }, 'application/json': { schema: {} } },
      },
      304: { description: 'It is what `If-None-Match` names.' },
      ...problemResponses('VALIDATION_FAILED', 'CONTENT_NOT_FOUND', 'FORMAT_NOT_SUPPORTED', 'CONTENT_NOT_CACHED'),
    },
  },
  isOpenToPages: true,
  async answer(c, context) {
    const cid = c.req.param('cid') ?? ''
    const parsed = parseCid(cid)
    if (parsed === null) throw badCid()
    // What stands in the identifier may be anything, so it is never given a type of its own.
    const isRaw = asksForRaw(c) || parsed.inline !== null
    const content = parsed.inline ?? (await keptContent(cid, c, context))
    const etag = isRaw ? `"${cid}.raw"` : `"${cid}"`
    const headers = { ...immutable, ...(isRaw ? rawHeaders(cid) : jsonHeaders(cid)), etag }
    const type = isRaw ? 'application/vnd.ipld.raw' : 'application/json'
    if (isNamed(etag, c.req.header('if-none-match'))) {
      return { status: 304, headers: { ...headers, 'content-type': type }, body: null }
    }
    return reply(new Uint8Array(content), type, { headers })
  },
}

const immutable = {
  'cache-control': 'public, max-age=29030400, immutable',
  'cross-origin-resource-policy': 'cross-origin',
  vary: 'Accept',
}

function rawHeaders(cid: string) {
  return {
    'content-disposition': `attachment; filename="${cid}.bin"`,
    'x-ipfs-path': `/ipfs/${cid}`,
  }
}

/** Written by strangers and served from our origin: it may be read, never run. */
function jsonHeaders(cid: string) {
  return { 'content-security-policy': 'sandbox', 'x-ipfs-path': `/ipfs/${cid}` }
}

function badCid(): ApiError {
  const details = [{ field: 'cid', message: 'It is no content identifier.', accepted: 'a CID of version 1 in base32' }]
  return new ApiError('VALIDATION_FAILED', 'The path names no content identifier.', { details })
}

/** `format` wins over `Accept`. */
function asksForRaw(c: RouteContext): boolean {
  const format = c.req.query('format')
  if (format === 'raw') return true
  if (format === 'json') return false
  const types = (c.req.header('accept') ?? '*/*').split(',').map((type) => type.split(';', 1)[0]?.trim().toLowerCase())
  if (format === undefined && types.includes('application/vnd.ipld.raw')) return true
  if (format === undefined && types.some((type) => type !== undefined && readable.has(type))) return false
  throw new ApiError('FORMAT_NOT_SUPPORTED', 'Content is served as a raw block or as JSON.')
}

const readable: ReadonlySet<string> = new Set(['', '*/*', 'application/*', 'application/json', 'text/html'])

async function keptContent(cid: string, c: RouteContext, { store }: ApiContext): Promise<Uint8Array> {
  const content = await store.pins.content(cid)
  if (content !== null) return new TextEncoder().encode(content)
  if (/\bonly-if-cached\b/i.test(c.req.header('cache-control') ?? '')) {
    throw new ApiError('CONTENT_NOT_CACHED', 'The content is not kept here.')
  }
  throw new ApiError('CONTENT_NOT_FOUND', 'The content is not kept here.')
}

function isNamed(etag: string, condition: string | undefined): boolean {
  if (condition === undefined) return false
  return condition.split(',').some((tag) => ['*', etag, `W/${etag}`].includes(tag.trim()))
}

/**
 * What a content identifier says, or `null` for what is none: version 0 in base58 (`Qm...`), version 1 in base32. Bytes
 * that stand in the identifier itself (an identity hash) are given back. Source: multiformats/cid, "Decoding Algorithm".
 */
function parseCid(text: string): Cid | null {
  if (/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/.test(text)) return { inline: null }
  if (!/^b[a-z2-7]{4,200}$/.test(text)) return null
  const bytes = fromBase32(text.slice(1))
  if (bytes === null) return null
  const rest = { bytes, at: 0 }
  const [version, codec, hash, length] = [varint(rest), varint(rest), varint(rest), varint(rest)]
  if (version !== 1 || codec === null || hash === null || length !== bytes.length - rest.at) return null
  if (hash === sha256 && length !== 32) return null
  return { inline: hash === identity ? bytes.subarray(rest.at) : null }
}

type Cid = { readonly inline: Uint8Array | null }

const identity = 0x00
const sha256 = 0x12

/** RFC 4648 base32, lower case, without padding; `null` when bits are left over that are not zero. */
function fromBase32(text: string): Uint8Array | null {
  const bytes: number[] = []
  let held = 0
  let bits = 0
  for (const letter of text) {
    held = (held << 5) | alphabet.indexOf(letter)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 255)
      held &= (1 << bits) - 1
    }
  }
  return bits < 5 && held === 0 ? Uint8Array.from(bytes) : null
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** An unsigned varint (multiformats) of at most four bytes. */
function varint(from: { readonly bytes: Uint8Array; at: number }): number | null {
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = from.bytes[from.at]
    if (byte === undefined) return null
    from.at += 1
    value |= (byte & 127) << shift
    if (byte < 128) return value
  }
  return null
}
