// The tools beside the life of a position: rewards, migration, harvest, vaults, and orders that are sold over time.
import { formatUnits, zeroAddress } from 'viem'
import { came, left, takesRoute } from './movements.mjs'
import { liquidityOf } from './positions.mjs'
import { earn } from './stranger.mjs'

export async function claimRewards(held, { hasKey, builds }) {
  const { read, wallet, ready } = held
  const { distributor, rewards } = await held.ask('get_claimable_rewards', {})
  held.agree('the distributor', distributor, ready.rewards.distributor)
  const paid = async (address) => (await read(distributor, 'claimed', [wallet, address]))[0]
  for (const { token } of rewards) held.agree('nothing is claimed yet', await paid(token), 0n)
  if (!builds.includes('rewards')) {
    const code = hasKey ? 'TRADING_API_REFUSED' : 'API_KEY_NOT_CONFIGURED'
    await held.refused('claim_lp_rewards', { tokens: ['USDC'] }, code)
    return
  }
  const { claimed } = await held.write('claim_lp_rewards', { tokens: ['USDC'] }, (result) =>
    result.claimed.map(({ symbol, amount }) => came(symbol, amount, result.txHash)),
  )
  const [{ token, amount, symbol }] = claimed
  held.agree('what could be claimed', rewards.find((one) => one.token === token).amount, amount)
  held.agree('what the distributor has paid', amount, held.text(await paid(token), symbol))
}

/** What the new position holds came to v4's pool manager; the rest of what left the pool of v3 to the wallet. */
export async function migrate(held, { hasKey, builds }, trade) {
  const { read, row, chain } = held
  const pair = { version: 'v3', token0: 'WETH', token1: 'USDC', fee: 500, rangeStrategy: 'narrow', amount0: '0.5' }
  const opened = await held.write('add_liquidity', pair, (result) => [
    left('WETH', result.amount0Deposited, result.txHash),
    left('USDC', result.amount1Deposited, result.txHash),
  ])
  const { positionId } = opened
  if (!builds.includes('migration')) {
    const code = hasKey ? 'TRADING_API_REFUSED' : 'API_KEY_NOT_CONFIGURED'
    await held.refused('migrate_position', { positionId }, code)
    return
  }
  await earn(held, { position: { version: 'v3', positionId }, trade })
  const { poolManager } = row.amm.v4
  let arrived
  const migrated = await held.write('migrate_position', { positionId }, (_result, moved) => {
    arrived = moved
    return [...moved].map(([symbol, amount]) => ({ symbol, amount: held.text(amount, symbol) }))
  })
  takesRoute(held, 'migrate_position', migrated, true)
  const { blockNumber } = await chain.getTransactionReceipt({ hash: migrated.txHash })
  const inBlock = async (holder, token) => {
    const at = (block) =>
      token === zeroAddress
        ? chain.getBalance({ address: holder, blockNumber: block })
        : read(token, 'balanceOf', [holder], block)
    return (await at(blockNumber)) - (await at(blockNumber - 1n))
  }
  for (const [side, inV3] of [
    [0, row.wrappedNative.address],
    [1, migrated.pool.token1],
  ]) {
    const token = migrated.pool[`token${side}`]
    const symbol = token === zeroAddress ? 'ETH' : 'USDC'
    const into = await inBlock(poolManager, token)
    held.agree(`${symbol} of the new position`, migrated[`amount${side}Migrated`], held.text(into, symbol))
    const home = symbol === 'ETH' ? arrived.get('ETH') + arrived.get('WETH') : arrived.get(symbol)
    held.agree(`${symbol} of the old one`, -(await inBlock(opened.pool.poolAddress, inV3)), into + home)
  }
  held.agree('liquidity of the old one', await liquidityOf(held, { version: 'v3', positionId }), 0n)
  const moved = { version: 'v4', positionId: migrated.newPositionId }
  held.agree('the new position is there', (await liquidityOf(held, moved)) > 0n, true)
}

export async function harvest(held, { route: { builds }, trade, opened }) {
  for (const position of opened) await earn(held, { position, trade })
  const request = { targetToken: 'USDC', minHarvestUsd: 0 }
  const count = () => held.chain.getTransactionCount({ address: held.wallet })
  const before = await count()
  const planned = await held.ask('harvest_rewards', { ...request, dryRun: true })
  held.agree('a plan of a harvest', [planned.status, await count()], ['planned', before])
  const done = await held.write('harvest_rewards', request, ({ feesCollected, rewardsClaimed, consolidationSwaps }) => [
    ...feesCollected.flatMap((fees) => [
      came(fees.amount0Symbol, fees.amount0, fees.txHash),
      came(fees.amount1Symbol, fees.amount1, fees.txHash),
    ]),
    ...rewardsClaimed.flatMap(({ txHash, tokens }) => tokens.map(({ symbol, amount }) => came(symbol, amount, txHash))),
    ...consolidationSwaps.flatMap(({ txHash, tokenIn, amountIn, tokenOut, amountOut }) => [
      left(tokenIn, amountIn, txHash),
      came(tokenOut, amountOut, txHash),
    ]),
  ])
  held.agree('positions of a harvest', done.feesCollected.length > 1, true)
  held.agree('claims of a harvest', done.rewardsClaimed.length > 0, builds.includes('rewards'))
  held.agree('gas of a harvest', done.summary.totalGasCostUsd, done.gasCostUsd)
  held.agree(
    'positions as planned',
    planned.feesCollected.map(({ positionId }) => positionId),
    done.feesCollected.map(({ positionId }) => positionId),
  )
  const { consolidatedAmount, consolidatedToken } = done.summary
  const sums = [
    ...done.feesCollected.flatMap((fees) => [
      [fees.amount0Symbol, fees.amount0],
      [fees.amount1Symbol, fees.amount1],
    ]),
    ...done.rewardsClaimed.flatMap(({ tokens }) => tokens.map(({ symbol, amount }) => [symbol, amount])),
    ...done.consolidationSwaps.map(({ tokenOut, amountOut }) => [tokenOut, amountOut]),
  ].filter(([symbol]) => symbol === consolidatedToken)
  const consolidated = sums.reduce((sum, [, amount]) => sum + held.units(amount, consolidatedToken), 0n)
  held.agree('what is consolidated', consolidatedAmount, held.text(consolidated, consolidatedToken))
}

/** What a vault of dollars says, what a deposit into it would bring and brings, and the way out. */
export async function useVaults(held) {
  const { read, wallet, ready } = held
  const vault = ready.vaults[0].address
  const usdc = ready.tokens.find(({ symbol }) => symbol === 'USDC').address
  const shares = (units) => formatUnits(units, 12)
  const { totalAssets, totalSupply, sharePrice, balance } = await held.ask('get_vault_info', { vault })
  held.agree('all that the vault holds', totalAssets, held.text(await read(vault, 'totalAssets'), 'USDC'))
  held.agree('all its shares', totalSupply, shares(await read(vault, 'totalSupply')))
  held.agree('a share', sharePrice, held.text(await read(vault, 'convertToAssets', [10n ** 12n]), 'USDC'))
  held.agree('what could be put in', balance, held.text(await read(usdc, 'balanceOf', [wallet]), 'USDC'))
  const simulated = await held.ask('vault_simulate_deposit', { vault, amount: '250' })
  const expected = shares(await read(vault, 'previewDeposit', [held.units('250', 'USDC')]))
  held.agree('shares of a deposit', [simulated.success, simulated.receivedShares], [true, expected])
  held.agree('shares of the wallet', await read(vault, 'balanceOf', [wallet]), 0n)
  const put = await held.write('vault_deposit', { vault, amount: '250' }, ({ deposited, txHash }) => [
    left('USDC', deposited, txHash),
  ])
  held.agree('shares of the deposit', put.shares, shares(await read(vault, 'balanceOf', [wallet])))
  held.agree('what the vault may still take', await read(usdc, 'allowance', [wallet, vault]), 0n)
  for (const amount of [{ amount: '100' }, {}]) {
    const out = await held.write('vault_withdraw', { vault, ...amount }, ({ withdrawn, txHash }) => [
      came('USDC', withdrawn, txHash),
    ])
    held.agree('shares that are left', out.sharesLeft, shares(await read(vault, 'balanceOf', [wallet])))
  }
  await held.refused('vault_withdraw', { vault }, 'INSUFFICIENT_BALANCE')
  await held.refused('vault_rebalance', { vault }, 'VAULT_ROLE_MISSING')
  await held.refused('get_vault_info', { vault: wallet }, 'VAULT_NOT_FOUND')
  await held.refused('vault_simulate_deposit', { vault: ready.tokens[0].address, amount: '1' }, 'VAULT_NOT_FOUND')
}

/** Last, since the chain's time goes on for it. */
export async function sellOverTime(held) {
  const { chain } = held
  const sale = { tokenIn: 'WETH', tokenOut: 'USDC', amount: '1', duration: 7_200 }
  const { orderId, pool, tokenIn, expiresAt } = await held.write('submit_twamm_order', sale, (order) => [
    left(order.tokenIn.symbol, order.tokenIn.totalAmount, order.txHash),
  ])
  const order = { orderId, pool }
  await passTime(1_200)
  const { status, progress, timing } = await held.ask('get_twamm_order_status', order)
  held.agree('status of an order', [status, timing.expiresAt], ['active', expiresAt])
  const parts = ['amountSold', 'remainingAmount'].map((member) => held.units(progress[member], 'WETH'))
  held.agree('sold and not yet sold', parts[0] + parts[1], held.units(tokenIn.totalAmount, 'WETH'))
  const claimed = await held.write('claim_twamm_order', order, payout)
  const isAtLeast = held.units(claimed.tokenOut.amount, 'USDC') >= held.units(progress.amountReceived, 'USDC')
  held.agree(`${claimed.tokenOut.amount} claimed, ${progress.amountReceived} at least`, isAtLeast, true)
  await passTime(600)
  const ended = await held.write('cancel_twamm_order', order, payout)
  const isLess = held.units(ended.tokenIn.amount, 'WETH') < parts[1]
  held.agree(`${ended.tokenIn.amount} came back, less than ${formatUnits(parts[1], 18)}`, isLess, true)
  const { status: last } = await held.ask('get_twamm_order_status', order)
  held.agree('status of a cancelled order', last, 'cancelled')

  async function passTime(seconds) {
    await chain.request({ method: 'evm_increaseTime', params: [seconds] })
    await chain.request({ method: 'evm_mine', params: [] })
  }
}

function payout({ tokenIn, tokenOut }) {
  return [came(tokenIn.symbol, tokenIn.amount), came(tokenOut.symbol, tokenOut.amount)]
}
