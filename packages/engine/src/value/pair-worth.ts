import type { Chain } from '@svc/wallet/core'
import { type Address, isAddressEqual, zeroAddress } from 'viem'
import { erc20Abi, v2FactoryAbi, v2PairAbi } from '@svc/amm/abis'
import { supplyWithFee, v2PairAddress } from '@svc/amm/liquidity'
import { contractFunction, readAll } from '@svc/amm/rpc'
import type { BlockTime, Intent, RpcPool } from '@svc/amm'
import { settledBlock } from '../call/chain-snapshot.ts'

/**
 * Which of the tokens are pairs of the chain's v2 factory, by lower-case address, and what one share of them stands for. A
 * contract that only says it is a pair does not stand where the factory would have put it, and is none. Read at a block, the newest where
 * none is named; one whose shares are bought at a settled block before it, for a gift that is gone with the newest blocks makes none dear.
 * Apart from them the pairs whose shares those hold, and so on: who buys a share of a share buys what lies in it.
 */
export async function readPairs(
  rpc: Pick<RpcPool, 'client' | 'head'>,
  chain: Chain,
  tokens: readonly Address[],
  context: PairContext,
): Promise<{ readonly standing: StandingPairs; readonly within: StandingPairs }> {
  const listed = listedKeys(chain)
  const read = (keys: readonly Address[]) =>
    readPairsOf(
      rpc,
      chain,
      keys.filter((key) => !listed.has(key)),
      context,
    )
  const standing = await read(tokens)
  const within = new Map<string, StandingPair>()
  let inner = standing
  for (let depth = 1; depth < pairDepth && inner.size > 0; depth += 1) {
    const sides = new Set([...inner.values()].flatMap((pair) => pair.sides.map(({ token }) => keyOf(token))))
    inner = await read([...sides].filter((key) => !standing.has(key) && !within.has(key)))
    for (const [key, pair] of inner) within.set(key, pair)
  }
  return { standing, within }
}

/** Native currency and what the chain lists, in lower case: none of it is a share. */
export function listedKeys(chain: Chain): ReadonlySet<string> {
  return new Set([zeroAddress, ...[chain.wrappedNative, ...chain.tokens].map(({ address }) => keyOf(address))])
}

/** How many pairs deep a share is looked into. */
export const pairDepth = 3

type StandingPairs = ReadonlyMap<string, StandingPair>

type PairContext = { readonly at?: Pick<BlockTime, 'number'>; readonly bought?: ReadonlySet<string> }

function keyOf(address: Address): Address {
  return address.toLowerCase() as Address
}

async function readPairsOf(
  rpc: Pick<RpcPool, 'client' | 'head'>,
  chain: Chain,
  tokens: readonly Address[],
  { at, bought }: PairContext,
): Promise<StandingPairs> {
  const { v2 } = chain.amm
  if (v2 === undefined || tokens.length === 0) return new Map()
  const { number } = at ?? (await rpc.head(chain))
  const found = await Promise.all(
    tokens.map(async (pair): Promise<readonly [string, StandingPair] | null> => {
      const reads = [
        readToken0(pair, []),
        readToken1(pair, []),
        readReserves(pair, []),
        readSupply(pair, []),
        readKLast(pair, []),
        readFeeTo(v2.factory, []),
      ] as const
      const isBought = bought?.has(pair.toLowerCase()) === true
      const answers = await readAll(
        rpc.client(chain),
        chain,
        reads,
        isBought ? settledBlock(chain, number) : number,
      ).catch((error: unknown) => {
        // An endpoint without the older state: what is bought there arrives as worth nothing.
        if (isBought) return null
        throw error
      })
      if (answers === null) return null
      const [token0, token1, reserves, totalSupply, kLast, feeTo] = answers
      if (token0 === null || token1 === null || reserves === null || totalSupply === null) return null
      if (kLast === null || feeTo === null || totalSupply === 0n) return null
      if (!isAddressEqual(v2PairAddress(v2, token0, token1), pair)) return null
      const sides = [
        { token: token0, reserve: reserves[0] },
        { token: token1, reserve: reserves[1] },
      ]
      const wrappedNative = chain.wrappedNative.address
      const [reserve0, reserve1] = reserves
      const burnSupply = supplyWithFee({ reserve0, reserve1, totalSupply, kLast }, feeTo)
      return [pair.toLowerCase(), { sides, burnSupply, router: v2.router, wrappedNative }]
    }),
  )
  return new Map(found.filter((entry) => entry !== null))
}

export type StandingPair = {
  readonly sides: readonly { readonly token: Address; readonly reserve: bigint }[]
  /** What a burn of its shares counts with. */
  readonly burnSupply: bigint
  readonly router: Address
  readonly wrappedNative: Address
}

/**
 * What is spent without the shares that are really given back: the calls go to the pair's router alone, and both of the
 * pair's tokens arrive, each no less than the shares stand for but for the slippage. What arrived counts for one pair only. Of a call
 * that trades nothing `either` is enough: what the other lacks its own contract has kept, and no trade has.
 */
export function withoutGivenBack(
  spent: ReadonlyMap<string, bigint>,
  { calls, slippageBps }: Pick<Intent, 'calls' | 'slippageBps'>,
  deltas: ReadonlyMap<string, bigint>,
  pairOf: (token: string) => StandingPair | null,
  sides: Sides = 'both',
): ReadonlyMap<string, bigint> {
  const left = new Map(spent)
  const arriving = new Map(deltas)
  const tolerance = BigInt(Math.min(Math.max(slippageBps ?? 0, leastToleranceBps), mostToleranceBps))
  for (const [key, shares] of spent) {
    const pair = pairOf(key)
    if (pair === null || !calls.every(({ to }) => isAddressEqual(to, pair.router))) continue
    const due = pair.sides.map(({ token, reserve }) => {
      const amount = (shares * reserve) / pair.burnSupply
      const native = isAddressEqual(token, pair.wrappedNative) ? (arriving.get(zeroAddress) ?? 0n) : 0n
      const from = native > 0n ? zeroAddress : token.toLowerCase()
      return { from, amount, hasCome: (arriving.get(from) ?? 0n) * 10_000n >= amount * (10_000n - tolerance) }
    })
    if (due.some(({ amount }) => amount === 0n)) continue
    if (!(sides === 'both' ? due.every(({ hasCome }) => hasCome) : due.some(({ hasCome }) => hasCome))) continue
    left.delete(key)
    for (const { from, amount } of due) arriving.set(from, (arriving.get(from) ?? 0n) - amount)
  }
  return left
}

/** Which of a pair's tokens have to come. */
export type Sides = 'both' | 'either'

/**
 * The v2 pairs that can exist between the given tokens, by lower-case address, with their two tokens. A pair's address
 * is computed from the factory's address and the hash of the pair's code, so a contract that only looks like a pair is
 * never among them. Native currency counts as its wrapped form.
 */
export function pairShares(chain: Chain, tokens: readonly Address[]): ReadonlyMap<string, readonly [Address, Address]> {
  const v2 = chain.amm.v2
  const found = new Map<string, readonly [Address, Address]>()
  if (v2 === undefined) return found
  const wrapped = tokens.map((token) => (token === zeroAddress ? chain.wrappedNative.address : token).toLowerCase())
  const sorted = [...new Set(wrapped)].sort().filter((token): token is Address => token.startsWith('0x'))
  for (const [index, token0] of sorted.entries()) {
    for (const token1 of sorted.slice(index + 1)) {
      found.set(v2PairAddress(v2, token0, token1).toLowerCase(), [token0, token1])
    }
  }
  return found
}

/** A pair moves a little between the block that was read and the one that is simulated. */
const leastToleranceBps = 50

/** Beyond it shares are not given back but given away, whatever slippage the call names. */
const mostToleranceBps = 500

const readToken0 = contractFunction(v2PairAbi, 'token0')
const readToken1 = contractFunction(v2PairAbi, 'token1')
const readReserves = contractFunction(v2PairAbi, 'getReserves')
const readSupply = contractFunction(erc20Abi, 'totalSupply')
const readKLast = contractFunction(v2PairAbi, 'kLast')
const readFeeTo = contractFunction(v2FactoryAbi, 'feeTo')
