import { type Abi, type Address, encodeFunctionData, type Hex } from 'viem'
import { v3PositionManagerAbi } from '@svc/amm/abis'
import type { AddRequest, Intent, PairShare, Position, TokenQuantity } from '@svc/amm'
import type { Pipeline } from '../../../engine/src/fixtures/open-pipeline.fixture.ts'
import { testClient } from '../../../engine/src/fixtures/pipeline-facts.fixture.ts'
import { chainDeadline } from './plans.fixture.ts'
import { units } from './stranger.fixture.ts'

/** What `add_liquidity` would hand in for these arguments. */
export async function planAdd(pipeline: Pipeline, add: Add): Promise<Intent> {
  const [symbol0, symbol1] = add.pair
  const [token0, token1] = await Promise.all(
    add.pair.map((symbol) => pipeline.tokens.byAddress(pipeline.chain, pipeline.token(symbol))),
  )
  const { version = 'v3', fee = null, range = 'full' } = add
  const { intent } = await pipeline.liquidity.planAdd(pipeline.chain, {
    version,
    token0: token0!,
    token1: token1!,
    fee: version === 'v2' ? null : fee,
    hooks: add.hooks ?? null,
    amount0: units(symbol0, add.amount0),
    amount1: add.amount1 === undefined ? null : units(symbol1, add.amount1),
    range: version === 'v2' ? null : range,
    slippageBps: add.slippageBps ?? 50,
    deadline: Number(await chainDeadline(pipeline)),
    recipient: pipeline.wallet,
  })
  return add.createPool === true ? { ...intent, allowsUnpricedPool: true } : intent
}

export type Add = {
  readonly version?: AddRequest['version']
  readonly pair: readonly [string, string]
  readonly fee?: number
  readonly hooks?: Address
  readonly amount0: string
  readonly amount1?: string
  readonly range?: AddRequest['range']
  readonly slippageBps?: number
  readonly createPool?: boolean
}

/** What `increase_liquidity` would hand in, once the position is old enough. */
export async function planIncrease(pipeline: Pipeline, position: Position, amounts: Amounts): Promise<Intent> {
  await testClient(pipeline).mine({ blocks: 2 })
  const { intent } = await pipeline.liquidity.planIncrease(pipeline.chain, position, {
    ...amounts,
    payNative: false,
    slippageBps: 50,
    deadline: Number(await chainDeadline(pipeline)),
  })
  return intent
}

type Amounts = { readonly amount0: bigint; readonly amount1: bigint | null }

/** The wallet's newest v3 or v4 position. */
export async function newestPosition(pipeline: Pipeline, version: 'v3' | 'v4' = 'v3'): Promise<Position> {
  const { items } = await pipeline.liquidity.positionsByOwner(pipeline.chain, pipeline.wallet, [version])
  const found = items.findLast((item): item is Position => item.version !== 'v2')
  if (found === undefined) throw new TypeError('The wallet holds no position')
  return found
}

/** Several intents of the v3 position manager as one multicall, and what comes before. */
export function oneMulticall(pipeline: Pipeline, before: readonly Hex[], intents: readonly Intent[]): Intent {
  const [first] = intents
  if (first === undefined) throw new TypeError('There is nothing to join')
  const data = multicallOf([...before, ...intents.flatMap(({ calls }) => calls.map((call) => call.data))])
  return {
    ...first,
    calls: [{ to: pipeline.chain.amm.v3!.positionManager, data, valueWei: 0n, label: 'add liquidity' }],
    spends: summed(intents.flatMap(({ spends }) => spends)),
    approvals: summed(intents.flatMap(({ approvals }) => approvals)),
    deposits: intents.flatMap(({ deposits = [] }) => deposits),
  }
}

function summed<Quantity extends TokenQuantity>(quantities: readonly Quantity[]): readonly Quantity[] {
  const sums = new Map<string, Quantity>()
  for (const one of quantities) {
    sums.set(one.token, { ...one, amount: one.amount + (sums.get(one.token)?.amount ?? 0n) })
  }
  return [...sums.values()]
}

function multicallOf(steps: readonly Hex[]): Hex {
  return encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [steps] })
}

export function v3Manager(functionName: 'collect' | 'decreaseLiquidity', args: Readonly<Record<string, unknown>>): Hex {
  const abi: Abi = v3PositionManagerAbi
  return encodeFunctionData({ abi, functionName, args: [args] })
}

/** The newest position whole, unless another is given, to the wallet. */
export async function removal(
  pipeline: Pipeline,
  { slippageBps = 50, position }: { readonly slippageBps?: number; readonly position?: Position | PairShare } = {},
): Promise<Intent> {
  const { intent } = await pipeline.liquidity.planRemove(pipeline.chain, position ?? (await newestPosition(pipeline)), {
    percentage: 100,
    collectFees: true,
    slippageBps,
    deadline: Number(await chainDeadline(pipeline)),
    recipient: pipeline.wallet,
  })
  return intent
}
