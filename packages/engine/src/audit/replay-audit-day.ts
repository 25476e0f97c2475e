import { type Address, getAddress, type Hex, isAddress, type PublicClient } from 'viem'
import * as z from 'zod'
import { isUnsigned } from '@svc/amm/liquidity'
import { readAuditLog } from './read-audit-log.ts'
import { delegationTo } from '../batch/atomic-route.ts'
import { createSimulatorMemory } from '../simulation/simulate-with-trace.ts'
import { noInspection } from '../simulation/inspection.ts'
import { simulate } from '../simulation/simulation.ts'
import { simulationHash } from '../simulation/asset-changes.ts'

/**
 * Plays every simulation that a transaction of one day (UTC, `YYYY-MM-DD`) was signed on again, at the block and time it
 * was simulated at then, and compares what would have moved with what is on record, and that with the hash of the simulation
 * which the line of the transaction names. The endpoint must still know the state
 * of that block: an archive node, or a local chain that still runs. Says of each intent whether it agrees, and of those
 * that could not be simulated, why.
 */
export async function* replayAuditDay(options: {
  readonly dataDir: string
  readonly day: string
  /** `null` where no endpoint is known for a chain. */
  readonly client: (chainId: number) => PublicClient | null
  /** Unix milliseconds. */
  readonly now: () => number
}): AsyncGenerator<Replayed> {
  const simulations = new Map<string, Simulated>()
  const replayed = new Map<string, Promise<ReplayOutcome>>()
  const memory = createSimulatorMemory(options.now)
  for await (const { text, isWhole } of readAuditLog(options.dataDir)) {
    if (!isWhole || !text.includes(`"ts":"${options.day}T`)) continue
    const line: unknown = JSON.parse(text)
    const simulated = simulatedSchema.safeParse(line)
    if (simulated.success) simulations.set(keyOf(simulated.data.requestId, simulated.data.block), simulated.data)
    const intent = intentSchema.safeParse(line)
    if (!intent.success) continue
    const { seq, ts, tool, requestId, transaction, simulatedAtBlock, simulationHash: named } = intent.data
    const key = keyOf(requestId, simulatedAtBlock ?? '')
    const simulation = simulations.get(key)
    if (simulation !== undefined && !replayed.has(key)) {
      replayed.set(key, replay(simulation, options.client(simulation.chainId), memory))
    }
    const outcome: ReplayOutcome = (await replayed.get(key)) ?? {
      status: 'not-replayed',
      why:
        transaction.kind === 'call' ? 'no simulation of it is on record' : 'it ends what was out, without a simulation',
    }
    yield {
      seq,
      ts,
      tool,
      requestId,
      step: transaction.label ?? transaction.kind,
      chainId: transaction.chainId,
      ...(simulation === undefined || named === undefined ? outcome : held(outcome, simulation, named)),
    }
  }
}

export type Replayed = ReplayOutcome & {
  readonly seq: number
  readonly ts: string
  readonly tool: string
  readonly requestId: string
  readonly step: string
  readonly chainId: number
}

export type ReplayOutcome =
  | { readonly status: 'agrees'; readonly block: string }
  | {
      readonly status: 'differs'
      readonly block: string
      /** None where what is on record agrees with the chain, but is not what the transaction was signed on. */
      readonly tokens: readonly ReplayDifference[]
    }
  | { readonly status: 'not-replayed'; readonly why: string }

/** In smallest units, negative what leaves. */
export type ReplayDifference = { readonly token: string; readonly recorded: string; readonly now: string }

const address = z.string().transform((text, context): Address => {
  if (isAddress(text, { strict: false })) return getAddress(text)
  context.addIssue({ code: 'custom', message: 'no address' })
  return z.NEVER
})
const hex = z.custom<Hex>((value) => typeof value === 'string' && /^0x[0-9a-f]*$/i.test(value))
const integer = z.string().regex(/^-?\d{1,90}$/)

const call = z.object({
  kind: z.enum(['approve', 'call', 'revoke']),
  label: z.string(),
  from: address.optional(),
  to: address,
  data: hex,
  valueWei: integer.transform(BigInt),
})

const simulatedSchema = z.object({
  event: z.literal('tx.simulated'),
  requestId: z.string(),
  chainId: z.int(),
  wallet: address,
  wrappedNative: address,
  block: integer,
  atSeconds: z.int(),
  tokens: z.array(address),
  steps: z.array(call.extend({ batch: z.object({ delegate: address, calls: z.array(call) }).optional() })),
  /** What a signed order moves is in the deltas, and no step shows it. */
  simulation: z.object({
    deltas: z.record(z.string(), integer),
    inOrder: z.record(z.string(), integer).default({}),
  }),
})

type Simulated = z.output<typeof simulatedSchema>

const intentSchema = z.object({
  event: z.literal('tx.intent'),
  seq: z.int(),
  ts: z.string(),
  tool: z.string(),
  requestId: z.string(),
  simulatedAtBlock: integer.optional(),
  simulationHash: z.string().optional(),
  transaction: z.object({ chainId: z.int(), kind: z.string(), label: z.string().optional() }),
})

function keyOf(requestId: string, block: string): string {
  return `${requestId} ${block}`
}

async function replay(
  simulated: Simulated,
  client: PublicClient | null,
  memory: ReturnType<typeof createSimulatorMemory>,
): Promise<ReplayOutcome> {
  const { chainId, block, steps } = simulated
  const delegate = steps[0]?.batch?.delegate
  if (client === null) return { status: 'not-replayed', why: `no endpoint is known for chain ${chainId}` }
  try {
    const { deltas } = await simulate({
      ...simulated,
      client,
      memory,
      allowances: [],
      contracts: [],
      positions: [],
      payees: [],
      inspection: noInspection,
      deposits: [],
      revokes: [],
      spends: new Map(),
      funds: null,
      isUnsigned: simulated.steps.some(({ data }) => isUnsigned(data)),
      block: { number: BigInt(block) },
      ...(delegate === undefined ? {} : { code: delegationTo(delegate) }),
    })
    const { deltas: recorded, inOrder } = simulated.simulation
    const moved = new Map(deltas)
    for (const [token, change] of Object.entries(inOrder)) moved.set(token, (moved.get(token) ?? 0n) + BigInt(change))
    const tokens = differences(new Map(Object.entries(recorded)), moved)
    return tokens.length === 0 ? { status: 'agrees', block } : { status: 'differs', block, tokens }
  } catch (error) {
    return { status: 'not-replayed', why: error instanceof Error ? error.message : String(error) }
  }
}

/** What agrees with the chain is what was signed on only where it has the hash that stands beside the transaction. */
function held(outcome: ReplayOutcome, simulated: Simulated, named: string): ReplayOutcome {
  if (outcome.status !== 'agrees') return outcome
  const { simulation, ...rest } = simulated
  const deltas = new Map(Object.entries(simulation.deltas).map(([token, change]) => [token, BigInt(change)]))
  const hash = simulationHash({ ...rest, block: BigInt(simulated.block), deltas })
  return hash === named ? outcome : { status: 'differs', block: simulated.block, tokens: [] }
}

function differences(
  recorded: ReadonlyMap<string, string>,
  deltas: ReadonlyMap<string, bigint>,
): readonly ReplayDifference[] {
  return [...new Set([...recorded.keys(), ...deltas.keys()])].flatMap((token) => {
    const [was, is] = [recorded.get(token) ?? '0', `${deltas.get(token) ?? 0n}`]
    return was === is ? [] : [{ token, recorded: was, now: is }]
  })
}
