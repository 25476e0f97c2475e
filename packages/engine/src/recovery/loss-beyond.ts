import type { BudgetAmount, OpenReservation } from '@svc/store'
import type { JournalEntry } from '@svc/wallet/core'
import { getAddress, isAddressEqual, type TransactionReceipt, zeroAddress } from 'viem'
import { signedCalls } from '../batch/batch-step.ts'
import { readCalldata } from '../calldata/read-calldata.ts'
import { isAtDestination } from '../call/amounts.ts'
import type { ExecutionContext } from '../context/engine.ts'
import { assetChanges } from '../simulation/asset-changes.ts'
import { holdTrades } from '../stages/hold-against-simulation.ts'
import { lossAbove } from '../spending/spend-limit.ts'
import { budgetNames } from '../spending/budgets.ts'
import { type CallBounds, callBounds, isOfTrades } from '../calldata/call-bounds.ts'
import { lostBy, pricesIn } from '../value/mined-loss.ts'
import { boughtIn } from '../value/moved.ts'

/**
 * The budget of losses, where trades have lost more than was reserved for them, at the prices of the blocks that mined them: whoever decides
 * what is mined may hold one back for longer than its call waits. What liquidity was put in or taken out beside a trade, or
 * somebody else was paid, stays as reserved.
 */
export async function lossBeyond(
  context: ExecutionContext,
  { budgets, isExit, requestId }: OpenReservation,
  { mined, nativeDelta }: MinedAndNative,
): Promise<readonly BudgetAmount[]> {
  if (isExit || budgets.some(({ name, usdMicros }) => name === budgetNames.speculative && usdMicros > 0n)) return []
  const trades = mined.flatMap((one) => tradeOf(context, one) ?? [])
  const blocks = [...new Set(trades.map(({ receipt }) => receipt.blockNumber))]
  const losses = await Promise.all(
    blocks.map((block) => {
      const those = trades.filter(({ receipt }) => receipt.blockNumber === block)
      return lostIn(context, block, { trades: those, nativeDelta, requestId })
    }),
  )
  return lossAbove(
    budgets,
    losses.reduce((sum, one) => sum + one, 0n),
  )
}

/** A transaction of the journal that was mined. */
export type Mined = { readonly entry: JournalEntry; readonly receipt: TransactionReceipt }

type MinedAndNative = {
  /** What succeeded. */
  readonly mined: readonly Mined[]
  /** Net change in native currency by some of it, beside the changes of tokens; `null` where that cannot be read any more. */
  readonly nativeDelta: (done: readonly Mined[], ofTokens: ReadonlyMap<string, bigint>) => Promise<bigint | null>
}

/** `null` for what does anything but trade for the wallet itself. */
function tradeOf({ chain, known, wallet }: ExecutionContext, one: Mined): Trade | null {
  const calls = signedCalls(one.entry)
  try {
    const bounds = callBounds(calls, { chain, known })
    const trades = bounds.flatMap((each) => each.trades)
    const isOwn = calls.every(({ to, data }) => {
      const surface = known.surfaces.get(to.toLowerCase())
      if (surface === undefined || surface === 'listed') return true
      const reading = readCalldata(surface, to, data, chain.wrappedNative.address)
      return reading !== null && reading.recipients.every((recipient) => isAddressEqual(recipient, wallet))
    })
    return trades.length > 0 && bounds.every(isOfTrades) && isOwn ? { ...one, trades, bounds } : null
  } catch {
    return null
  }
}

type Trade = Mined & { readonly trades: CallBounds['trades']; readonly bounds: readonly CallBounds[] }

/** What trades of one block have lost, held against what they ask for; nothing where their native currency or prices cannot be read any more. */
async function lostIn(
  context: ExecutionContext,
  blockNumber: bigint,
  { trades, nativeDelta, requestId }: OfBlock,
): Promise<bigint> {
  const { chain, client, wallet } = context
  const wrappedNative = chain.wrappedNative.address
  const logs = trades.map(({ receipt }) => receipt.logs)
  const { deltas } = assetChanges(logs, { wallet, wrappedNative })
  const traded = trades.flatMap((one) => one.trades)
  const named = traded
    .flatMap(({ tokenIn, tokenOut }) => [tokenIn, tokenOut])
    .filter((token) => !isAtDestination(token))
  const tokens = named.map((token) => getAddress(token))
  const minedIn = await client.getBlock({ blockNumber })
  const [priced, nativeWei] = await Promise.all([
    pricesIn(context, minedIn, { tokens, bought: boughtIn([{ trades: traded }]) }),
    nativeDelta(trades, deltas),
  ])
  if (priced === null) return 0n
  const single = trades.flatMap(({ bounds: [only, ...others], receipt }) =>
    only !== undefined && others.length === 0 ? [{ bounds: only, logs: receipt.logs }] : [],
  )
  await holdTrades(context, { requestId, trades: single, priced })
  return nativeWei === null ? 0n : lostBy(new Map([...deltas, [zeroAddress, nativeWei]]), priced, wrappedNative)
}

type OfBlock = Pick<MinedAndNative, 'nativeDelta'> & { readonly trades: readonly Trade[]; readonly requestId: string }
