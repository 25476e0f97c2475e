import { erc20Abi } from '@svc/amm/abis'
import { type Address, parseAbi, parseUnits } from 'viem'
import type { World } from '../chain-world.fixture.ts'

/** What the sequences trade and hold. */
export const symbols = ['ETH', 'WETH', 'USDC', 'USDT', 'DAI'] as const

/** In smallest units, by symbol. */
export type Amounts = ReadonlyMap<string, bigint>

export type Held = {
  readonly version: 'v2' | 'v3' | 'v4'
  readonly positionId: string
  readonly pool: `0x${string}`
  readonly token0: string
  readonly token1: string
}

/** What belongs to the wallet, and what must belong to nobody. */
export type State = {
  readonly wallet: Amounts
  /** With what its positions are worth in tokens, and what waits in them. */
  readonly all: Amounts
  readonly nonce: number
  /** All that ever left, operation by operation on balance, as the ledger counts it; gas among it. */
  readonly ledger: Amounts
  /** Allowances that are not zero, in words. */
  readonly allowances: readonly string[]
  /** What contracts hold that should pass everything on, by contract and token. */
  readonly dust: readonly bigint[]
}

export async function readState(world: World, positions: readonly Held[]): Promise<State> {
  const [balances, nonce, outflows, allowances, dust, parts] = await Promise.all([
    Promise.all(symbols.map((symbol) => world.balance(symbol))),
    world.client.getTransactionCount({ address: world.wallet }),
    world.store.ledger.outflows(world.chain.id, 0),
    standingAllowances(world, positions),
    Promise.all(passThrough(world).flatMap((address) => symbols.map((symbol) => world.balance(symbol, address)))),
    Promise.all(positions.map((position) => partsOf(world, position))),
  ])
  const wallet = new Map(symbols.map((symbol, index) => [symbol, balances[index]!]))
  const ledger = new Map<string, bigint>()
  for (const { amounts } of outflows) {
    for (const symbol of symbols) {
      const amount = amounts?.get(world.address(symbol).toLowerCase()) ?? 0n
      ledger.set(symbol, (ledger.get(symbol) ?? 0n) + amount)
    }
  }
  return { wallet, all: plus(wallet, ...parts), nonce, ledger, allowances, dust }
}

/** What a position would pay out now. */
async function partsOf(world: World, held: Held): Promise<Amounts> {
  const { version, positionId } = held
  if (version === 'v2') return shareOf(world, held)
  const answer = await world.call('get_position', { version, positionId })
  const sides = (['0', '1'] as const).map((side) => {
    const symbol = answer.text(`token${side}Symbol`)
    const units = (member: string) => parseUnits(answer.text(member), decimalsOf(symbol))
    return new Map([[symbol, units(`amount${side}`) + units(`feesOwed${side}`)]])
  })
  return plus(...sides)
}

async function shareOf({ client, wallet, devnet }: World, { pool: address }: Held): Promise<Amounts> {
  const read = { address, abi: pairAbi } as const
  const [own, supply, reserves, token0] = await Promise.all([
    client.readContract({ ...read, functionName: 'balanceOf', args: [wallet] }),
    client.readContract({ ...read, functionName: 'totalSupply' }),
    client.readContract({ ...read, functionName: 'getReserves' }),
    client.readContract({ ...read, functionName: 'token0' }),
  ])
  const first = devnet.tokens.find(({ address: token }) => token === token0)!.symbol
  const sides = first === 'WETH' ? ['WETH', 'USDC'] : ['USDC', 'WETH']
  return new Map(sides.map((symbol, side) => [symbol, (reserves[side === 0 ? 0 : 1] * own) / supply]))
}

const pairAbi = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function getReserves() view returns (uint112 reserve0, uint112 reserve1, uint32 at)',
  'function token0() view returns (address)',
])

export function decimalsOf(symbol: string): number {
  return symbol.startsWith('USD') ? 6 : 18
}

export function plus(...parts: readonly Amounts[]): Amounts {
  const sum = new Map<string, bigint>()
  for (const part of parts) for (const [symbol, amount] of part) sum.set(symbol, (sum.get(symbol) ?? 0n) + amount)
  return sum
}

export function minus(one: Amounts, other: Amounts): Amounts {
  return plus(one, new Map([...other].map(([symbol, amount]) => [symbol, -amount])))
}

/** Whoever is paid through, and keeps nothing. */
function passThrough({ chain, devnet }: World): readonly Address[] {
  const { v2, v3, v4, universalRouter } = chain.amm
  return [
    v2!.router,
    v3!.swapRouter02,
    v3!.positionManager,
    v4!.positionManager,
    universalRouter!.address,
    chain.permit2,
    devnet.batchDelegate,
  ]
}

async function standingAllowances(world: World, positions: readonly Held[]): Promise<readonly string[]> {
  const { client, wallet, chain } = world
  const tokens = [
    ...symbols.filter((symbol) => symbol !== 'ETH').map((symbol) => world.address(symbol)),
    ...positions.flatMap(({ version, pool }) => (version === 'v2' ? [pool] : [])),
  ]
  const pairs = tokens.flatMap((token) => passThrough(world).map((spender) => [token, spender] as const))
  const [direct, byPermit2] = await Promise.all([
    Promise.all(
      pairs.map(([address, spender]) =>
        client.readContract({ address, abi: erc20Abi, functionName: 'allowance', args: [wallet, spender] }),
      ),
    ),
    Promise.all(
      pairs.map(([token, spender]) =>
        client.readContract({
          address: chain.permit2,
          abi: permit2Abi,
          functionName: 'allowance',
          args: [wallet, token, spender],
        }),
      ),
    ),
  ])
  const soon = Date.now() / 1_000 + 1_900
  return pairs.flatMap(([token, spender], index) => {
    const [amount, until] = byPermit2[index]!
    // What was not used of an allowance inside Permit2 ends by itself, and takes nothing: Permit2 may not.
    const lasting = amount > 0n && until > soon ? amount : 0n
    const standing = [direct[index]!, lasting]
    return standing.some((one) => one > 0n) ? [`${standing.join(' and ')} of ${token} for ${spender}`] : []
  })
}

const permit2Abi = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 until, uint48 nonce)',
])

/** What the transactions of the wallet between two states cost in gas, in wei, whoever they were for. */
export async function gasBetween({ store, client, chain, wallet }: World, from: State, to: State): Promise<bigint> {
  let sum = 0n
  for (let nonce = from.nonce; nonce < to.nonce; nonce += 1) {
    const attempts = await store.journal.byNonce(chain.id, wallet, nonce)
    // A delegation takes the nonce after that of its transaction.
    for (const { hash } of attempts) {
      const { gasUsed, effectiveGasPrice } = await client.getTransactionReceipt({ hash })
      sum += gasUsed * effectiveGasPrice
    }
  }
  return sum
}
