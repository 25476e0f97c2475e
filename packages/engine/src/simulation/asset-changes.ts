import { type Address, type Hex, isAddressEqual, parseAbi, toEventSelector, zeroAddress, type Hash } from 'viem'
import { createHash } from 'node:crypto'
import { isAtDestination } from '../call/amounts.ts'

/**
 * What a run of transactions did to one wallet, read out of its logs: net change per token, NFTs that left, rights that
 * were given. Native currency counts where the log comes from the tracer's pseudo-token (simulation); receipts hold no
 * such logs. Wrapping is read from the wrapped token's own events where it announces no transfer.
 */
export function assetChanges(
  transactions: readonly (readonly ChangeLog[])[],
  context: { readonly wallet: Address; readonly wrappedNative: Address },
): AssetChanges {
  const changes: Changes = { deltas: new Map(), leftNfts: [], rights: [] }
  for (const logs of transactions) {
    for (const log of logs) readLog(log, logs, context, changes)
  }
  return changes
}

export type ChangeLog = { readonly address: Address; readonly topics: readonly Hex[]; readonly data: Hex }

export type AssetChanges = {
  /** By lower-case token address, native currency under the zero address; only what changed on balance or in passing. */
  readonly deltas: ReadonlyMap<string, bigint>
  readonly leftNfts: readonly { readonly token: Address; readonly to: Address | null }[]
  readonly rights: readonly GivenRight[]
}

/** An allowance or operator right the wallet gave. `amount` is `null` for an NFT or a whole collection. */
export type GivenRight = {
  readonly token: Address
  readonly spender: Address
  readonly amount: bigint | null
  readonly by: 'token' | 'permit2'
  /** Of the NFT; `null` of everything else. */
  readonly tokenId: bigint | null
  /** The contract that announced it. */
  readonly contract: Address
}

/** One call of a simulated sequence, and whether the rest means anything when it fails. */
export type SimulatedCall = {
  /** Who calls, and whose transaction it is; the wallet where it is left out. */
  readonly from?: Address | undefined
  readonly to: Address
  readonly data: Hex
  readonly value: bigint
  readonly mustSucceed: boolean
}

export type SimulatedResult = {
  readonly ok: boolean
  /** Of a failed call the revert data. */
  readonly returnData: Hex
  readonly gasUsed: bigint
  readonly logs: readonly ChangeLog[]
  /** What the wallet's native balance changed by; `null` where the logs of a tracer tell. */
  readonly nativeDelta: bigint | null
}

/** What a sequence is simulated from. */
export type SimulatedFrom = {
  readonly wallet: Address
  /** The block whose state it starts from, and the time at which it plays, in Unix seconds. */
  readonly block: { readonly number: bigint }
  readonly atSeconds: number
  /** Whether the steps hold a place for a signature of the wallet: then it is played as if whatever stands there were its own. */
  readonly isUnsigned?: boolean
  /** Code that stands at the wallet's address meanwhile. */
  readonly code?: Hex
}

type Changes = {
  readonly deltas: Map<string, bigint>
  readonly leftNfts: { token: Address; to: Address | null }[]
  readonly rights: GivenRight[]
}

type Context = { readonly wallet: Address; readonly wrappedNative: Address }

/** The address under which the tracer of `eth_simulateV1` logs moves of native currency. */
const nativeLogger = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

const [
  transfer,
  approval,
  approvalForAll,
  transferSingle,
  transferBatch,
  deposit,
  withdrawal,
  permit2Approval,
  permit2Permit,
] = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Approval(address indexed owner, address indexed spender, uint256 value)',
  'event ApprovalForAll(address indexed owner, address indexed operator, bool approved)',
  'event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value)',
  'event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
  'event Approval(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration)',
  'event Permit(address indexed owner, address indexed token, address indexed spender, uint160 amount, uint48 expiration, uint48 nonce)',
]).map((event) => toEventSelector(event))

function readLog(log: ChangeLog, siblings: readonly ChangeLog[], context: Context, changes: Changes): void {
  const [event, first, second, third] = log.topics
  const isWallet = (topic: Hex | undefined): boolean =>
    topic !== undefined && isAddressEqual(addressOf(topic), context.wallet)
  if (event === transfer && second !== undefined) {
    if (third !== undefined) {
      if (isWallet(first) && !isWallet(second)) {
        changes.leftNfts.push({ token: log.address, to: addressOf(second) })
      }
      return
    }
    const token = log.address.toLowerCase() === nativeLogger ? zeroAddress : log.address
    if (isWallet(second)) add(changes, token, amountOf(log.data))
    if (isWallet(first)) add(changes, token, -amountOf(log.data))
  } else if ((event === transferSingle || event === transferBatch) && isWallet(second) && third !== undefined) {
    if (!isWallet(third)) changes.leftNfts.push({ token: log.address, to: addressOf(third) })
  } else if (event === deposit || event === withdrawal) {
    readWrapping(log, siblings, context, changes)
  } else if (isWallet(first)) {
    const right = readRight(log)
    if (right !== null) changes.rights.push(right)
  }
}

/** WETH9 announces wrapping by `Deposit` and `Withdrawal` alone; others also by a `Transfer` from or to nobody. */
function readWrapping(log: ChangeLog, siblings: readonly ChangeLog[], context: Context, changes: Changes): void {
  const [event, who] = log.topics
  if (who === undefined || !isAddressEqual(log.address, context.wrappedNative)) return
  if (!isAddressEqual(addressOf(who), context.wallet)) return
  const isAlsoTransfer = siblings.some((other) => {
    const [otherEvent, from, to, tokenId] = other.topics
    if (otherEvent !== transfer || from === undefined || to === undefined || tokenId !== undefined) return false
    const [nobody, owner] = event === deposit ? [from, to] : [to, from]
    return (
      isAddressEqual(other.address, log.address) &&
      isAddressEqual(addressOf(nobody), zeroAddress) &&
      isAddressEqual(addressOf(owner), context.wallet) &&
      amountOf(other.data) === amountOf(log.data)
    )
  })
  if (!isAlsoTransfer) add(changes, log.address, event === deposit ? amountOf(log.data) : -amountOf(log.data))
}

function readRight(log: ChangeLog): GivenRight | null {
  const [event, , second, third] = log.topics
  if (second === undefined) return null
  const contract = log.address
  if (event === approval) {
    const amount = third === undefined ? amountOf(log.data) : null
    const isNothing = amount === 0n || (amount === null && isAddressEqual(addressOf(second), zeroAddress))
    const tokenId = third === undefined ? null : BigInt(third)
    const spender = addressOf(second)
    return isNothing ? null : { token: contract, spender, amount, by: 'token', tokenId, contract }
  }
  if (event === approvalForAll && amountOf(log.data) !== 0n) {
    return { token: contract, spender: addressOf(second), amount: null, by: 'token', tokenId: null, contract }
  }
  if ((event === permit2Approval || event === permit2Permit) && third !== undefined && amountOf(log.data) !== 0n) {
    const amount = amountOf(log.data)
    return { token: addressOf(second), spender: addressOf(third), amount, by: 'permit2', tokenId: null, contract }
  }
  return null
}

function add({ deltas }: Changes, token: Address, amount: bigint): void {
  const key = token.toLowerCase()
  deltas.set(key, (deltas.get(key) ?? 0n) + amount)
}

function addressOf(topic: Hex): Address {
  return `0x${topic.slice(26)}`
}

/** The first word of the data; logs of strange contracts may hold less and then count as zero. */
function amountOf(data: Hex): bigint {
  return data.length < 66 ? 0n : BigInt(data.slice(0, 66))
}

/**
 * Names the result of a simulation: what was simulated, where and when, and what it moved. SHA-256 of the JSON of
 * `[chain id, wallet, block, Unix seconds, [[to, data, value], ...], [[token, change], ...]]`: addresses in lower case,
 * amounts as decimal text in smallest units, changes that are none, and what another chain owes, left out and the others in the order of their tokens.
 */
export function simulationHash({ chainId, wallet, block, atSeconds, steps, deltas }: SimulatedEffect): Hash {
  const simulated = steps.map(({ to, data, valueWei }) => [to.toLowerCase(), data.toLowerCase(), `${valueWei}`])
  const moved = [...deltas]
    .filter(([token, change]) => change !== 0n && !isAtDestination(token))
    .map(([token, change]) => [token.toLowerCase(), `${change}`] as const)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
  const text = JSON.stringify([chainId, wallet.toLowerCase(), `${block}`, atSeconds, simulated, moved])
  return `0x${createHash('sha256').update(text).digest('hex')}`
}

export type SimulatedEffect = {
  readonly chainId: number
  readonly wallet: Address
  readonly block: bigint
  readonly atSeconds: number
  readonly steps: readonly { readonly to: Address; readonly data: Hex; readonly valueWei: bigint }[]
  /** Change of the wallet per token, in smallest units. */
  readonly deltas: ReadonlyMap<string, bigint>
}
