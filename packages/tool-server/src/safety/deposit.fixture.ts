import type { IntentDeposit } from '@svc/amm'

/** A deposit of 1 WETH and 3,000 USDC into a v3 pool in which WETH is token0, between 2,700 and 3,300 or so. */
export const mintDeposit: IntentDeposit = {
  kind: 'mint',
  version: 'v3',
  pool: `0x${'aa'.repeat(20)}`,
  token0: `0x${'11'.repeat(20)}`,
  token1: `0x${'22'.repeat(20)}`,
  fee: 500,
  tickSpacing: 10,
  hooks: null,
  tickLower: -197_310,
  tickUpper: -195_310,
  positionId: null,
  recipient: `0x${'44'.repeat(20)}`,
  sqrtPriceX96: 4_339_505_179_874_779_489_431_521n,
  amount0: 10n ** 18n,
  amount1: 3_000_000_000n,
  liquidity: 10n ** 15n,
  minLiquidity: 9n * 10n ** 14n,
  createsPool: false,
  isInverted: false,
}
