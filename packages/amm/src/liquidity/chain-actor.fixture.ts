import { setTimeout } from 'node:timers/promises'
import type { Devnet } from '@svc/devnet'
import {
  concat,
  createPublicClient,
  createTestClient,
  encodeAbiParameters,
  encodeFunctionData,
  formatTransactionReceipt,
  getAddress,
  http,
  maxUint128,
  maxUint256,
  parseEventLogs,
  slice,
  toHex,
  zeroAddress,
  type Abi,
  type Address,
  type Hex,
  type PublicClient,
  type RpcTransactionReceipt,
  type TransactionReceipt,
} from 'viem'
import { erc20Abi, permit2Abi } from '../abis/tokens.ts'
import { universalRouterAbi } from './v4/plan-swap.ts'
import { v2RouterAbi } from '../abis/v2.ts'
import { v3PositionManagerAbi } from '../abis/v3.ts'
import { v3SwapRouter02Abi } from './v3/plan-swap.ts'
import { v4PositionManagerAbi } from '../abis/v4.ts'
import { poolIdOf, type PoolKey } from './v4/pool-key.ts'

/** Acts on the local chain through the real contracts, bare, so that reads can be compared with what really happens. */
export async function createChainActor(devnet: Devnet, address: Address): Promise<ChainActor> {
  const transport = http(devnet.rpcUrl, { timeout: 120_000 })
  const client: PublicClient = createPublicClient({ transport, pollingInterval: 10, cacheTime: 0 })
  const chain = createTestClient({ mode: 'anvil', transport })
  const { v2, v3, v4, universalRouter } = devnet.chain.amm
  const deadline = maxUint256

  async function write(to: Address, abi: Abi, functionName: string, args: readonly unknown[], value = 0n) {
    const data = encodeFunctionData({ abi, functionName, args })
    const transaction = { from: address, to, data, value: toHex(value), gas: toHex(5_000_000) }
    const receipt = formatTransactionReceipt(
      await chain.request<SendSync>({ method: 'eth_sendTransactionSync', params: [transaction] }),
    )
    if (receipt.status !== 'success') throw new Error(`${functionName} reverted`)
    return receipt
  }

  async function balanceOf(token: Address): Promise<bigint> {
    if (token === zeroAddress) return client.getBalance({ address })
    return client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [address] })
  }

  const approved = new Set<string>()

  /** Approves once whoever takes these tokens: directly, or for v4 through Permit2. */
  async function approve(spender: Address, ...tokens: readonly Address[]): Promise<void> {
    const throughPermit2 = spender === v4!.positionManager || spender === universalRouter!.address
    for (const token of tokens) {
      if (token === zeroAddress || approved.has(`${spender}${token}`)) continue
      approved.add(`${spender}${token}`)
      await write(token, erc20Abi, 'approve', [throughPermit2 ? devnet.chain.permit2 : spender, maxUint256])
      if (!throughPermit2) continue
      await write(devnet.chain.permit2, permit2Abi, 'approve', [token, spender, 2n ** 160n - 1n, 2 ** 47])
    }
  }

  return {
    address,
    client,
    write,
    balanceOf,
    approve,
    async swapV2(path: readonly Address[], amountIn: bigint) {
      await approve(v2!.router, path[0]!)
      return write(v2!.router, v2RouterAbi, 'swapExactTokensForTokens', [amountIn, 0n, path, address, deadline])
    },
    async swapV3(path: Hex, amountIn: bigint) {
      const params = { path, recipient: address, amountIn, amountOutMinimum: 0n }
      await approve(v3!.swapRouter02, getAddress(slice(path, 0, 20)))
      return write(v3!.swapRouter02, v3SwapRouter02Abi, 'exactInput', [params])
    },
    async swapV4(key: PoolKey, zeroForOne: boolean, amountIn: bigint) {
      const [input, output] = zeroForOne ? [key.currency0, key.currency1] : [key.currency1, key.currency0]
      await approve(universalRouter!.address, input)
      const swap = encodeAbiParameters(
        [
          {
            type: 'tuple',
            components: [
              { ...keyParameter, name: 'poolKey' },
              { type: 'bool' },
              { type: 'uint128' },
              { type: 'uint128' },
              { type: 'bytes' },
            ],
          },
        ],
        [[key, zeroForOne, amountIn, 0n, '0x']] as never,
      )
      const actions = encodeAbiParameters(
        [{ type: 'bytes' }, { type: 'bytes[]' }],
        ['0x060c0f', [swap, pair(input, amountIn), pair(output, 0n)]],
      )
      const value = input === zeroAddress ? amountIn : 0n
      return write(universalRouter!.address, universalRouterAbi, 'execute', ['0x10', [actions], deadline], value)
    },
    async addV2(token0: Address, token1: Address, amount0: bigint, amount1: bigint) {
      await approve(v2!.router, token0, token1)
      const args = [token0, token1, amount0, amount1, 0n, 0n, address, deadline]
      return write(v2!.router, v2RouterAbi, 'addLiquidity', args)
    },
    async mintV3(params: V3Mint): Promise<bigint> {
      await approve(v3!.positionManager, params.token0, params.token1)
      const rest = { amount0Min: 0n, amount1Min: 0n, recipient: address, deadline }
      const receipt = await write(v3!.positionManager, v3PositionManagerAbi, 'mint', [{ ...params, ...rest }])
      const [log] = parseEventLogs({ abi: v3PositionManagerAbi, eventName: 'IncreaseLiquidity', logs: receipt.logs })
      return log!.args.tokenId
    },
    async decreaseV3(tokenId: bigint, liquidity: bigint) {
      const params = { tokenId, liquidity, amount0Min: 0n, amount1Min: 0n, deadline }
      return write(v3!.positionManager, v3PositionManagerAbi, 'decreaseLiquidity', [params])
    },
    async collectV3(tokenId: bigint) {
      const params = { tokenId, recipient: address, amount0Max: maxUint128, amount1Max: maxUint128 }
      return write(v3!.positionManager, v3PositionManagerAbi, 'collect', [params])
    },
    async mintV4(key: PoolKey, tickLower: number, tickUpper: number, liquidity: bigint): Promise<bigint> {
      await approve(v4!.positionManager, key.currency0, key.currency1)
      const mint = encodeAbiParameters(
        [
          keyParameter,
          ...['int24', 'int24', 'uint256', 'uint128', 'uint128', 'address', 'bytes'].map((type) => ({ type })),
        ],
        [key, tickLower, tickUpper, liquidity, maxUint128, maxUint128, address, '0x'] as never,
      )
      const native = key.currency0 === zeroAddress
      const settle = encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [key.currency0, key.currency1])
      const sweep = encodeAbiParameters([{ type: 'address' }, { type: 'address' }], [zeroAddress, address])
      const receipt = await modifyV4(
        native ? '0x020d14' : '0x020d',
        native ? [mint, settle, sweep] : [mint, settle],
        native ? 10n ** 20n : 0n,
      )
      const [log] = parseEventLogs({ abi: v4PositionManagerAbi, eventName: 'Transfer', logs: receipt.logs })
      return log!.args.id
    },
    async collectV4(key: PoolKey, tokenId: bigint) {
      const decrease = encodeAbiParameters(
        ['uint256', 'uint256', 'uint128', 'uint128', 'bytes'].map((type) => ({ type })),
        [tokenId, 0n, 0n, 0n, '0x'] as never,
      )
      const take = encodeAbiParameters(
        [{ type: 'address' }, { type: 'address' }, { type: 'address' }],
        [key.currency0, key.currency1, address],
      )
      return modifyV4('0x0111', [decrease, take])
    },
    async initializeV4(key: PoolKey, sqrtPriceX96: bigint): Promise<Hex> {
      await write(v4!.positionManager, v4PositionManagerAbi, 'initializePool', [key, sqrtPriceX96])
      return poolIdOf(key)
    },
    async inOneBlock(actions) {
      const pending = () => client.getTransactionCount({ address, blockTag: 'pending' })
      const sent = await pending()
      await chain.setAutomine(false)
      const outcomes: Promise<unknown>[] = []
      for (const act of actions) {
        outcomes.push(act())
        // The pool takes them in the order in which they come.
        while ((await pending()) < sent + outcomes.length) await setTimeout(10)
      }
      try {
        await Promise.all([chain.mine({ blocks: 1 }), ...outcomes])
      } finally {
        await chain.setAutomine(true)
      }
      const { transactions } = await client.getBlock()
      return Promise.all(transactions.map((hash) => client.getTransactionReceipt({ hash })))
    },
  }

  async function modifyV4(actions: Hex, params: readonly Hex[], value = 0n): Promise<TransactionReceipt> {
    const data = encodeAbiParameters([{ type: 'bytes' }, { type: 'bytes[]' }], [actions, params])
    return write(v4!.positionManager, v4PositionManagerAbi, 'modifyLiquidities', [data, deadline], value)
  }
}

export type ChainActor = {
  readonly address: Address
  readonly client: PublicClient
  write(
    to: Address,
    abi: Abi,
    functionName: string,
    args: readonly unknown[],
    value?: bigint,
  ): Promise<TransactionReceipt>
  /** The zero address is the native currency. */
  balanceOf(token: Address): Promise<bigint>
  /** Lets a router or a position manager take tokens, once. */
  approve(spender: Address, ...tokens: readonly Address[]): Promise<void>
  swapV2(path: readonly Address[], amountIn: bigint): Promise<TransactionReceipt>
  swapV3(path: Hex, amountIn: bigint): Promise<TransactionReceipt>
  swapV4(key: PoolKey, zeroForOne: boolean, amountIn: bigint): Promise<TransactionReceipt>
  addV2(token0: Address, token1: Address, amount0: bigint, amount1: bigint): Promise<TransactionReceipt>
  mintV3(params: V3Mint): Promise<bigint>
  decreaseV3(tokenId: bigint, liquidity: bigint): Promise<TransactionReceipt>
  collectV3(tokenId: bigint): Promise<TransactionReceipt>
  mintV4(key: PoolKey, tickLower: number, tickUpper: number, liquidity: bigint): Promise<bigint>
  collectV4(key: PoolKey, tokenId: bigint): Promise<TransactionReceipt>
  initializeV4(key: PoolKey, sqrtPriceX96: bigint): Promise<Hex>
  /** Whatever needs no approval any more, one transaction each, mined together in this order. */
  inOneBlock(actions: readonly (() => Promise<unknown>)[]): Promise<readonly TransactionReceipt[]>
}

export type V3Mint = {
  readonly token0: Address
  readonly token1: Address
  readonly fee: number
  readonly tickLower: number
  readonly tickUpper: number
  readonly amount0Desired: bigint
  readonly amount1Desired: bigint
}

/** Waits for the block, where the plain method returns before it. */
type SendSync = { Method: 'eth_sendTransactionSync'; Parameters: [unknown]; ReturnType: RpcTransactionReceipt }

/** A v3 path: tokens with fees between them. */
export function v3PathOf(...parts: readonly (Address | number)[]): Hex {
  return concat(parts.map((part): Hex => (typeof part === 'number' ? `0x${part.toString(16).padStart(6, '0')}` : part)))
}

const keyParameter = {
  type: 'tuple',
  components: [
    { type: 'address', name: 'currency0' },
    { type: 'address', name: 'currency1' },
    { type: 'uint24', name: 'fee' },
    { type: 'int24', name: 'tickSpacing' },
    { type: 'address', name: 'hooks' },
  ],
} as const

function pair(token: Address, amount: bigint): Hex {
  return encodeAbiParameters([{ type: 'address' }, { type: 'uint256' }], [token, amount])
}
