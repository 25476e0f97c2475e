import { readOrder } from '@svc/amm'
import { erc20Abi } from '@svc/amm/abis'
import { contractRead, readSurely } from '@svc/amm/rpc'
import { larger, smaller } from '@svc/lp-math'
import type { BudgetAmount } from '@svc/store'
import { type Address, getAddress, isAddressEqual, parseAbi, type TransactionReceipt } from 'viem'
import { onStorage } from '../call/refusal.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { budgetNames } from '../spending/budgets.ts'
import { countable } from '../spending/countable.ts'
import { type PricedTokens, valueOf } from '../value/spend-value.ts'
import type { Allowance } from '../call/step.ts'
import { openBreaker } from '../switches/circuit-breaker.ts'

/**
 * What spenders that the operator names, such as a vault that has turned, took by themselves of the allowances of a request: from an
 * approval on they may, in a transaction of their own, which no receipt of the wallet shows. The wallet's balance does, before the first
 * transaction of the request and at a block after all of them, and no more counts than was allowed. The AMM's own contracts take nothing by
 * themselves, and nothing is asked for those. Opens the breaker for all but ways home. Throws `RPC_*`, `STORAGE_UNAVAILABLE`.
 */
export async function takenBySpenders(
  context: ExecutionContext,
  granted: readonly Granted[],
  { own, until }: OwnBlocks,
): Promise<ReadonlyMap<string, bigint>> {
  const { engine, chain, client, wallet } = context
  const taken = new Map<string, bigint>()
  const doubted = toNamed(granted, context)
  const [first, ...others] = own.map(({ blockNumber }) => blockNumber)
  if (first === undefined || doubted.length === 0) return taken
  const last = until === 'newest' ? await client.getBlockNumber({ cacheTime: 0 }) : until
  const [from, to] = [others.reduce(smaller, first), larger(others.reduce(larger, first), last)]
  const { deltas } = assetChanges(
    own.map(({ logs }) => logs),
    { wallet, wrappedNative: chain.wrappedNative.address },
  )
  for (const { token, spender, amount } of doubted) {
    const key = token.toLowerCase()
    const read = contractRead(token, erc20Abi, 'balanceOf', [wallet])
    const [before, after] = await Promise.all([from - 1n, to].map((block) => readSurely(client, read, block)))
    const missing = (before ?? 0n) + (deltas.get(key) ?? 0n) - (after ?? 0n)
    const left = missing <= 0n ? 0n : missing - (await soldByOrders(context, token, [from, to]))
    if (left <= 0n) continue
    taken.set(key, smaller(left, amount))
    const cause = `${getAddress(spender)} on ${chain.name} took of its allowance in a transaction of its own`
    await openBreaker(engine, cause, 'shortfall')
  }
  return taken
}

/** The same; `null` where no endpoint tells: the reservation stays open then, and is settled once one does. */
export function takenOrNull(context: ExecutionContext, granted: readonly Granted[], blocks: OwnBlocks) {
  return takenBySpenders(context, granted, blocks).catch((error: unknown) => {
    context.engine.log.error('settle.unrecorded', { requestId: context.call.requestId, what: 'ledger', error })
    return null
  })
}

type Granted = Pick<Allowance, 'token' | 'spender' | 'amount'>

type OwnBlocks = {
  /** All that the request has mined, failures and what took its allowances back included. */
  readonly own: readonly TransactionReceipt[]
  /** The block in which its allowances ended: the newest where the request is in its turn, for nothing else of the wallet is mined then. */
  readonly until: 'newest' | bigint
}

/** Allowances of spenders that the operator names. */
export function toNamed<One extends Granted>(granted: readonly One[], { known }: Pick<ExecutionContext, 'known'>) {
  return granted.filter(({ spender, amount }) => {
    return amount > 0n && named.has(known.surfaces.get(spender.toLowerCase()) ?? 'listed')
  })
}

/** What signed orders of the wallet have sold of a token meanwhile: that counts as theirs. */
async function soldByOrders(
  { engine, chain, client, wallet }: ExecutionContext,
  token: Address,
  [fromBlock, toBlock]: readonly [bigint, bigint],
): Promise<bigint> {
  const { orderReactor: address } = chain
  if (address === undefined) return 0n
  const asked = { address, event: fillEvent, args: { swapper: wallet }, fromBlock, toBlock, strict: true } as const
  const filled = new Set((await client.getLogs(asked)).map(({ args }) => args.orderHash))
  const amounts = [...filled].map(async (orderId) => {
    const stored = await onStorage('the orders cannot be read', () => engine.orders.byOrder(chain.id, orderId))
    const order = stored === null ? null : readOrder(stored.terms)
    return order !== null && isAddressEqual(order.tokenIn, token) ? order.amountIn : 0n
  })
  return (await Promise.all(amounts)).reduce((sum, one) => sum + one, 0n)
}

/** Net changes of a wallet, and what was taken of it besides. */
export function lessTaken(
  deltas: ReadonlyMap<string, bigint>,
  taken: ReadonlyMap<string, bigint>,
): ReadonlyMap<string, bigint> {
  const counted = new Map(deltas)
  for (const [token, amount] of taken) counted.set(token, (counted.get(token) ?? 0n) - amount)
  return counted
}

/** Budgets of which the one of losses takes what was taken beside all else. */
export function lossWithTaken(
  budgets: readonly BudgetAmount[],
  { taken, reserved, priced }: Taken,
): readonly BudgetAmount[] {
  if (taken.size === 0) return budgets
  const held = [...budgets, ...reserved].find(({ name }) => name === budgetNames.loss)?.usdMicros ?? 0n
  const usdMicros = countable(held + valueOf(taken, priced).usdMicros)
  return [...budgets.filter(({ name }) => name !== budgetNames.loss), { name: budgetNames.loss, usdMicros }]
}

type Taken = {
  readonly taken: ReadonlyMap<string, bigint>
  readonly reserved: readonly BudgetAmount[]
  readonly priced: PricedTokens
}

/** Contracts that the operator vouches for, and nobody else. */
const named: ReadonlySet<string> = new Set(['vault', 'twammHook', 'listed'])

const [fillEvent] = parseAbi([
  'event Fill(bytes32 indexed orderHash, address indexed filler, address indexed swapper, uint256 nonce)',
])
