// The bare viem way to the same transactions: approve what is needed, send, wait for each receipt. Nothing is looked up,
// simulated, priced, limited or recorded; price, ticks and gas limits are known beforehand.
import { createPublicClient, createWalletClient, defineChain, http, parseAbi, parseEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { mined } from './mined.mjs'

/** `rpcUrl` is what the transactions go through; what must be known first is read over the devnet's own endpoint. */
export async function openBareWriter({ rpcUrl, privateKey, devnet }) {
  const account = privateKeyToAccount(privateKey)
  const chain = defineChain({ ...devnet.chain, rpcUrls: { default: { http: [rpcUrl] } } })
  const transport = http(rpcUrl, { batch: true })
  const wallet = createWalletClient({ account, chain, transport })
  const client = createPublicClient({ chain, transport })
  const { positionManager, swapRouter02 } = devnet.chain.amm.v3
  const token = (symbol) => devnet.tokens.find((one) => one.symbol === symbol).address
  const [weth, usdc] = [token('WETH'), token('USDC')]
  const pool = devnet.pools.find(({ label }) => label === 'WETH/USDC 0.05 %')
  const range = await rangeAround(devnet.rpcUrl, pool)
  const wethAmount = parseEther('0.1')
  const usdcAmount = 1_000_000_000n

  async function send(address, functionName, args) {
    await mined(client, await wallet.writeContract({ address, abi, functionName, args, gas: 1_000_000n }))
  }
  const deadline = () => BigInt(Math.floor(Date.now() / 1000) + 600)

  return {
    async add_liquidity() {
      await send(weth, 'approve', [positionManager, wethAmount])
      await send(usdc, 'approve', [positionManager, usdcAmount])
      const { token0, token1, fee } = pool
      const [amount0Desired, amount1Desired] = token0 === weth ? [wethAmount, usdcAmount] : [usdcAmount, wethAmount]
      const amounts = { amount0Desired, amount1Desired, amount0Min: 0n, amount1Min: 0n }
      const to = { recipient: account.address, deadline: deadline() }
      await send(positionManager, 'mint', [{ token0, token1, fee, ...range, ...amounts, ...to }])
    },
    async execute_swap() {
      await send(weth, 'approve', [swapRouter02, wethAmount])
      const amounts = { amountIn: wethAmount, amountOutMinimum: 1n, sqrtPriceLimitX96: 0n }
      const route = { tokenIn: weth, tokenOut: usdc, fee: pool.fee, recipient: account.address }
      await send(swapRouter02, 'exactInputSingle', [{ ...route, ...amounts }])
    },
  }
}

const abi = parseAbi([
  'function approve(address spender, uint256 amount) returns (bool)',
  'struct Mint { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(Mint params) payable returns (uint256, uint128, uint256, uint256)',
  'struct Swap { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Swap params) payable returns (uint256)',
  'function slot0() view returns (uint160, int24 tick, uint16, uint16, uint16, uint8, bool)',
])

/** Five percent to either side, on the pool's ticks. */
async function rangeAround(rpcUrl, { id, tickSpacing }) {
  const client = createPublicClient({ transport: http(rpcUrl) })
  const [, tick] = await client.readContract({ address: id, abi, functionName: 'slot0' })
  const on = (value) => Math.round(value / tickSpacing) * tickSpacing
  return { tickLower: on(tick - 500), tickUpper: on(tick + 500) }
}
