import type { Chain } from '@svc/wallet/core'
import {
  isAddressEqual,
  type Address,
  decodeFunctionData,
  encodeFunctionData,
  type Hex,
  type Log,
  toEventSelector,
} from 'viem'
import type { Intent, IntentApproval, IntentCall, IntentDeposit, Settled, TokenQuantity } from '../../intent.ts'
import { v3PositionManagerAbi } from '../../abis/v3.ts'

/**
 * One intent of several, in their order, all or none. Where every call is one of the v3 position manager that sends no native currency,
 * its own `multicall` makes them one; else the wallet has to make them as one transaction. What one part brings pays for what another
 * spends, so only the rest must arrive; the most that may leave stays the sum. Allowances of one token for one spender become one of
 * their sum. A single part with a single call stays as it is.
 */
export function mergeIntents(chain: Chain, parts: readonly [Intent, ...Intent[]], why: string): MergedIntent {
  const [first] = parts
  const calls = parts.flatMap((part) => part.calls)
  if (parts.length === 1 && calls.length === 1) return { intent: { ...first, why }, settledParts: (all) => [all] }
  const manager = chain.amm.v3?.positionManager
  const isOneManager = (call: IntentCall): boolean =>
    manager !== undefined && isAddressEqual(call.to, manager) && call.valueWei === 0n
  if (manager === undefined || parts.some(({ atomicity }) => !isOneCall.has(atomicity)) || !calls.every(isOneManager)) {
    return {
      intent: merged(parts, { calls, atomicity: 'batch-7702' }, why),
      settledParts: (all) => partsOf(parts).map(({ from, count }) => settledCalls(all, from, count)),
    }
  }
  const call = mergePositionManagerCalls(manager, calls)
  return {
    intent: { ...merged(parts, { calls: [call], atomicity: 'multicall' }, why), apart: calls },
    settledParts: (all) => settledByManager(all, manager, calls),
  }
}

export type MergedIntent = {
  readonly intent: Intent
  /** What was mined, as seen by the planner of each part. */
  readonly settledParts: (settled: Settled) => readonly Settled[]
}

const isOneCall: ReadonlySet<Intent['atomicity']> = new Set(['single', 'multicall'])

function merged(parts: readonly [Intent, ...Intent[]], how: Pick<Intent, 'calls' | 'atomicity'>, why: string): Intent {
  const [first] = parts
  const slippageBps = greatest(parts.map((part) => part.slippageBps))
  const spends = sumOf(parts.flatMap((part) => part.spends))
  return {
    chainId: first.chainId,
    ...how,
    spends,
    receives: sumOf(parts.flatMap((part) => part.receives)).flatMap(({ token, amount }) => {
      const spent = spends.find((one) => isSame(one.token, token))?.amount ?? 0n
      return amount > spent ? [{ token, amount: amount - spent }] : []
    }),
    receivesApart: parts.map((part) => part.receives),
    approvals: mergedApprovals(parts.flatMap((part) => part.approvals)),
    riskTier: 'routine',
    slippageBps,
    deadline: greatest(parts.map((part) => part.deadline)),
    recipients: [...new Set(parts.flatMap((part) => part.recipients))],
    deposits: parts.flatMap((part) => depositsOf(part, slippageBps)),
    ...(parts.some((part) => part.allowsUnpricedPool) && { allowsUnpricedPool: true }),
    restsOn: parts.flatMap((part) => part.restsOn ?? []),
    why,
  }
}

/** Each keeps the slippage of its own part. */
function depositsOf({ deposits = [], slippageBps: own }: Intent, slippageBps: number | null): readonly IntentDeposit[] {
  return own === null || own === slippageBps ? deposits : deposits.map((one) => ({ slippageBps: own, ...one }))
}

function sumOf(quantities: readonly TokenQuantity[]): readonly TokenQuantity[] {
  const sums = new Map<string, TokenQuantity>()
  for (const { token, amount } of quantities) {
    const key = token.toLowerCase()
    sums.set(key, { token, amount: (sums.get(key)?.amount ?? 0n) + amount })
  }
  return [...sums.values()]
}

function mergedApprovals(approvals: readonly IntentApproval[]): readonly IntentApproval[] {
  const merged = new Map<string, IntentApproval>()
  for (const approval of approvals) {
    const { token, spender, via, revokeAfter } = approval
    const key = `${token} ${spender} ${via} ${revokeAfter}`.toLowerCase()
    merged.set(key, { ...approval, amount: (merged.get(key)?.amount ?? 0n) + approval.amount })
  }
  return [...merged.values()]
}

function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** `null` where no part has one. */
function greatest(values: readonly (number | null)[]): number | null {
  return values.reduce((most, value) => (most === null || (value !== null && value > most) ? value : most), null)
}

/**
 * What was mined, as seen by the planner of some of an intent's calls, `count` from `from` on: their logs alone, also where one
 * transaction made them all. A part that sends nothing sees the whole.
 */
export function settledCalls(settled: Settled, from: number, count: number): Settled {
  const calls = settled.calls.slice(from, from + count)
  const main = calls.at(-1)
  return main === undefined ? settled : { ...settled, calls, transactions: calls, main }
}

/** Where each part of an intent that was put together of several begins, and how many calls it has. */
export function partsOf(
  intents: readonly { readonly calls: readonly unknown[] }[],
): readonly { readonly from: number; readonly count: number }[] {
  let from = 0
  return intents.map(({ calls: { length: count } }) => {
    const part = { from, count }
    from += count
    return part
  })
}

/** Calls of the position manager as one `multicall` of it, those that are such themselves taken apart. */
function mergePositionManagerCalls(manager: Address, calls: readonly IntentCall[]): IntentCall {
  const args = [calls.flatMap(({ data }) => functionsIn(data))] as const
  const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args })
  return { to: manager, data, valueWei: 0n, label: `${calls.length} operations` }
}

/** One call to NonfungiblePositionManager: the step itself, or its `multicall` around several. */
export function positionManagerCall(
  positionManager: Address,
  steps: readonly Hex[],
  valueWei: bigint,
  label: string,
): Pick<Intent, 'calls' | 'atomicity'> {
  const [only, ...more] = steps
  const isSingle = only !== undefined && more.length === 0
  const data = isSingle
    ? only
    : encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'multicall', args: [steps] })
  return { calls: [{ to: positionManager, data, valueWei, label }], atomicity: isSingle ? 'single' : 'multicall' }
}

/**
 * What such a call did, by the calls it was made of: the manager writes one log of its own at the end of each function that changes a
 * position, so every log up to it belongs to that function.
 */
function settledByManager(settled: Settled, manager: Address, calls: readonly IntentCall[]): readonly Settled[] {
  const { main } = settled
  const parts: Log[][] = calls.map(() => [])
  const ends = calls.map(({ data }) => functionsIn(data).filter((one) => ending.has(functionNameOf(one))).length)
  let [part, seen] = [0, 0]
  for (const log of main.logs) {
    parts[part]?.push(log)
    if (!isAddressEqual(log.address, manager) || !endOf.has(log.topics[0] ?? '0x')) continue
    seen += 1
    if (seen < (ends[part] ?? 0)) continue
    part += 1
    seen = 0
  }
  return parts.map((logs) => partOf(settled, logs))
}

function partOf(settled: Settled, logs: readonly Log[]): Settled {
  const main = { ...settled.main, logs }
  return { ...settled, main, calls: [main], transactions: [main] }
}

const ending: ReadonlySet<string> = new Set(['mint', 'increaseLiquidity', 'decreaseLiquidity', 'collect'])

const endOf: ReadonlySet<Hex> = new Set(
  [
    'IncreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
    'DecreaseLiquidity(uint256 indexed tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
    'Collect(uint256 indexed tokenId, address recipient, uint256 amount0, uint256 amount1)',
  ].map((signature) => toEventSelector(signature)),
)

function functionsIn(data: Hex): readonly Hex[] {
  const { functionName, args } = decodeFunctionData({ abi: v3PositionManagerAbi, data })
  return functionName === 'multicall' ? args[0].flatMap(functionsIn) : [data]
}

function functionNameOf(data: Hex): string {
  return decodeFunctionData({ abi: v3PositionManagerAbi, data }).functionName
}
