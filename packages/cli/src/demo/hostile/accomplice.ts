import type { Devnet } from '@svc/devnet'
import { getSqrtPriceAtTick } from '@svc/lp-math'
import { type Abi, type Address, createWalletClient, encodePacked, http, maxUint256, parseAbi, parseUnits } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'

/** A trader with as much money as is asked for, who works together with the agent: he makes pools say what is not so. */
export function createAccomplice(devnet: Devnet): Accomplice {
  const trader = openTrader(devnet)
  return {
    buyWeth: (version, usdc) => buyWeth(trader, version, usdc),
    parkAtOneDollar: (usdt) => parkAtOneDollar(trader, usdt),
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

type Trader = ReturnType<typeof openTrader>

/** A machine that is busy elsewhere is no failure: this ends what hangs. */
const patienceMs = 60_000

function openTrader(devnet: Devnet) {
  const [{ privateKey } = missing()] = devnet.accounts
  const account = privateKeyToAccount(privateKey)
  const client = createWalletClient({ account, transport: http(devnet.rpcUrl, { timeout: patienceMs }) })
  const write = async (address: Address, functionName: string, args: readonly unknown[]): Promise<void> => {
    const call: { readonly abi: Abi; readonly args: readonly unknown[] } = { abi, args }
    // Answered with the receipt: viem's wait looks again only when a block comes, and after this one none does.
    const { status } = await client.writeContractSync({ chain: null, address, functionName, gas: 6_000_000n, ...call })
    if (status !== 'success') throw new Error(`The accomplice’s ${functionName} reverted`)
  }
  const tokenOf = (symbol: string) => devnet.tokens.find((token) => token.symbol === symbol) ?? missing()
  return {
    address: account.address,
    amm: devnet.chain.amm,
    write,
    tokenOf,
    /** So much of a token in hand, and in the reach of a contract. */
    take: async (symbol: string, amount: string, spender: Address): Promise<bigint> => {
      const { address, decimals } = tokenOf(symbol)
      await devnet.fund(account.address, { [symbol]: amount })
      await write(address, 'approve', [spender, maxUint256])
      return parseUnits(amount, decimals)
    },
  }
}

async function buyWeth({ address, amm, write, take, tokenOf }: Trader, version: 'v2' | 'v3', usdc: string) {
  const [from, to] = [tokenOf('USDC').address, tokenOf('WETH').address]
  if (version === 'v2') {
    const { router } = amm.v2 ?? missing()
    const amount = await take('USDC', usdc, router)
    return write(router, 'swapExactTokensForTokens', [amount, 0n, [from, to], address, maxUint256])
  }
  const { swapRouter02 } = amm.v3 ?? missing()
  const amountIn = await take('USDC', usdc, swapRouter02)
  const path = encodePacked(['address', 'uint24', 'address'], [from, 500, to])
  return write(swapRouter02, 'exactInput', [[path, address, amountIn, 0n]])
}

/** One dollar for one WETH, 10^6 smallest units for 10^18, are 276,324 ticks; at 0.3 % they stand 60 apart. */
async function parkAtOneDollar({ address, amm, write, take, tokenOf }: Trader, usdt: string) {
  const { positionManager } = amm.v3 ?? missing()
  const [weth, dollar] = [tokenOf('WETH').address, tokenOf('USDT').address]
  const wethIs0 = BigInt(weth) < BigInt(dollar)
  const [token0, token1] = wethIs0 ? [weth, dollar] : [dollar, weth]
  const tick = wethIs0 ? -276_324 : 276_324
  const edge = Math.floor(tick / 60) * 60
  const amount = await take('USDT', usdt, positionManager)
  const opening = [token0, token1, 3_000, getSqrtPriceAtTick(tick)]
  await write(positionManager, 'createAndInitializePoolIfNecessary', opening)
  const range = wethIs0 ? [edge - 6_000, edge] : [edge + 60, edge + 6_060]
  const amounts = wethIs0 ? [0n, amount] : [amount, 0n]
  const position = [token0, token1, 3_000, ...range, ...amounts, 0n, 0n, address, maxUint256]
  await write(positionManager, 'mint', [position])
}

const abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'function swapExactTokensForTokens(uint256 amountIn, uint256 amountOutMin, address[] path, address to, uint256 deadline) returns (uint256[])',
  'function exactInput((bytes path, address recipient, uint256 amountIn, uint256 amountOutMinimum) params) payable returns (uint256)',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address)',
  'function mint((address token0, address token1, uint24 fee, int24 tickLower, int24 tickUpper, uint256 amount0Desired, uint256 amount1Desired, uint256 amount0Min, uint256 amount1Min, address recipient, uint256 deadline) params) payable returns (uint256, uint128, uint256, uint256)',
])

function missing(): never {
  throw new Error('The local chain lacks a part that the accomplice needs')
}
