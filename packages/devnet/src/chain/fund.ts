import { type Address, encodeFunctionData, maxUint256, parseUnits, zeroAddress } from 'viem'
import { multicall3Abi, permit2Abi, tokenAbi } from '../abis.ts'
import { type Layout, multicall3Address, permit2Address, type PlacedPool } from '../seed/layout.ts'
import { decimalsOf, unitsFor, type UsdPrices } from '../seed/market.ts'
import { type Asset, tokenSpecs, type TokenSymbol } from '../seed/token-specs.ts'
import type { Call } from './block-writer.ts'
import type { ChainClient } from './chain-client.ts'

/** Gives those who seed and trade what they work with, and the test accounts their tokens. */
export function fundingCalls(layout: Layout, testAccounts: readonly Address[], usd: UsdPrices): readonly Call[] {
  const { roles, contracts } = layout
  const workers = [...roles.providers, ...roles.traders, contracts.arbitrageur]
  const inventories = workers.flatMap((worker) => giveAll(layout, worker, (symbol) => unitsFor(symbol, 1e9, usd)))
  const samples = testAccounts.flatMap((account) => giveAll(layout, account, (symbol) => unitsFor(symbol, 50_000, usd)))
  const ether: Call = {
    from: roles.bank,
    to: contracts.arbitrageur,
    data: '0x',
    value: 500_000n * 10n ** 18n,
    gas: 50_000n,
    what: 'fund the arbitrageur',
  }
  return [...inventories, ...samples, ether]
}

/** Some units of one token to somebody, from the bank: minted, or for WETH wrapped and sent. */
export function giveCalls(layout: Layout, to: Address, symbol: TokenSymbol, amount: bigint): readonly Call[] {
  const from = layout.roles.bank
  const token = layout.tokens[symbol]
  const call = (data: Call['data'], value = 0n): Call => ({
    from,
    to: token,
    data,
    value,
    gas: 200_000n,
    what: `give ${symbol}`,
  })
  if (symbol !== 'WETH') return [call(encodeFunctionData({ abi: tokenAbi, functionName: 'mint', args: [to, amount] }))]
  return [
    call(encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }), amount),
    call(encodeFunctionData({ abi: tokenAbi, functionName: 'transfer', args: [to, amount] })),
  ]
}

/** Lets providers and traders move their tokens through the contracts their pools need. */
export function approvalCalls(layout: Layout): readonly Call[] {
  const { contracts, roles } = layout
  const providing = spenders(layout.pools, {
    v2: contracts.v2Router,
    v3: contracts.v3PositionManager,
    v4: contracts.v4PositionManager,
  })
  const trading = spenders(layout.pools, {
    v2: contracts.v2Router,
    v3: contracts.swapRouter02,
    v4: contracts.universalRouter,
  })
  return [
    ...roles.providers.flatMap((from) => providing.flatMap((grant) => grantCalls(from, grant))),
    ...roles.traders.flatMap((from) => trading.flatMap((grant) => grantCalls(from, grant))),
    ...ordering(layout),
  ]
}

type Grant = { readonly token: Address; readonly spender: Address; readonly byPermit2: boolean }

function giveAll(layout: Layout, to: Address, amount: (symbol: TokenSymbol) => bigint): readonly Call[] {
  return tokenSpecs.flatMap(({ symbol }) => giveCalls(layout, to, symbol, amount(symbol)))
}

/** For the order that lives when the chain is served. */
function ordering({ roles, tokens, twamm }: Layout): readonly Call[] {
  const grant = { token: tokens.WETH, spender: twamm.hook, byPermit2: false }
  return roles.traders.slice(0, 1).flatMap((from) => grantCalls(from, grant))
}

function spenders(
  pools: readonly PlacedPool[],
  by: Readonly<Record<PlacedPool['version'], Address>>,
): readonly Grant[] {
  const grants = new Map<string, Grant>()
  for (const pool of pools) {
    for (const token of [pool.token0, pool.token1].filter((address) => address !== zeroAddress)) {
      const grant = { token, spender: by[pool.version], byPermit2: pool.version === 'v4' }
      grants.set(`${grant.token}${grant.spender}`, grant)
    }
  }
  return [...grants.values()]
}

function grantCalls(from: Address, { token, spender, byPermit2 }: Grant): readonly Call[] {
  const approve = encodeFunctionData({
    abi: tokenAbi,
    functionName: 'approve',
    args: [byPermit2 ? permit2Address : spender, maxUint256],
  })
  const direct: Call = { from, to: token, data: approve, gas: 100_000n, what: 'approve' }
  if (!byPermit2) return [direct]
  const permit = encodeFunctionData({
    abi: permit2Abi,
    functionName: 'approve',
    args: [token, spender, 2n ** 160n - 1n, 2 ** 48 - 1],
  })
  return [direct, { from, to: permit2Address, data: permit, gas: 100_000n, what: 'approve by Permit2' }]
}

/** Amounts by symbol or `ETH`, as decimal strings in whole tokens. */
export type Amounts = Readonly<Partial<Record<Asset, string>>>

/** Adds to what an address holds. */
export async function fund({ client, layout, send }: FundedChain, to: Address, amounts: Amounts): Promise<void> {
  const calls = Object.entries(amounts).flatMap(([asset, amount]) => {
    if (!isAsset(layout, asset)) throw new Error(`The local chain has no token ${asset}`)
    return asset === 'ETH' ? [] : giveCalls(layout, to, asset, parseUnits(amount, decimalsOf(asset)))
  })
  if (amounts.ETH !== undefined) {
    const units = parseUnits(amounts.ETH, decimalsOf('ETH'))
    await client.setBalance({ address: to, value: (await client.getBalance({ address: to })) + units })
  }
  const isOwnersAlone = ({ to: token }: Call) => ownersAlone.some((symbol) => layout.tokens[symbol] === token)
  const free = calls.filter((call) => !isOwnersAlone(call))
  for (const call of [...together(layout, free), ...calls.filter(isOwnersAlone)]) await send(call)
}

type FundedChain = {
  readonly client: ChainClient
  readonly layout: Layout
  readonly send: (call: Call) => Promise<void>
}

function isAsset(layout: Layout, symbol: string): symbol is Asset {
  return Object.hasOwn(layout.assets, symbol)
}

/** What only the bank may mint: not even a contract in its name. */
const ownersAlone = tokenSpecs.filter(({ kind }) => kind === 'fee-on-transfer').map(({ symbol }) => symbol)

/** One transaction for all of them: a block each would take most of the time. */
function together({ roles }: Layout, calls: readonly Call[]): readonly Call[] {
  if (calls.length < 2) return calls
  const parts = calls.map(({ to, data, value = 0n }) => ({
    target: to ?? multicall3Address,
    allowFailure: false,
    value,
    callData: data,
  }))
  const data = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3Value', args: [parts] })
  const sum = (amounts: readonly bigint[]) => amounts.reduce((total, amount) => total + amount, 0n)
  return [
    {
      from: roles.bank,
      to: multicall3Address,
      data,
      value: sum(calls.map(({ value = 0n }) => value)),
      gas: sum(calls.map(({ gas }) => gas)),
      what: 'fund',
    },
  ]
}
