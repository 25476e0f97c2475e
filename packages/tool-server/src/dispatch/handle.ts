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
import type { ReadContext, StatusReport, Tool, WriteContext } from '../tool.ts'
import type { CarryOutDeps } from './carry-out.ts'
import { operationActions, operationReads } from './operation-views.ts'

/** A call of a tool, whose answer may come with a picture. */
export type ToolCall = Call & {
  /** Takes what a picture of the answer is made of, to be kept when the call succeeds. */
  readonly onChart?: ((drawing: () => ChartSpec) => void) | undefined
}

/** Runs the handler of a tool with what its kind may reach: a read the world, a write what executes it too. */
export async function handle(
  tool: Tool,
  call: ToolCall,
  { ports, status, now, write, figuresWithinMs, atOneBlock = (work) => work() }: HandlerDeps,
  deps: CarryOutDeps | null,
): Promise<unknown> {
  const { principal, signal, input, onProgress, onChart } = call
  const reads: ReadContext = {
    ...ports,
    ...inNameOf(principal.id, ports),
    principal,
    signal,
    onProgress,
    draw: (drawing) => onChart?.(drawing),
    now,
    ...(figuresWithinMs !== undefined && { figuresWithinMs }),
    status,
    operations: operationReads(principal, deps),
  }
  if (tool.access !== 'write') {
    return untilAborted(
      atOneBlock(() => tool.handle(input, Object.freeze(reads))),
      signal,
    )
  }
  if (write === null || deps === null)
    throw new ToolError('WALLET_NOT_CONFIGURED', `${tool.name} needs a wallet, and none is configured.`)
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
  }
  return tool.handle(input, Object.freeze(context))
}

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
  const { receives, receivesApart } = readPlanned(carriesOut)
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
      })
    | null
  readonly now: () => number
  readonly figuresWithinMs?: number
  /** Runs a read so that its answer is of one block; without it, each part is of the newest when it is read. */
  readonly atOneBlock?: <Result>(work: () => Promise<Result>) => Promise<Result>
}

/** What takes long knows for whom it is, so that nobody's tasks keep another's waiting. */
function inNameOf(principalId: string, { workers, history }: Ports): Pick<Ports, 'workers' | 'history'> {
  return {
    workers: { run: (kind, input, caller) => workers.run(kind, input, { ...caller, principalId }) },
    history: { read: (request) => history.read({ ...request, principalId }) },
  }
}
