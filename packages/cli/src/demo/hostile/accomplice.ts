import type { Devnet } from '@svc/devnet'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import {
  type Abi,
  type Address,
  createWalletClient,
  encodePacked,
  http,
  maxUint256,
  parseAbi,
  parseUnits,
  publicActions,
} from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** A trader with as much money as is asked for, who works together with the agent: he makes pools say what is not so. */
export function createAccomplice(devnet: Devnet): Accomplice {
  const [{ privateKey } = missing()] = devnet.accounts
  const account = privateKeyToAccount(privateKey)
  const client = createWalletClient({ account, transport: http(devnet.rpcUrl) }).extend(publicActions)
  const { v2 = missing(), v3 = missing() } = devnet.chain.amm

  async function write(address: Address, abi: Abi, functionName: string, args: readonly unknown[]): Promise<void> {
    const hash = await client.writeContract({ chain: null, address, abi, functionName, args, gas: 6_000_000n })
    const { status } = await client.waitForTransactionReceipt({ hash, pollingInterval: 10 })
    if (status !== 'success') throw new Error(`The accomplice’s ${functionName} reverted`)
  }

  /** So much of a token in hand, and in the reach of a contract. */
  async function take(symbol: string, amount: string, spender: Address): Promise<bigint> {
    const { address, decimals } = tokenOf(devnet, symbol)
    await devnet.fund(account.address, { [symbol]: amount })
    await write(address, abi, 'approve', [spender, maxUint256])
    return parseUnits(amount, decimals)
  }

  return {
    async buyWeth(version, usdc) {
      const [from, to] = [tokenOf(devnet, 'USDC').address, tokenOf(devnet, 'WETH').address]
      if (version === 'v2') {
        const amount = await take('USDC', usdc, v2.router)
        return write(v2.router, abi, 'swapExactTokensForTokens', [amount, 0n, [from, to], account.address, maxUint256])
      }
      const amountIn = await take('USDC', usdc, v3.swapRouter02)
      const path = encodePacked(['address', 'uint24', 'address'], [from, 500, to])
      return write(v3.swapRouter02, abi, 'exactInput', [[path, account.address, amountIn, 0n]])
    },
    async parkAtOneDollar(usdt) {
      const [weth, dollar] = [tokenOf(devnet, 'WETH').address, tokenOf(devnet, 'USDT').address]
      const wethIs0 = BigInt(weth) < BigInt(dollar)
      const [token0, token1] = wethIs0 ? [weth, dollar] : [dollar, weth]
      // One dollar for one WETH: 10^6 of the one for 10^18 of the other are 276,324 ticks; at 0.3 % they stand 60 apart.
      const tick = wethIs0 ? -276_324 : 276_324
      const edge = Math.floor(tick / 60) * 60
      const amount = await take('USDT', usdt, v3.positionManager)
      const opening = [token0, token1, 3_000, getSqrtPriceAtTick(tick)]
      await write(v3.positionManager, abi, 'createAndInitializePoolIfNecessary', opening)
      const range = wethIs0 ? [edge - 6_000, edge] : [edge + 60, edge + 6_060]
      const amounts = wethIs0 ? [0n, amount] : [amount, 0n]
      const position = [token0, token1, 3_000, ...range, ...amounts, 0n, 0n, account.address, maxUint256]
      await write(v3.positionManager, abi, 'mint', [position])
    },
    marketReturns: () => devnet.market.move({}),
  }
}

export type Accomplice = {
  /** Buys WETH for so many USDC in one pool, which makes it dear there. */
  buyWeth(version: 'v2' | 'v3', usdc: string): Promise<void>
  /** Opens a pool in which WETH costs one dollar, and lets so many USDT stand in it on one side. */
  parkAtOneDollar(usdt: string): Promise<void>
  /** Others trade the pools back to what the market says. */
  marketReturns(): Promise<void>
}

const abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256)',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256, uint128, uint256, uint256)',
])

function tokenOf({ tokens }: Devnet, symbol: string) {
  return tokens.find((token) => token.symbol === symbol) ?? missing()
}

function missing(): never {
  throw new Error('The local chain lacks a part that the accomplice needs')
}
