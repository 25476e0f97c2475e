import { createHash } from 'node:crypto'
import type { Idempotency } from '@svc/store'
import { canonical, type Doubt, refusedByStore, type Sent, type RoleFacts } from '@svc/engine'
import { type ErrorCode, type ErrorDetail, ToolError } from '@svc/amm'
import { errorResult, repeatedResult, type CallResult } from './call-result.ts'
import type { Tool } from '../tool.ts'

/** One call that must happen at most once. */
export type OnceRequest = {
  readonly principalId: string
  readonly key: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly requestId: string
  /** Whether the tool goes on where an earlier attempt under the key had stopped: then only a success ends the key. */
  readonly goesOn?: boolean
}

/**
 * Runs a call at most once per key. A duplicate that comes while the first is running waits for it and gets its answer.
 * A later one hears the kept answer, with a note that it is a repeat. An outcome is kept when it is a result, or when something was
 * signed on the way to the failure; a failure that signed
 * nothing frees the key, and so does a crash that cut a call off before it signed. A failure whose bytes were declined
 * holds the key without an answer: each repeat asks the chain again, and is run once they are proved never to be mined.
 * A call that left an operation waiting, for a person or for its time, binds the key to it: each repeat goes on with that. One that carried
 * an operation out and stopped on its way frees the key: the operation itself remembers what it did, and a repeat goes on with it.
 * A tool that goes on is run again under the request that holds the key, also when that was cut off after it had signed.
 * Throws `IDEMPOTENCY_CONFLICT`, `OPERATION_IN_DOUBT`, and `OPERATION_ENDED` or `CANCELLED_BY_OPERATOR` once all is decided.
 */
export function createOnce(options: {
  readonly store: Idempotency
  /** Whether a request has signed anything that may have an effect: what decides if its failure may be tried again. */
  hasSigned(requestId: string): Promise<boolean>
  /** What is known of a request whose bytes were declined; absent where nothing is ever in doubt. */
  doubt?: Doubt | undefined
  /** What became of what a request signed: reported to the caller who asks again for one that did not come to its end. */
  sentBy?: ((requestId: string) => Promise<Sent>) | undefined
  /** The request that signed a transaction. */
  requestOf?: ((txHash: string) => Promise<string | null>) | undefined
  /** Called when an outcome could not be recorded; the caller gets it all the same. */
  onUnrecorded(error: unknown, requestId: string): void
}): (request: OnceRequest, work: KeyedWork) => Promise<CallResult> {
  const running = new Map<string, { readonly bodyHash: string; readonly outcome: Promise<CallResult> }>()
  return async (request, work) => {
    const bodyHash = hashBody(request)
    const slot = `${request.principalId}\n${request.key}`
    const twin = running.get(slot)
    if (twin !== undefined) {
      if (twin.bodyHash !== bodyHash) throw conflict()
      return twin.outcome
    }
    const outcome = claimAndRun(options, request, bodyHash, work)
    running.set(slot, { bodyHash, outcome })
    try {
      return await outcome
    } finally {
      running.delete(slot)
    }
  }
}

/** What is done under a key. A rejection leaves the key taken. */
export type KeyedWork = {
  readonly run: () => Promise<CallResult>
  /** Runs it as a further attempt at a request that has signed something. */
  readonly again: (requestId: string) => Promise<CallResult>
  /** Goes on with the operation that the first call stored. */
  readonly goOn: (operationId: string) => Promise<CallResult>
}

async function claimAndRun(
  options: Parameters<typeof createOnce>[0],
  request: OnceRequest,
  bodyHash: string,
  work: KeyedWork,
): Promise<CallResult> {
  const { store } = options
  const { run, goOn } = work
  const { principalId, key, requestId } = request
  const claim = await onKeys(() => store.begin({ principalId, key, bodyHash, requestId }))
  if (claim.state === 'done') {
    const kept = JSON.parse(claim.answer) as CallResult
    if (request.goesOn !== true || kept.isError !== true) return asItEnded(options, repeatedResult(kept))
    return runAgain(options, { ...request, requestId: claim.requestId }, bodyHash, work)
  }
  if (claim.state === 'conflict') throw conflict()
  if (claim.state === 'stored') return asItEnded(options, await goOn(claim.operationId))
  if (claim.state === 'running') {
    const from = claim.requestId
    if (!(await takesOver(options, request, { ...claim, bodyHash }))) {
      // In this process no other call of the key is on its way.
      if (request.goesOn === true) {
        return runAgain(options, { ...request, requestId: from }, bodyHash, work)
      }
      const isOpen = await onKeys(async () => options.doubt?.isOpen(from))
      throw inDoubt(from, (await options.sentBy?.(from).catch(() => null)) ?? nothingKnown, isOpen === true)
    }
  }
  const result = await run()
  await record(options, request, result).catch((error: unknown) => options.onUnrecorded(error, requestId))
  return result
}

/** Everything the request signs in any attempt stands in the journal under one id, which so is all that has to be remembered. */
async function runAgain(
  options: Parameters<typeof createOnce>[0],
  request: OnceRequest,
  bodyHash: string,
  { again }: KeyedWork,
): Promise<CallResult> {
  const { principalId, key, requestId } = request
  if (!(await onKeys(() => options.store.goOn({ principalId, key, bodyHash, requestId })))) {
    throw inDoubt(requestId, nothingKnown, false)
  }
  const result = await again(requestId)
  await record(options, request, result).catch((error: unknown) => options.onUnrecorded(error, requestId))
  return result
}

/**
 * Whether the key of a call that did not end is had: of one that was cut off and has no effect, or of one of this process
 * whose bytes are all proved dead. In this process no other call of the key is on its way.
 */
async function takesOver(
  options: Parameters<typeof createOnce>[0],
  { principalId, key, requestId }: OnceRequest,
  claim: { readonly requestId: string; readonly isCutOff: boolean; readonly bodyHash: string },
): Promise<boolean> {
  const { store, doubt } = options
  const { requestId: from, isCutOff, bodyHash } = claim
  if (await onKeys(async () => doubt?.isOpen(from))) await doubt?.lookAgain().catch(() => undefined)
  if (isCutOff) {
    if (await onKeys(() => options.hasSigned(from))) return false
    return onKeys(() => store.takeOver({ principalId, key, bodyHash, requestId, from }))
  }
  // A call of this process that signed nothing and left its key taken may have stored an operation.
  if (!(await onKeys(async () => doubt?.isProvedDead(from)))) return false
  await onKeys(() => store.abandon(principalId, key))
  return (await onKeys(() => store.begin({ principalId, key, bodyHash, requestId }))).state === 'new'
}

async function onKeys<Value>(work: () => Promise<Value>): Promise<Value> {
  return work().catch((cause: unknown) => {
    const refused = refusedByStore(cause)
    if (refused !== null) throw refused
    throw new ToolError('STORAGE_UNAVAILABLE', 'The idempotency key could not be recorded, so nothing was done.', {
      cause,
    })
  })
}

async function record(
  options: Parameters<typeof createOnce>[0],
  request: OnceRequest,
  result: CallResult,
): Promise<void> {
  const { principalId, key, requestId } = request
  if (result.isError === true && (await options.doubt?.isOpen(requestId))) return
  // The key stays with the operation that waits: a repeat hears what became of it.
  if (result.structuredContent?.['status'] === 'scheduled') return options.store.abandon(principalId, key)
  if (request.goesOn !== true && asksToGoOn(result)) return options.store.abandon(principalId, key)
  const keep =
    result.isError !== true || ((await options.hasSigned(requestId)) && !(await isFreed(options, request, result)))
  if (keep) await options.store.finish(principalId, key, JSON.stringify(result))
  else await options.store.abandon(principalId, key)
}

/** Whether the bytes that put a call in doubt are proved dead by the time it is answered, as the answer promises. */
async function isFreed(
  { doubt }: Parameters<typeof createOnce>[0],
  { requestId }: OnceRequest,
  result: CallResult,
): Promise<boolean> {
  const isDoubt = result._meta?.['svc/error']?.code === 'OPERATION_IN_DOUBT'
  return isDoubt && (await doubt?.isProvedDead(requestId)) === true
}

function conflict(): ToolError {
  return new ToolError('IDEMPOTENCY_CONFLICT', 'This idempotencyKey was used for a different request.', {
    details: [{ field: 'idempotencyKey', message: 'Already used with another body.' }],
  })
}

function inDoubt(requestId: string, { details: sent, end }: Sent, mayEnd: boolean): ToolError {
  const began = 'An earlier call with this idempotencyKey did not come to an end'
  if (end === null) {
    return new ToolError('OPERATION_IN_DOUBT', `${began}.`, {
      details: [{ field: 'idempotencyKey', message: 'Taken by a call whose end is not known.', requestId }, ...sent],
      ...(mayEnd ? { suggestion: askAgain } : {}),
    })
  }
  const details = [{ field: 'idempotencyKey', message: 'Taken by a call that was cut off.', requestId }, ...sent]
  return ended(`${began}; ${end.message}.`, end, details)
}

function ended(
  message: string,
  { isCancelled, suggestion }: NonNullable<Sent['end']>,
  details: readonly ErrorDetail[],
): ToolError {
  if (!isCancelled) return new ToolError('OPERATION_ENDED', message, { details, suggestion })
  return new ToolError('CANCELLED_BY_OPERATOR', 'The operator cancelled what this call had sent; it is never mined.', {
    details,
  })
}

/**
 * A kept answer that left open what became of a transaction, or that asks for the same call again, is given anew once all
 * that its call signed is decided: for this key nothing will ever be done but reported.
 */
async function asItEnded(options: Parameters<typeof createOnce>[0], answer: CallResult): Promise<CallResult> {
  const { code, retryable, details = [] } = answer._meta?.['svc/error'] ?? {}
  if (code === undefined || !(retryable === true || leavesOpen.has(code)) || asksToGoOn(answer)) return answer
  const named = details.find(({ txHash }) => typeof txHash === 'string')?.['txHash']
  const from = typeof named === 'string' ? await options.requestOf?.(named).catch(() => null) : null
  const sent = from == null ? null : await options.sentBy?.(from).catch(() => null)
  if (sent?.end == null) return answer
  const message = `An earlier call with this idempotencyKey was answered with ${code}; ${sent.end.message}.`
  return errorResult(ended(message, sent.end, sent.details))
}

/** Whether the same call again does what this one left undone: a harvest reports all else in its answer. */
function asksToGoOn({ _meta }: CallResult): boolean {
  const code = _meta?.['svc/error']?.code
  return code === 'HARVEST_PARTIAL_FAILURE' || code === 'CONSOLIDATION_SWAP_FAILED'
}

const leavesOpen: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'TRANSACTION_PENDING',
  'OPERATION_INCOMPLETE',
  'OPERATION_IN_DOUBT',
])

const nothingKnown: Sent = { details: [], end: null }

const askAgain =
  'Repeat the same call in a minute: it runs once it is proved that the declined transaction is never mined. Do not use a new key for the same purpose.'

/** SHA-256 over the tool's name and its parsed arguments, members in order of their names, the key itself left out. */
function hashBody(request: OnceRequest): string {
  const { idempotencyKey: _key, ...body } = request.input
  return createHash('sha256')
    .update(JSON.stringify([request.tool, canonical(body)]))
    .digest('hex')
}

/** Nothing is begun, kept or audited by a server that follows another one. Throws `NOT_LEADER`. */
export async function requireLeader({ access }: Pick<Tool, 'access'>, write: Leads | null): Promise<void> {
  if (access !== 'read') await write?.requireLeader?.()
}

export type Leads = {
  /** Throws `NOT_LEADER` of a server that follows another one on a shared database. */
  readonly requireLeader?: () => Promise<void>
  /** Whether it leads there. */
  readonly role?: () => RoleFacts
  /** Aborted when it leads no more; `null` where no other could. */
  readonly term?: () => AbortSignal | null
}
