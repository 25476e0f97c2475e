import { type Call, type OpenExecute, readPlanned, readStoredPlan } from '@svc/engine'
import type { Chain } from '@svc/wallet/core'
import {
  type EarlierTransaction,
  type Intent,
  type KeptDeposit,
  type Token,
  type TokenQuantity,
  ToolError,
  untilAborted,
} from '@svc/amm'
import type { ChartSpec } from '../charts/chart-spec.ts'
import type { Ports } from '../ports.ts'
import type { Log } from '@svc/runtime'
import type { Memory, Watches } from '@svc/store'
import type { Tool } from '../tool.ts'
import type { CallerMemory, CallerWatches, ReadContext, StatusReport, WriteContext } from '../tool-context.ts'
import type { CarryOutDeps } from './carry-out.ts'
import type { Profile } from './offered-tools.ts'
import { operationActions, operationReads } from './operation-views.ts'
import type { CallResult } from './call-result.ts'

/** A call of a tool, whose answer may come with a picture. */
export type ToolCall = Call & {
  /** Takes what a picture of the answer is made of, to be kept when the call succeeds. */
  readonly onChart?: ((drawing: () => ChartSpec) => void) | undefined
}

/** Runs the handler of a tool with what its kind may reach: a read the world, a write what executes it too. */
export async function handle(
  tool: Tool,
  call: ToolCall,
  handlerDeps: HandlerDeps,
  deps: CarryOutDeps | null,
): Promise<unknown> {
  const { principal, signal, input, onProgress, onChart } = call
  const { ports, status, now, write, figuresWithinMs, atOneBlock = (work) => work() } = handlerDeps
  const { workers, history } = inNameOf(principal.id, ports)
  // Made when a tool asks for them, as few do; not by a getter, which would give each context a shape of its own.
  const watches = () => watchesOf(principal.id, handlerDeps)
  const reads: ReadContext = {
    ...ports,
    workers,
    history,
    principal,
    signal,
    onProgress,
    draw: (drawing) => onChart?.(drawing),
    now,
    figuresWithinMs,
    status,
    operations: operationReads(principal, deps),
    memory: handlerDeps.profile === 'learning' ? memoryOf(call, handlerDeps) : null,
    watches,
  }
  if (tool.access === 'record') {
    const memory = memoryOf(call, handlerDeps)
    if (memory === null) throw noWallet(`${tool.name} keeps its records beside those of a wallet`)
    return tool.handle(input, Object.freeze({ ...reads, records: memory, watches }))
  }
  if (tool.access !== 'write') {
    return await untilAborted(
      atOneBlock(() => tool.handle(input, Object.freeze(reads))),
      signal,
    )
  }
  if (write === null || deps === null) return await provideWallet(tool, call, handlerDeps)
  if (tool.scope === 'of-operation')
    return tool.handle(input, Object.freeze({ ...reads, operations: operationActions(call, deps) }))
  const { wallet, defaults, atomicRoute } = write
  const context: WriteContext = {
    ...reads,
    execute: write.openExecute(call),
    isDryRun: call.dryRun,
    keptDeposits: () => keptDeposits(call),
    keptReceipts: (operation) => keptReceipts(call, operation),
    plannedChange: (token) => plannedChange(call, token),
    keptParts: () => keptParts(call),
    earlier: async (chain) =>
      call.attempt === undefined ? [] : ((await write.earlier?.(call.requestId, chain)) ?? []),
    wallet,
    defaults,
    atomicRoute,
    provisioned: handlerDeps.provisioned ?? null,
  }
  return tool.handle(input, Object.freeze(context))
}

/** What makes the wallet goes on with it, where the operator allows that; all else needs one. */
async function provideWallet(tool: Tool, call: ToolCall, { provide }: HandlerDeps): Promise<unknown> {
  if (!tool.makesWallet)
    throw noWallet(`${tool.name} needs a wallet`, provide && 'Call provision_wallet, which makes it.')
  if (provide === undefined) {
    throw noWallet(
      'No wallet may be made by a caller here',
      'The operator sets one up: svc setup production. Or allows this tool to, and restarts the server: WALLET_TYPE=managed, WALLET_APP_ID, WALLET_APP_SECRET, SVC_PROVISION_ROLE and SVC_PROVISION_OWNER_KEY (docs/production.md).',
    )
  }
  if (call.dryRun) throw noWallet('A dry run makes no wallet', `Without dryRun ${tool.name} makes it.`)
  return await provide(tool, call)
}

function noWallet(why: string, suggestion?: string): ToolError {
  return new ToolError('WALLET_NOT_CONFIGURED', `${why}, and none is configured.`, suggestion ? { suggestion } : {})
}

/** The caller's own memory, or the one of all callers where the operator has them share it; `null` where no store is open. */
function memoryOf(
  { principal, tool, requestId }: Call,
  { write, sharesMemory = false, log }: HandlerDeps,
): CallerMemory | null {
  if (write?.memory === undefined) return null
  return Object.freeze({
    ...write.memory.of(sharesMemory ? sharedOwner : principal.id),
    attempt: async (work: () => Promise<unknown>) => {
      try {
        await work()
      } catch (error) {
        log.warn('memory.not-kept', { tool, requestId, error })
      }
    },
  })
}

/** Of the caller alone, whoever shares memory: who watches is who hears of it. */
function watchesOf(principalId: string, { write, watching }: HandlerDeps): CallerWatches | null {
  if (write?.watches === undefined) return null
  return Object.freeze({ ...write.watches.of(principalId), everySeconds: 60, hasWebhook: false, ...watching })
}

/** No principal has such an id: theirs begin with how they were authenticated. */
const sharedOwner = 'shared'

function keptDeposits({ carriesOut }: Call): readonly KeptDeposit[] {
  if (carriesOut === null) return []
  const plan = readPlanned(carriesOut)
  const { deposits = [], slippageBps } = plan
  return deposits.map((deposit) => ({
    deposit,
    slippageBps: deposit.slippageBps ?? slippageBps ?? 0,
    plan: deposits.length === 1 ? plan : undefined,
  }))
}

function keptReceipts({ carriesOut }: Call, operation?: number): readonly TokenQuantity[] {
  if (carriesOut === null) return []
  const { receives, receivesApart, crossChain } = readPlanned(carriesOut)
  if (crossChain !== undefined) return [{ token: crossChain.outputToken, amount: crossChain.outputAmount }]
  // A batch of one call is that call.
  return operation === undefined || receivesApart === undefined ? receives : (receivesApart[operation] ?? [])
}

function plannedChange({ carriesOut }: Call, { address }: Token): bigint | null {
  if (carriesOut === null) return null
  const { deltas } = readStoredPlan(carriesOut.plan)
  const raw = deltas.find(({ token }) => token.toLowerCase() === address.toLowerCase())?.raw ?? null
  return raw === null ? null : BigInt(raw)
}

function keptParts({ carriesOut }: Call): readonly Intent[] | null {
  if (carriesOut === null) return null
  const planned = readPlanned(carriesOut)
  return [planned, ...(planned.follows ?? [])]
}

export type HandlerDeps = {
  readonly ports: Ports
  readonly status: StatusReport
  readonly write:
    | (Pick<WriteContext, 'wallet' | 'defaults' | 'atomicRoute'> & {
        readonly openExecute: OpenExecute
        readonly earlier?: (requestId: string, chain: Chain) => Promise<readonly EarlierTransaction[]>
        /** What is remembered; left out where nothing is. */
        readonly memory?: Memory
        /** Left out where nothing is watched. */
        readonly watches?: Watches
      })
    | null
  readonly now: () => number
  readonly figuresWithinMs?: number
  /** Runs a read so that its answer is of one block; without it, each part is of the newest when it is read. */
  readonly atOneBlock?: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly profile: Profile
  /** Whether all callers have one memory. */
  readonly sharesMemory?: boolean
  /** How often watched positions are looked at, and whether events go out as webhooks: every minute and not when absent. */
  readonly watching?: Pick<CallerWatches, 'everySeconds' | 'hasWebhook'>
  readonly log: Pick<Log, 'warn'>
  /** Makes the wallet that is missing and runs a tool with it; left out where the operator does not allow it. Throws `SIGNER_*`. */
  readonly provide?: ((tool: Tool, call: ToolCall) => Promise<unknown>) | undefined
  /** What was made so, for the tool that reports it. */
  readonly provisioned?: WriteContext['provisioned'] | undefined
}

/** What takes long knows for whom it is, so that nobody's tasks keep another's waiting. */
function inNameOf(principalId: string, { workers, history }: Ports): Pick<Ports, 'workers' | 'history'> {
  return {
    workers: { run: (kind, input, caller) => workers.run(kind, input, { ...caller, principalId }) },
    history: { read: (request) => history.read({ ...request, principalId }) },
  }
}

/**
 * Answers of tools that say what theirs rest on (`restsOn`): such an answer is built, checked and written once, and given again to whoever asks
 * the same, for a minute at most, as long as everything it rests on is what it was. A failure is not kept, nor what has a picture, which is one
 * caller's.
 */
export function createKeptAnswers(ports: Ports, now: () => number): KeptAnswers {
  const kept = new Map<string, Kept>()
  return async ({ tool, call }, build) => {
    if (tool.restsOn === undefined) return build()
    const name = `${tool.name} ${JSON.stringify(call.input)}`
    // What changes while the answer is built makes the next call build it again.
    const restsOn = tool.restsOn(call.input, ports)
    const known = kept.get(name)
    const askedAt = now()
    if (known !== undefined && Math.abs(askedAt - known.builtAt) < longestMs && isSame(known.restsOn, restsOn))
      return known.result
    const result = await build()
    kept.delete(name)
    if (result.content.length > 1) return result
    kept.set(name, { restsOn, result, builtAt: askedAt })
    if (kept.size > mostAnswers) kept.delete(kept.keys().next().value ?? name)
    return result
  }
}

const mostAnswers = 64

/** Answers say when they were made; one that says a minute ago is still read as of now. */
const longestMs = 60_000

/** The answer of before if it still holds, else that of `build`. */
export type KeptAnswers = (
  open: { readonly tool: Tool; readonly call: Pick<ToolCall, 'input'> },
  build: () => Promise<CallResult>,
) => Promise<CallResult>

type Kept = { readonly restsOn: readonly unknown[]; readonly result: CallResult; readonly builtAt: number }

function isSame(one: readonly unknown[], other: readonly unknown[]): boolean {
  return one.length === other.length && one.every((part, index) => Object.is(part, other[index]))
}
