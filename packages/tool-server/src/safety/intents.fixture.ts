import { getSqrtPriceAtTick } from '@svc/lp-math'
import { type Address, type Hex, encodeAbiParameters, encodeFunctionData, parseAbiParameters, parseUnits } from 'viem'
import { universalRouterAbi, v3PoolAbi, v3PositionManagerAbi, v3SwapRouter02Abi } from '@svc/amm/abis'
import { leastOfMint, liquidityForAmounts, v3PoolAddress } from '@svc/amm/liquidity'
import type { Intent, IntentApproval, IntentDeposit } from '@svc/amm'
import type { Pipeline } from './open-pipeline.fixture.ts'

/** An honest swap of USDC for WETH on v3, with whatever a test changes about it. */
export function swapIntent(pipeline: Pipeline, amount: string, change: SwapChange = {}): Intent {
  const { chain } = pipeline
  const router = chain.amm.v3!.swapRouter02
  const amountIn = parseUnits(amount, 6)
  const deadline = change.deadline ?? laterDeadline(0)
  const tokenIn = pipeline.token(change.tokenIn ?? 'USDC')
  const tokenOut = pipeline.token(change.tokenOut ?? 'WETH')
  const single = encodeFunctionData({
    abi: v3SwapRouter02Abi,
    functionName: 'exactInputSingle',
    args: [
      {
        tokenIn,
        tokenOut,
        fee: change.fee ?? 500,
        recipient: change.recipient ?? pipeline.wallet,
        amountIn: change.amountIn ?? amountIn,
        amountOutMinimum: change.minimumOut ?? leastOut(change, change.amountIn ?? amountIn),
        sqrtPriceLimitX96: 0n,
      },
    ],
  })
  const data = encodeFunctionData({ abi: v3SwapRouter02Abi, functionName: 'multicall', args: [deadline, [single]] })
  return {
    chainId: chain.id,
    calls: [{ to: router, data, valueWei: 0n, label: 'swap' }],
    atomicity: 'single',
    spends: [{ token: tokenIn, amount: amountIn }],
    receives: [{ token: tokenOut, amount: 1n }],
    approvals: [approvalOf(tokenIn, router, amountIn)],
    riskTier: 'routine',
    slippageBps: 50,
    deadline: Number(deadline),
    recipients: [pipeline.wallet],
    why: 'swap USDC for WETH',
    ...change.intent,
  }
}

/** A hundredth less than what the local chain's market says; next to nothing of tokens without one. */
function leastOut({ tokenIn = 'USDC', tokenOut = 'WETH' }: SwapChange, amountIn: bigint): bigint {
  const [paid, bought] = [market[tokenIn], market[tokenOut]]
  if (paid === undefined || bought === undefined) return 1n
  const usd = amountIn * paid.usd * 10n ** BigInt(bought.decimals)
  return (usd * 99n) / (100n * bought.usd * 10n ** BigInt(paid.decimals)) || 1n
}

const market: Readonly<Record<string, { readonly usd: bigint; readonly decimals: number }>> = {
  USDC: { usd: 1n, decimals: 6 },
  USDT: { usd: 1n, decimals: 6 },
  DAI: { usd: 1n, decimals: 18 },
  WETH: { usd: 3_000n, decimals: 18 },
  WBTC: { usd: 90_000n, decimals: 8 },
}

export type SwapChange = {
  readonly deadline?: bigint
  readonly recipient?: Address
  readonly amountIn?: bigint
  readonly minimumOut?: bigint
  readonly tokenIn?: string
  readonly tokenOut?: string
  readonly fee?: number
  readonly intent?: Partial<Intent>
}

export function approvalOf(token: Address, spender: Address, amount: bigint): IntentApproval {
  return { token, spender, amount, via: 'erc20', revokeAfter: true }
}

/** WETH and USDC, in the order in which pools hold them. */
export function wethAndUsdc(pipeline: Pipeline): readonly [Address, Address] {
  const [weth, usdc] = [pipeline.token('WETH'), pipeline.token('USDC')]
  return BigInt(weth) < BigInt(usdc) ? [weth, usdc] : [usdc, weth]
}

/** A v3 position of 1 WETH and up to 3,000 USDC over all prices, for the wallet or for `recipient`. */
export async function mintIntent(pipeline: Pipeline, recipient: Address = pipeline.wallet): Promise<Intent> {
  const { chain } = pipeline
  const manager = chain.amm.v3!.positionManager
  const [token0, token1] = wethAndUsdc(pipeline)
  const amountOf = (token: Address) => (token === pipeline.token('WETH') ? parseUnits('1', 18) : parseUnits('3000', 6))
  const amounts = { amount0: amountOf(token0), amount1: amountOf(token1) }
  const ticks = { tickLower: -887_220, tickUpper: 887_220 }
  const pool = v3PoolAddress(chain.amm.v3!, token0, token1, 3000)
  const read = { address: pool, abi: v3PoolAbi, functionName: 'slot0' } as const
  const [sqrtPriceX96] = await pipeline.rpc.client(chain).readContract(read)
  const range = { sqrtPriceAX96: getSqrtPriceAtTick(-887_220), sqrtPriceBX96: getSqrtPriceAtTick(887_220) }
  const bounds = { sqrtPriceX96, ...range }
  const { liquidity, minLiquidity } = liquidityForAmounts({ bounds, ...amounts, slippageBps: 50 })
  const least = leastOfMint({ bounds, liquidity, slippageBps: 50, kept: undefined })
  const deadline = laterDeadline(0)
  const params = {
    token0,
    token1,
    fee: 3000,
    ...ticks,
    amount0Desired: amounts.amount0,
    amount1Desired: amounts.amount1,
    amount0Min: least.amount0,
    amount1Min: least.amount1,
    recipient,
    deadline,
  }
  const data = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'mint', args: [params] })
  const spends = [token0, token1].map((token) => ({ token, amount: amountOf(token) }))
  const deposit: IntentDeposit = {
    kind: 'mint',
    version: 'v3',
    pool,
    token0,
    token1,
    fee: 3000,
    tickSpacing: 60,
    hooks: null,
    ...ticks,
    positionId: null,
    recipient,
    sqrtPriceX96,
    ...amounts,
    liquidity,
    minLiquidity,
    createsPool: false,
    isInverted: false,
  }
  return {
    chainId: chain.id,
    calls: [{ to: manager, data, valueWei: 0n, label: 'mint position' }],
    atomicity: 'single',
    spends,
    receives: [],
    approvals: spends.map(({ token, amount }) => approvalOf(token, manager, amount)),
    riskTier: 'routine',
    slippageBps: 50,
    deadline: Number(deadline),
    recipients: [recipient],
    deposits: [deposit],
    why: 'add liquidity',
  }
}

/** Everything out of the wallet's one v3 position. */
export async function removeIntent(pipeline: Pipeline): Promise<Intent> {
  const manager = pipeline.chain.amm.v3!.positionManager
  const client = pipeline.rpc.client(pipeline.chain)
  const read = { address: manager, abi: v3PositionManagerAbi } as const
  const tokenId = await client.readContract({
    ...read,
    functionName: 'tokenOfOwnerByIndex',
    args: [pipeline.wallet, 0n],
  })
  const position = await client.readContract({ ...read, functionName: 'positions', args: [tokenId] })
  const max = 2n ** 128n - 1n
  const decrease = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'decreaseLiquidity',
    args: [{ tokenId, liquidity: position[7], amount0Min: 0n, amount1Min: 0n, deadline: laterDeadline(0) }],
  })
  const collect = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'collect',
    args: [{ tokenId, recipient: pipeline.wallet, amount0Max: max, amount1Max: max }],
  })
  const burn = encodeFunctionData({ abi: v3PositionManagerAbi, functionName: 'burn', args: [tokenId] })
  const data = encodeFunctionData({
    abi: v3PositionManagerAbi,
    functionName: 'multicall',
    args: [[decrease, collect, burn]],
  })
  const receives = [pipeline.token('USDC'), pipeline.token('WETH')].map((token) => ({ token, amount: 1n }))
  const calls = [{ to: manager, data, valueWei: 0n, label: 'remove liquidity' }]
  const { deposits: _none, ...minted } = await mintIntent(pipeline)
  return { ...minted, calls, spends: [], approvals: [], receives }
}

export function approveIntent(pipeline: Pipeline, spender: Address, amount: string): Intent {
  return {
    ...swapIntent(pipeline, '1'),
    calls: [],
    spends: [],
    receives: [],
    recipients: [],
    slippageBps: null,
    deadline: null,
    approvals: [{ ...approvalOf(pipeline.token('USDC'), spender, parseUnits(amount, 6)), revokeAfter: false }],
    why: 'approve a token',
  }
}

export function wrapIntent(
  pipeline: Pipeline,
  data: Hex,
  amount: bigint,
  [from, to]: readonly [Address, Address],
): Intent {
  return {
    ...swapIntent(pipeline, '1'),
    calls: [{ to: pipeline.chain.wrappedNative.address, data, valueWei: amount, label: 'wrap' }],
    spends: [{ token: from, amount }],
    receives: [{ token: to, amount }],
    approvals: [],
    slippageBps: null,
    deadline: null,
  }
}

/** V3_SWAP_EXACT_IN of the universal router, paid through Permit2. */
export function routerSwapIntent(pipeline: Pipeline, amount: string): Intent {
  const router = pipeline.chain.amm.universalRouter!.address
  const deadline = BigInt(Math.floor(Date.now() / 1000) + 300)
  const amountIn = parseUnits(amount, 6)
  const path = `${pipeline.token('USDC')}0001f4${pipeline.token('WETH').slice(2)}` as const
  const input = encodeAbiParameters(parseAbiParameters('address, uint256, uint256, bytes, bool'), [
    pipeline.wallet,
    amountIn,
    leastOut({}, amountIn),
    path,
    true,
  ])
  const data = encodeFunctionData({
    abi: universalRouterAbi,
    functionName: 'execute',
    args: ['0x00', [input], deadline],
  })
  const honest = swapIntent(pipeline, amount)
  return {
    ...honest,
    calls: [{ to: router, data, valueWei: 0n, label: 'swap' }],
    approvals: [
      { token: pipeline.token('USDC'), spender: router, amount: amountIn, via: 'permit2', revokeAfter: true },
    ],
  }
}

/** A deadline five minutes after so many hours from now. */
export function laterDeadline(hours: number): bigint {
  return BigInt(Math.floor(Date.now() / 1000) + hours * 3600 + 300)
}
