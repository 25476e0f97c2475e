import type { Chain } from '@svc/wallet/core'
import { type Address, type Hash, isHash, zeroAddress } from 'viem'
import {
  type EarlierTransaction,
  type ErrorCode,
  type Position,
  type Settled,
  type Token,
  type TokenQuantity,
  type ToolError,
} from '@svc/amm'
import { sumUsd, valueUsd } from '../analysis/value-usd.ts'
import type { WriteContext } from '../tool-context.ts'

/** What a harvest has done so far, in all its attempts, and what it could not do. */
export type HarvestBook = {
  readonly collected: CollectedFees[]
  readonly rewards: PaidRewards[]
  readonly swaps: DoneSwap[]
  readonly failures: HarvestFailure[]
  readonly notes: string[]
  /** In the order in which they were mined, of every attempt. */
  readonly transactions: { readonly label: string; readonly hash: Hash }[]
  /** The last that was no approval and took none back. */
  main: Hash | null
  gasCostUsd: number | null
  /** Which endpoints this attempt went to; `null` before it has sent anything. */
  submission: NonNullable<Settled['submission']> | null
  /** What ended the attempt before its time, because it would stand in the way of the rest as well. */
  stop: ToolError | null
  /** By lower-case address: what collections brought, less what swaps took of it. */
  readonly held: Map<string, bigint>
  hasBegun(): boolean
  /** Enters a settled intent: its transactions, its gas, what came and went. */
  enter(settled: Settled): void
  enterCollected(hash: Hash, paid: readonly Omit<CollectedFees, 'hash'>[]): void
  fail(of: Pick<HarvestFailure, 'positions' | 'tokenIn'>, error: ToolError): void
  /** Throws the first failure where nothing at all was done: nothing was signed then, and it speaks for itself. */
  requireAnything(): void
}

/** What a harvest is asked to do. */
export type HarvestRequest = {
  readonly chain: Chain
  /** Whose positions: the agent wallet's, or for a look alone anybody's. */
  readonly owner: Address
  /** `null`: all of the owner. */
  readonly positionIds: readonly string[] | null
  /** What all fees are swapped to; `null`: nothing is swapped. */
  readonly target: Token | null
  readonly includeRewards: boolean
  readonly slippageBps: number
  readonly minHarvestUsd: number
  /** Unix seconds. */
  readonly deadline: number
}

/** In the pool's order. */
export type CollectedFees = {
  readonly position: Position
  readonly hash: Hash
  readonly fees0: bigint
  readonly fees1: bigint
}

/** What one claim paid. */
export type PaidRewards = {
  readonly hash: Hash
  readonly distributor: Address
  readonly paid: readonly OwedReward[]
}

export type OwedReward = { readonly token: Token; readonly amount: bigint }

export type DoneSwap = {
  readonly hash: Hash
  readonly tokenIn: Token
  readonly tokenOut: Token
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly priceImpactBps: number | null
}

export type HarvestFailure = {
  readonly positions?: readonly Position[]
  readonly tokenIn?: Token
  readonly error: ToolError
}

/** Opens the book of a call, with what earlier attempts at it had mined. */
export async function openBook(
  { chain, owner, target }: Pick<HarvestRequest, 'chain' | 'owner' | 'target'>,
  context: Pick<WriteContext, 'earlier' | 'liquidity' | 'rewards' | 'tokens' | 'prices'>,
): Promise<HarvestBook> {
  const earlier = await context.earlier(chain)
  const book = emptyBook()
  for (const mined of earlier) await enterEarlier(book, { chain, owner, target, mined }, context)
  if (earlier.length > 0) {
    const gasWei = earlier.reduce((sum, { gasCostWei }) => sum + gasCostWei, 0n)
    const native = context.tokens.wrapped(chain)
    book.gasCostUsd = valueUsd(gasWei, native, await context.prices.usd(chain, native))
    book.notes.push('Goes on with what an earlier attempt at this call had done.')
  }
  return book
}

function emptyBook(): HarvestBook {
  const book: HarvestBook = {
    collected: [],
    rewards: [],
    swaps: [],
    failures: [],
    notes: [],
    transactions: [],
    main: null,
    gasCostUsd: 0,
    submission: null,
    stop: null,
    held: new Map(),
    hasBegun: () => book.transactions.length > 0,
    enter(settled) {
      book.transactions.push(...settled.transactions.map(({ label, hash }) => ({ label, hash })))
      book.main = settled.main.hash
      book.submission = settled.submission ?? 'public'
      book.gasCostUsd = sumUsd(book.gasCostUsd, settled.gasCostUsd)
      addTo(book.held, settled.deltas)
      for (const warning of settled.warnings) {
        const note = warning.startsWith('Gas of ') ? namingCall(warning, settled.main) : warning
        if (!book.notes.includes(note)) book.notes.push(note)
      }
    },
    enterCollected(hash, paid) {
      for (const one of paid) book.collected.push({ ...one, hash })
    },
    fail: (of, error) => void book.failures.push({ ...of, error }),
    requireAnything() {
      const [first] = book.failures
      if (book.transactions.length > 0 || namesTransaction(book)) return
      if (book.stop !== null) throw book.stop
      if (first !== undefined && book.collected.length === 0) throw first.error
    },
  }
  return book
}

/** Several calls of a harvest may each cost more than they bring. */
function namingCall(warning: string, { label, hash }: Settled['main']): string {
  return `${warning.replace(/\.$/, '')}: ${label}, ${hash}.`
}

/** A failure after a signature names what was signed. */
function namesTransaction({ failures }: HarvestBook): boolean {
  return failures.some(({ error }) => error.details.some(({ txHash }) => txHash !== undefined))
}

/** Which of its transactions an earlier attempt made what for is told by their logs: collections and claims leave theirs, and a swap gives for the target. */
async function enterEarlier(
  book: HarvestBook,
  {
    chain,
    owner,
    target,
    mined,
  }: Pick<HarvestRequest, 'chain' | 'owner' | 'target'> & { readonly mined: EarlierTransaction },
  { liquidity, rewards, tokens }: Pick<WriteContext, 'liquidity' | 'rewards' | 'tokens'>,
): Promise<void> {
  const { hash, deltas } = mined
  const collected = await liquidity.collectedIn(chain, mined)
  book.enterCollected(hash, collected)
  const claimed = rewards.claimedIn(chain, owner, mined)
  const paid = claimed.map(async ({ token, amount }) => ({ token: await tokens.byAddress(chain, token), amount }))
  const [claim] = claimed
  if (claim !== undefined) book.rewards.push({ hash, distributor: claim.distributor, paid: await Promise.all(paid) })
  const given = deltas.find(({ amount }) => amount < 0n)
  const got = deltas.find(({ token, amount }) => amount > 0n && token === target?.address)
  const brings = collected.length > 0 || claim !== undefined
  const isSwap = !brings && given !== undefined && got !== undefined && target !== null
  const label =
    collected.length > 0 ? 'collect fees' : brings ? 'claim rewards' : isSwap ? 'swap' : 'of an earlier attempt'
  book.transactions.push({ label, hash })
  addTo(book.held, deltas)
  if (brings || isSwap) book.main = hash
  if (!isSwap) return
  const tokenIn = await tokens.byAddress(chain, given.token)
  const amounts = { amountIn: -given.amount, amountOut: got.amount }
  book.swaps.push({ hash, tokenIn, tokenOut: target, ...amounts, priceImpactBps: null })
}

/** Enters the gas of what was mined and failed, which a failure names. */
export async function enterReverted(
  book: HarvestBook,
  { chain, error }: { readonly chain: Chain; readonly error: ToolError },
  { rpc, tokens, prices }: Pick<WriteContext, 'rpc' | 'tokens' | 'prices'>,
): Promise<void> {
  const native = tokens.wrapped(chain)
  for (const { txHash, message } of error.details) {
    if (typeof txHash !== 'string' || !isHash(txHash) || book.transactions.some(({ hash }) => hash === txHash)) continue
    book.transactions.push({ label: message, hash: txHash })
    const receipt = await rpc
      .client(chain)
      .getTransactionReceipt({ hash: txHash })
      .catch(() => null)
    const gasWei = receipt === null ? null : receipt.gasUsed * receipt.effectiveGasPrice
    const price = await prices.usd(chain, native)
    book.gasCostUsd = sumUsd(book.gasCostUsd, gasWei === null ? null : valueUsd(gasWei, native, price))
  }
}

function addTo(held: Map<string, bigint>, deltas: readonly TokenQuantity[]): void {
  for (const { token, amount } of deltas) {
    const key = token.toLowerCase()
    held.set(key, (held.get(key) ?? 0n) + amount)
  }
}

/** Whether two tokens are one to a holder: the native currency and its wrapped form count as the same. */
export function isSameValue(one: Token, other: Token, wrapped: Token): boolean {
  const own = (token: Token): string => (token.address === zeroAddress ? wrapped.address : token.address)
  return own(one) === own(other)
}

/**
 * Whether a failure would meet whatever comes next as well: an endpoint, a store or a signer that does not answer, a switch, a
 * transaction that is out. Nothing further is tried then; the same call goes on once it has passed.
 */
export function isStop({ code }: ToolError): boolean {
  return stops.has(code)
}

const stops: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'RPC_UNAVAILABLE',
  'RPC_TIMEOUT',
  'RPC_STALE',
  'RPC_CHAIN_MISMATCH',
  'RPC_REFUSED',
  'STORAGE_UNAVAILABLE',
  'SERVER_BUSY',
  'SERVER_PAUSED',
  'NOT_LEADER',
  'CIRCUIT_BREAKER_OPEN',
  'POLICY_INVALID',
  'PRINCIPAL_NOT_GRANTED',
  'WALLET_BUSY',
  'CANCELLED',
  'CANCELLED_BY_OPERATOR',
  'OPERATION_IN_DOUBT',
  'OPERATION_INCOMPLETE',
  'OPERATION_LIMIT',
  'SIMULATION_UNAVAILABLE',
  'SIGNER_UNAVAILABLE',
  'SIGNER_REFUSED',
  'SIGNER_UNAUTHORIZED',
  'TRANSACTION_NOT_SENT',
  'TRANSACTION_PENDING',
  'RESULT_UNREADABLE',
  'INTERNAL',
])
