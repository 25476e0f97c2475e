import { type Address, size, slice, zeroAddress } from 'viem'

/**
 * Everybody whom the parts of one call pay, the caller left out where a contract has a name for it. The called contract
 * counts among them: routers and position managers keep nothing for anybody, whoever comes next sweeps it. Only where a
 * later part of the same call pays that very currency out, or trades all of it on, is it a station and no recipient.
 */
export function callRecipients(
  surface: Surface,
  target: Address,
  parts: readonly CalldataPart[],
  wrappedNative: Address,
): readonly Address[] {
  const read = parts.map((part) => ({ part, payee: payeeOf(surface, target, part) }))
  return read.flatMap(({ part, payee }, index) => {
    if (surface === 'rewardDistributor') return claimersIn(part)
    if (surface === 'vault') return ownersIn(part)
    if (payee === null || payee === 'caller') return []
    if (payee !== 'itself' && !isHandedOn(part, payee, read.slice(index + 1), wrappedNative)) return [payee]
    if (payee !== 'itself') return []
    const later = read.slice(index + 1)
    const payouts = later.filter((one) => one.payee !== 'itself').map((one) => payoutOf(one.part, wrappedNative))
    // Which two tokens a position is of, its calldata does not say: both must be paid out, the simulation shows which.
    if (part.name === 'collect') return new Set(payouts.filter((token) => token !== null)).size >= 2 ? [] : [target]
    const held = heldBy(part, wrappedNative)
    const trades = later.map((one) => one.part)
    const isPaidOut = (token: string): boolean =>
      payouts.includes(token) || tradeOn(trades, token, part) || isTurned(later, token, wrappedNative)
    return held !== null && held.every(isPaidOut) ? [] : [target]
  })
}

/** Whether all of it becomes native currency in the router, or its wrapped form, which then is held to be paid out like anything else there. */
function isTurned(later: readonly ReadPart[], token: string, wrappedNative: Address): boolean {
  const there = later.filter(({ payee }) => payee === 'itself').map(({ part }) => part)
  if (token === zeroAddress)
    return there.some(({ name, values }) => name === 'router 0b' && values['amount'] === wholeBalance)
  return token === wrappedNative.toLowerCase() && there.some(({ name }) => name === 'router 0c')
}

/** A function, v4 action (`v4 0e`) or router command (`router 04`), with the values of its parameters by name. */
export type CalldataPart = {
  readonly name: string
  readonly values: Readonly<Record<string, unknown>>
  /** The position manager that the universal router calls with it; absent where the called contract itself does it. */
  readonly manager?: Address
}

type ReadPart = { readonly part: CalldataPart; readonly payee: Payee }

/**
 * Whether what a position pays goes to the position manager of v4 alone to be put into a new one there, of which both currencies are
 * paid out again behind that. That the position is of the same two the simulation shows: nothing may stay there. What is wrapped or
 * unwrapped there must be paid out behind it just so.
 */
function isHandedOn(part: CalldataPart, payee: Address, later: readonly ReadPart[], wrappedNative: Address): boolean {
  if (part.manager === undefined) return false
  const there = later.filter((one) => one.part.manager?.toLowerCase() === payee.toLowerCase())
  if (isWrapping(part.name)) {
    const [held] = heldBy(part, wrappedNative) ?? []
    return there.some((one) => one.payee !== payee && payoutOf(one.part, wrappedNative) === held)
  }
  if (part.name !== 'collect') return false
  const minted = there.findIndex((one) => one.part.name === 'v4 02')
  const { currency0, currency1 } = there[minted]?.part.values ?? {}
  if (minted === -1) return false
  const paidOut = new Set(there.slice(minted + 1).map((one) => payoutOf(one.part, wrappedNative)))
  const wrapped = (currency: string) => (currency === zeroAddress ? wrappedNative.toLowerCase() : currency)
  return [currency0, currency1].every((currency) => paidOut.has(wrapped(addressOf(currency))))
}

/** The kinds of contracts whose calldata is read. */
export type Surface =
  | 'v2Router'
  | 'v3PositionManager'
  | 'v3SwapRouter02'
  | 'v4PositionManager'
  | 'universalRouter'
  | 'wrappedNative'
  | 'twammHook'
  | 'identityRegistry'
  | 'handleRegistry'
  | 'rewardDistributor'
  | 'vault'
  | 'permit2'
  | 'crossChainSettler'

type Payee = Address | 'caller' | 'itself' | null

/** `MSG_SENDER` and `ADDRESS_THIS` of the newer routers and of the position manager of v4. */
export const routerNames = {
  caller: '0x0000000000000000000000000000000000000001',
  itself: '0x0000000000000000000000000000000000000002',
} as const

/** The newer routers have names for the caller and for themselves, some of their functions take addresses as they are. */
function payeeOf(surface: Surface, target: Address, { name, values, manager }: CalldataPart): Payee {
  // What turns into native currency or back stays where it is, unless it is just what the pool is owed.
  if (isWrapping(name)) return values['amount'] === openDelta ? null : (manager ?? 'itself')
  // Who owns an order is paid what it earns.
  const value = values['recipient'] ?? values['to'] ?? (surface === 'twammHook' ? values['owner'] : undefined)
  if (value === undefined) return null
  const recipient = addressOf(value)
  if (recipient === target.toLowerCase()) return 'itself'
  if (name === 'collect' && recipient === zeroAddress) return 'itself'
  const hasNames =
    surface === 'v4PositionManager' || surface === 'universalRouter' || /^exact(?:In|Out)put(?:Single)?$/.test(name)
  if (hasNames && recipient === routerNames.caller) return 'caller'
  return hasNames && recipient === routerNames.itself ? 'itself' : (value as Address)
}

/** Who gets the shares or the assets of a vault, and whose shares are given back. */
function ownersIn({ values }: CalldataPart): readonly Address[] {
  return ['receiver', 'owner'].flatMap((name) => (name in values ? [addressOf(values[name])] : []))
}

/**
 * Whom a claim of rewards is for. The distributor pays an account or whoever that account itself has named there, which the
 * simulation shows: then nothing arrives. Throws for lists of different lengths, and for a claim of nothing.
 */
function claimersIn({ values }: CalldataPart): readonly Address[] {
  const lists = ['users', 'tokens', 'amounts', 'proofs'].map((name) => listOf(values[name]))
  const [users = []] = lists
  if (users.length === 0 || lists.some(({ length }) => length !== users.length)) throw new RangeError('no claim')
  return [...new Set(users as readonly Address[])]
}

/** What a part leaves in the called contract, in lower case; `null` where that cannot be paid out again. */
function heldBy({ name, values }: CalldataPart, wrappedNative: Address): readonly string[] | null {
  if (name === 'exactInputSingle' || name === 'exactOutputSingle') return [addressOf(values['tokenOut'])]
  // It is bought from its end.
  if (name === 'exactOutput' || name === 'router 01') return [endsOf(values['path'])[0]]
  if (name === 'exactInput' || name === 'router 00' || name === 'router 08' || name === 'router 09')
    return [endsOf(values['path'])[1]]
  if (name === 'router 0b') return [wrappedNative.toLowerCase()]
  if (name === 'router 02') return [addressOf(values['token'])]
  if (name === 'router 0c') return [zeroAddress]
  if (name === 'v4 0e') return [addressOf(values['currency'])]
  if (name === 'v4 15') return [wrappedNative.toLowerCase()]
  if (name === 'v4 16') return [zeroAddress]
  if (name === 'v4 11') return [addressOf(values['currency0']), addressOf(values['currency1'])]
  return null
}

/** The currency of which a part pays out all that the called contract holds. */
function payoutOf({ name, values }: CalldataPart, wrappedNative: Address): string | null {
  if (name === 'sweepToken' || name === 'router 04') return addressOf(values['token'])
  if (name === 'v4 14') return addressOf(values['currency'])
  return name === 'unwrapWETH9' || name === 'router 0c' ? wrappedNative.toLowerCase() : null
}

/** Whether parts of the universal router trade all that another one left of a token: its whole balance, or just what was wrapped. */
function tradeOn(parts: readonly CalldataPart[], token: string, left: CalldataPart): boolean {
  const amounts = parts.flatMap((part) => soldBy(part, token))
  if (amounts.includes(wholeBalance)) return true
  return left.name === 'router 0b' && amounts.reduce((sum, amount) => sum + amount, 0n) === left.values['amount']
}

/** What a part takes of a token that the router holds. */
function soldBy({ name, values }: CalldataPart, token: string): readonly bigint[] {
  if (values['payerIsUser'] !== false) return []
  const isTrade = name === 'router 00' || name === 'router 08'
  if (!isTrade && name !== 'v4 0b') return []
  const spent = isTrade ? endsOf(values['path'])[0] : addressOf(values['currency'])
  const amount = values[isTrade ? 'amountIn' : 'amount']
  return spent === token && typeof amount === 'bigint' ? [amount] : []
}

const isWrapping = (name: string) => name === 'v4 15' || name === 'v4 16'

/** `OPEN_DELTA` of v4: all that the pool is owed of a currency, or owes. */
const openDelta = 0n

/** `CONTRACT_BALANCE` of the universal router. */
const wholeBalance = 2n ** 255n

/** The first and the last token of a v2 path (a list) or a v3 path (20 bytes of token, 3 of fee, and so on). */
function endsOf(path: unknown): readonly [string, string] {
  if (Array.isArray(path)) return [addressOf(path[0]), addressOf(path.at(-1))]
  const bytes = addressOf(path)
  if (size(bytes) < 43) throw new TypeError('no path')
  return [slice(bytes, 0, 20), slice(bytes, -20)]
}

function listOf(value: unknown): readonly unknown[] {
  if (!Array.isArray(value)) throw new TypeError('no list')
  return value
}

function addressOf(value: unknown): Address {
  if (typeof value !== 'string' || !value.startsWith('0x')) throw new TypeError('no address')
  return value.toLowerCase() as Address
}
