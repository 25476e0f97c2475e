import { type ErrorEnvelope, ToolError, untilAborted } from '@svc/amm'
import { isRecord, type Log } from '@svc/runtime'
import type { ChartSpec } from '../charts/chart-spec.ts'
import type { PictureLink, ChartStore, ReadPicture } from '../charts/chart-store.ts'
import { sixDigits } from '../analysis/figures.ts'

/** The result of `tools/call` as every transport sends it. */
export type CallResult = {
  /** Mutable in type alone, as the SDK's results are. */
  readonly content: Content[]
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly isError?: true
  readonly _meta?: { readonly 'svc/error'?: ErrorEnvelope; readonly 'svc/drawing'?: ChartSpec }
  /** Lets the result be passed to the SDK, whose result types are open. */
  readonly [member: string]: unknown
}

export type Content = { readonly type: 'text'; readonly text: string } | PictureLink

/** A success: the data itself, the same as text for clients that read text, and what stands beside it: its pictures. */
export function successResult(data: Readonly<Record<string, unknown>>, beside: readonly Content[] = []): CallResult {
  return { content: [{ type: 'text', text: JSON.stringify(data) }, ...beside], structuredContent: data }
}

/** A result as JSON, with members after its own. The data of a success stands in its text already, and is not written a second time. */
export function resultJson(result: CallResult, more: Readonly<Record<string, unknown>> = {}): string {
  const { content, structuredContent, ...rest } = result
  const [first] = content
  const after = { ...rest, ...more }
  if (result.isError === true || structuredContent === undefined || first?.type !== 'text') {
    return JSON.stringify({ ...result, ...more })
  }
  const members = Object.keys(after).length === 0 ? '' : `,${JSON.stringify(after).slice(1, -1)}`
  return `{"content":${JSON.stringify(content)},"structuredContent":${first.text}${members}}`
}

/** The answer of an earlier call under the same key, which says that it is one: a new write would look the same. */
export function repeatedAnswer(data: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const notes: readonly unknown[] = Array.isArray(data['notes']) ? data['notes'] : []
  return { ...data, notes: [...notes, repeatNote] }
}

/** The same of a whole result; of a failure, which did nothing new either way, as it was. */
export function repeatedResult(kept: CallResult): CallResult {
  const { structuredContent: data, content, isError } = kept
  if (isError === true || data === undefined) return kept
  return { ...kept, ...successResult(repeatedAnswer(data), content.slice(1)) }
}

const repeatNote =
  'This is the answer of the first call with this idempotencyKey: the repeat did nothing. A new write takes a new key.'

/**
 * A failure. The envelope travels as text and in `_meta`, not as structured content: clients of the first SDK generation
 * check that against the output schema and would throw the code away.
 */
export function errorResult(error: ToolError): CallResult {
  const envelope = roundFigures(error.toJSON())
  return {
    content: [{ type: 'text', text: JSON.stringify({ error: envelope }) }],
    isError: true,
    _meta: { 'svc/error': envelope },
  }
}

/** What a caller hears of a fault of ours: an id under which the log tells the rest. */
export function internalError(requestId: string): ToolError {
  return new ToolError('INTERNAL', `Something went wrong inside the server (correlation id ${requestId}).`, {
    details: [{ message: 'Correlation id for the operator.', requestId }],
  })
}

/**
 * Quotes text that came from a caller so that it can stand in a message of ours: at most 64 characters, and nothing but
 * printable ASCII (others as \u escapes).
 */
export function quoteUntrusted(text: string): string {
  const capped = text.length > maxLength ? `${text.slice(0, maxLength)}...` : text
  return JSON.stringify(capped).replace(
    /[^ -~]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const maxLength = 64

/**
 * An answer with its figures to six digits: more would only cost whoever reads them. Whole numbers stay as they are, and so do amounts,
 * which are text. Sums of dollars must follow from their parts to the cent, so dollars keep the hundredth of a cent where six digits say
 * less; not those that say what a market is like, of which nothing is a sum. Of an error three digits say all.
 */
export function roundFigures<Answer>(answer: Answer): Answer {
  return roundWithin(answer, '') as Answer
}

/** What holds no figure to round is given back as it is, for most answers are large and hold few. */
function roundWithin(value: unknown, name: string): unknown {
  if (typeof value === 'number') return Number.isInteger(value) ? value : roundNumber(value, name)
  if (Array.isArray(value)) {
    let items: unknown[] | null = null
    for (const [index, item] of value.entries()) {
      const kept = roundWithin(item, name)
      if (!Object.is(kept, item)) (items ??= [...value])[index] = kept
    }
    return items ?? value
  }
  if (!isRecord(value)) return value
  let rounded: Record<string, unknown> | null = null
  for (const member of Object.keys(value)) {
    const inner = value[member]
    const kept = roundWithin(inner, member)
    if (!Object.is(kept, inner)) (rounded ??= { ...value })[member] = kept
  }
  return rounded ?? value
}

function roundNumber(value: number, name: string): number {
  if (/(?:Error|ErrorsOff)$/.test(name)) return Number(value.toPrecision(3))
  return isSummed(name) && Math.abs(value) >= 100 ? Number(value.toFixed(4)) : sixDigits(value)
}

/** Whether a member holds dollars of which others are the sum; what a market holds, trades or costs is no such part. */
export function isSummed(name: string): boolean {
  return /usd$/i.test(name) && !ofMarket.test(name)
}

const ofMarket = /^(?:tvl|volume|liquidity|price|native)/

/** One line per reading. A picture that cannot be drawn is said so in words of ours; why stands in the log. */
export async function readPicture(
  { principalId, uri, signal }: Reading,
  { pictures, log, now, newRequestId }: ReadingMeans,
): Promise<ReadPicture | null> {
  const requestId = newRequestId()
  const startedAt = now()
  const report = (outcome: string) => {
    const durationMs = now() - startedAt
    log.info('picture.read', { uri: uri.slice(0, 128), requestId, principal: principalId, durationMs, outcome })
  }
  try {
    const read = await untilAborted(pictures.read(principalId, uri), signal)
    report(read === null ? 'unknown' : 'success')
    return read
  } catch (error) {
    const known = error instanceof ToolError ? error : internalError(requestId)
    if (known !== error) log.error('picture.undrawn', { requestId, error })
    report(known.code)
    throw known
  }
}

type Reading = { readonly principalId: string; readonly uri: string; readonly signal: AbortSignal }

type ReadingMeans = {
  readonly pictures: ChartStore
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
  readonly newRequestId: () => string
}

/** Collects what the pictures of one answer are made of. A fault of a picture never becomes one of the answer: it is reported, and left out. */
export function createChartCollector(onFault: (error: unknown) => void): DrawingBoard {
  const drawings: ChartSpec[] = []
  let isFaulty = false
  const attempt = (work: () => void) => {
    try {
      work()
    } catch (error) {
      isFaulty = true
      onFault(error)
    }
  }
  return {
    draw: (drawing) => attempt(() => void drawings.push(drawing())),
    first: () => drawings[0],
    keepWith(keep) {
      const links: PictureLink[] = []
      for (const drawing of drawings) attempt(() => void links.push(...keep(drawing)))
      return isFaulty ? [...links, { type: 'text', text: undrawn }] : links
    },
  }
}

export type DrawingBoard = {
  draw(drawing: () => ChartSpec): void
  first(): ChartSpec | undefined
  /** Where each can be read once it is kept, and a sentence where one is missing. */
  keepWith(keep: (drawing: ChartSpec) => readonly PictureLink[]): readonly Content[]
}

const undrawn = 'The picture of this answer could not be drawn; the answer itself is whole.'
