import type { Devnet } from '@svc/devnet'
import { type Address, encodeFunctionData, parseAbi, parseUnits } from 'viem'

/** A file for `svc policy explain`: WETH sold for USDC in the deep v3 pool of the local chain, as a tool would have it. */
export function swapPlan({ chain, tokens }: Devnet, wallet: Address, { weth, leastUsdc, deadline = null }: SwapPlan) {
  const addressOf = (symbol: string): Address => {
    const token = tokens.find((one) => one.symbol === symbol)
    if (token === undefined) throw new Error(`The local chain has no ${symbol}`)
    return token.address
  }
  const router = chain.amm.v3?.swapRouter02
  if (router === undefined) throw new Error('The local chain has no v3')
  const [tokenIn, tokenOut] = [addressOf('WETH'), addressOf('USDC')]
  const [amountIn, amountOutMinimum] = [parseUnits(weth, 18), parseUnits(leastUsdc, 6)]
  const params = { tokenIn, tokenOut, fee: 500, recipient: wallet, amountIn, amountOutMinimum, sqrtPriceLimitX96: 0n }
  const single = encodeFunctionData({ abi: routerAbi, functionName: 'exactInputSingle', args: [params] })
  const intent = {
    chainId: chain.id,
    calls: [
      {
        to: router,
        data:
          deadline === null
            ? single
            : encodeFunctionData({ abi: routerAbi, functionName: 'multicall', args: [BigInt(deadline), [single]] }),
        valueWei: '0',
        label: 'swap',
      },
    ],
    atomicity: 'single',
    spends: [{ token: tokenIn, amount: `${amountIn}` }],
    receives: [{ token: tokenOut, amount: `${amountOutMinimum}` }],
    approvals: [{ token: tokenIn, spender: router, amount: `${amountIn}`, via: 'erc20', revokeAfter: true }],
    riskTier: 'routine',
    slippageBps: 50,
    deadline,
    recipients: [wallet],
    why: 'sell WETH for USDC',
  }
  return { tool: 'execute_swap', principalId: 'local', intent }
}

export type SwapPlan = {
  readonly weth: string
  readonly leastUsdc: string
  /** Unix seconds; without one the calldata names none. */
  readonly deadline?: number | null
}

const routerAbi = parseAbi([
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Single params) payable returns (uint256 amountOut)',
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[] results)',
])
