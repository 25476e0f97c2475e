import type { Chain } from '@svc/wallet'
import { decodeFunctionResult, encodeFunctionData, isAddress, type Address, type Hex } from 'viem'
import type { Ports, Token } from '../../ports.ts'
import { erc20Abi } from '../liquidity/abis/erc20.ts'

/**
 * What a token keeps back on a transfer, in basis points, found by simulating one out of a pool that holds it; null when
 * the endpoint cannot simulate or nothing is held there. Nothing is sent.
 */
export async function detectTransferFee(
  ports: Pick<Ports, 'rpc'>,
  chain: Chain,
  token: Token,
  pool: string,
): Promise<number | null> {
  const holder = isAddress(pool) ? pool : chain.amm.v4?.poolManager
  if (holder === undefined || token.isNative) return null
  try {
    const client = ports.rpc.client(chain)
    const held = await client.readContract({
      address: token.address,
      abi: erc20Abi,
      functionName: 'balanceOf',
      args: [holder],
    })
    const sent = held / 1000n
    if (sent === 0n) return null
    const [block] = await client.simulateBlocks({
      blocks: [{ calls: [balanceCall(token), transferCall(token, holder, sent), balanceCall(token)] }],
    })
    const [before, transfer, after] = block?.calls ?? []
    if (before === undefined || after === undefined || transfer?.status !== 'success') return null
    const received = balanceOf(after.data) - balanceOf(before.data)
    return Number(((sent - received) * 10_000n) / sent)
  } catch {
    return null
  }
}

/** An address without a key or code. */
const probe: Address = '0x000000000000000000000000000000000000f0Fe'

function balanceCall(token: Token): { to: Address; data: Hex } {
  return {
    to: token.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [probe] }),
  }
}

function transferCall(token: Token, from: Address, amount: bigint): { from: Address; to: Address; data: Hex } {
  return {
    from,
    to: token.address,
    data: encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [probe, amount] }),
  }
}

function balanceOf(data: Hex): bigint {
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data })
}
