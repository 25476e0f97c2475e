/** What is read of the arguments of each event, and its form; others that the contract writes, such as a sender, are passed over. */
export const eventFields: Readonly<Record<'v3' | 'v4', Readonly<Record<string, Readonly<Record<string, Field>>>>>> = {
  v3: {
    Initialize: { sqrtPriceX96: 'whole', tick: 'count' },
    Mint: {
      owner: 'text',
      tickLower: 'count',
      tickUpper: 'count',
      amount: 'whole',
      amount0: 'whole',
      amount1: 'whole',
    },
    Burn: {
      owner: 'text',
      tickLower: 'count',
      tickUpper: 'count',
      amount: 'whole',
      amount0: 'whole',
      amount1: 'whole',
    },
    Collect: { owner: 'text', tickLower: 'count', tickUpper: 'count', amount0: 'whole', amount1: 'whole' },
    Swap: { amount0: 'whole', amount1: 'whole', sqrtPriceX96: 'whole', liquidity: 'whole', tick: 'count' },
    Flash: { paid0: 'whole', paid1: 'whole' },
    SetFeeProtocol: { feeProtocol0New: 'count', feeProtocol1New: 'count' },
    CollectProtocol: { amount0: 'whole', amount1: 'whole' },
    IncreaseObservationCardinalityNext: {
      observationCardinalityNextOld: 'count',
      observationCardinalityNextNew: 'count',
    },
  },
  v4: {
    Initialize: { sqrtPriceX96: 'whole', tick: 'count' },
    ModifyLiquidity: { sender: 'text', tickLower: 'count', tickUpper: 'count', liquidityDelta: 'whole', salt: 'text' },
    Swap: {
      amount0: 'whole',
      amount1: 'whole',
      sqrtPriceX96: 'whole',
      liquidity: 'whole',
      tick: 'count',
      fee: 'count',
    },
    Donate: { amount0: 'whole', amount1: 'whole' },
    ProtocolFeeUpdated: { protocolFee: 'count' },
  },
}

/** A `bigint`, a number, or words. */
export type Field = 'whole' | 'count' | 'text'

/** The manager of v4 writes the whole key of a pool into its first event. */
export function versionOf(args: Readonly<Record<string, unknown>>): 'v3' | 'v4' {
  const isThere = (name: string) => args[name] !== undefined && args[name] !== ''
  return isThere('hooks') || isThere('tickSpacing') ? 'v4' : 'v3'
}
