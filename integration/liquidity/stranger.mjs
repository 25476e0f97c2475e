// Trades through the pools of the positions, so that these earn: in v3 somebody else's, in v4 the wallet's own.
import { setTimeout as sleep } from 'node:timers/promises'
import { encodeFunctionData, parseAbi, parseEther, toHex } from 'viem'
import { came, left } from './movements.mjs'

/** Trades through the pool of a version there, and back again unless told otherwise. */
export async function tradeOf(held) {
  const { chain, row, ready } = held
  const trader = (await chain.request({ method: 'eth_accounts' })).at(-1)
  const addressOf = (symbol) => ready.tokens.find((token) => token.symbol === symbol).address
  const router = row.amm.v3.swapRouter02
  await write(addressOf('WETH'), 'deposit', [], parseEther('1000'))
  for (const symbol of ['WETH', 'USDC']) await write(addressOf(symbol), 'approve', [router, 2n ** 255n])
  return async (version, isBothWays = true) => (version === 'v3' ? tradeInV3(isBothWays) : tradeInV4(isBothWays))

  async function tradeInV3(isBothWays) {
    const dollars = () => held.read(addressOf('USDC'), 'balanceOf', [trader])
    const before = await dollars()
    await swap('WETH', 'USDC', parseEther('20'))
    if (isBothWays) await swap('USDC', 'WETH', (await dollars()) - before)
  }

  async function swap(from, to, amountIn) {
    const [tokenIn, tokenOut] = [addressOf(from), addressOf(to)]
    const terms = {
      tokenIn,
      tokenOut,
      fee: 500,
      recipient: trader,
      amountIn,
      amountOutMinimum: 0n,
      sqrtPriceLimitX96: 0n,
    }
    await write(router, 'exactInputSingle', [terms])
  }

  async function tradeInV4(isBothWays) {
    const { amountOut } = await swapOwn('ETH', 'USDC', '0.5')
    if (isBothWays) await swapOwn('USDC', 'ETH', amountOut)
  }

  function swapOwn(tokenIn, tokenOut, amount) {
    return held.write('execute_swap', { version: 'v4', tokenIn, tokenOut, amount }, (done) => [
      left(tokenIn, done.amountIn, done.txHash),
      came(tokenOut, done.amountOut, done.txHash),
    ])
  }

  async function write(to, functionName, args, value = 0n) {
    const data = encodeFunctionData({ abi, functionName, args })
    const sent = { from: trader, to, data, value: toHex(value), gas: toHex(1_000_000) }
    const { status } = await chain.request({ method: 'eth_sendTransactionSync', params: [sent] })
    if (status !== '0x1') throw new Error(`${functionName} of the trader reverted`)
  }
}

/** Trades, and waits until the server, which keeps what it read of a block for a moment, has seen what a position earned by it. */
export async function earn(held, { position, trade, isBothWays = true }) {
  const owed = async () => {
    const { feesOwed0, feesOwed1 } = await held.ask('get_position', position)
    return `${feesOwed0} ${feesOwed1}`
  }
  const before = await owed()
  await trade(position.version, isBothWays)
  for (let tries = 0; (await owed()) === before; tries += 1) {
    if (tries === 200) throw new Error(`position ${position.positionId} earns nothing by a trade through its pool`)
    await sleep(50)
  }
}

const abi = parseAbi([
  'function deposit() payable',
  'function approve(address spender, uint256 amount) returns (bool)',
  'struct Single { address tokenIn; address tokenOut; uint24 fee; address recipient; uint256 amountIn; uint256 amountOutMinimum; uint160 sqrtPriceLimitX96; }',
  'function exactInputSingle(Single params) payable returns (uint256 amountOut)',
])
