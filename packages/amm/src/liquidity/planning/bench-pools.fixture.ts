import { type Address, createWalletClient, encodeDeployData, encodeFunctionData, http, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import type { ChainToken } from '@svc/wallet/core'
import { hookedToken } from '../../../../devnet/src/contracts.gen.ts'
import type { AddRequest, Pool, Token, Version } from '../../ports.ts'
import type { Bench } from './bench.fixture.ts'

/** A token of 18 decimals that no list knows, of which the bench holds a million. */
export async function benchToken(bench: Bench, symbol: string): Promise<Token> {
  const account = privateKeyToAccount(bench.devnet.accounts[0]!.privateKey)
  const wallet = createWalletClient({ account, transport: http(bench.devnet.rpcUrl) })
  const data = encodeDeployData({ ...hookedToken, args: [symbol, symbol, 18] })
  const { contractAddress } = await wallet.sendTransactionSync({ data, chain: null })
  const token = contractAddress!
  await mint(bench, token, bench.address)
  return await bench.tokens.byAddress(bench.chain, token)
}

export async function mint(bench: Bench, token: Address, to: Address, amount = parseUnits('1000000', 18)) {
  await bench.send({
    to: token,
    data: encodeFunctionData({ abi: hookedToken.abi, functionName: 'mint', args: [to, amount] }),
  })
}

/** Creates the pool of two tokens with so much of each, in whole tokens. */
export async function benchPool(
  bench: Bench,
  version: Version,
  [token0, amount0]: readonly [Token, string],
  [token1, amount1]: readonly [Token, string],
  range: AddRequest['range'] = 'full',
): Promise<Pool> {
  const fee = version === 'v2' ? null : 3_000
  const planned = await bench.liquidity.planAdd(bench.chain, {
    version,
    token0,
    token1,
    fee,
    hooks: null,
    amount0: parseUnits(amount0, token0.decimals),
    amount1: parseUnits(amount1, token1.decimals),
    range: version === 'v2' ? null : range,
    slippageBps: 50,
    deadline: bench.deadline,
    recipient: bench.address,
  })
  await bench.run(planned.intent)
  const pools = await bench.liquidity.findPools(bench.chain, token0, token1, [version])
  return pools.find((pool) => fee === null || pool.fee === fee)!
}

/** The chain with more tokens on its list, so that routes lead over them. */
export function withListed(bench: Bench, tokens: readonly Token[]): Bench['chain'] {
  const rows = tokens.map(({ address, symbol, name, decimals }): ChainToken => ({ address, symbol, name, decimals }))
  return { ...bench.chain, tokens: [...bench.chain.tokens, ...rows] }
}
