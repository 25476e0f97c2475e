import type { PoolEvent, V4PoolEvent } from '@svc/lp-math'

/** Reads the events of a v3 pool by the names of its contract; others of their arguments, such as a sender, are passed over. */
export const v3Readers: EventReaders<PoolEvent> = {
  Initialize: (row) => ({ eventName: 'Initialize', ...at(row), args: priceOf(row) }),
  Mint: (row) => ({ eventName: 'Mint', ...at(row), args: changeOf(row) }),
  Burn: (row) => ({ eventName: 'Burn', ...at(row), args: changeOf(row) }),
  Collect: (row) => ({ eventName: 'Collect', ...at(row), args: { ...rangeOf(row), ...amountsOf(row) } }),
  Swap: (row) => ({ eventName: 'Swap', ...at(row), args: swapOf(row) }),
  Flash: (row) => ({ eventName: 'Flash', ...at(row), args: { paid0: row.whole('paid0'), paid1: row.whole('paid1') } }),
  SetFeeProtocol: (row) => ({
    eventName: 'SetFeeProtocol',
    ...at(row),
    args: { feeProtocol0New: row.count('feeProtocol0New'), feeProtocol1New: row.count('feeProtocol1New') },
  }),
  CollectProtocol: (row) => ({ eventName: 'CollectProtocol', ...at(row), args: amountsOf(row) }),
  IncreaseObservationCardinalityNext: (row) => ({
    eventName: 'IncreaseObservationCardinalityNext',
    ...at(row),
    args: {
      observationCardinalityNextOld: row.count('observationCardinalityNextOld'),
      observationCardinalityNextNew: row.count('observationCardinalityNextNew'),
    },
  }),
}

/** The same of a v4 pool, by the names of its manager. */
export const v4Readers: EventReaders<V4PoolEvent> = {
  Initialize: (row) => ({ eventName: 'Initialize', ...at(row), args: priceOf(row) }),
  ModifyLiquidity: (row) => ({
    eventName: 'ModifyLiquidity',
    ...at(row),
    args: {
      sender: row.text('sender'),
      tickLower: row.count('tickLower'),
      tickUpper: row.count('tickUpper'),
      liquidityDelta: row.whole('liquidityDelta'),
      salt: row.text('salt'),
    },
  }),
  Swap: (row) => ({ eventName: 'Swap', ...at(row), args: { ...swapOf(row), fee: row.count('fee') } }),
  Donate: (row) => ({ eventName: 'Donate', ...at(row), args: amountsOf(row) }),
  ProtocolFeeUpdated: (row) => ({
    eventName: 'ProtocolFeeUpdated',
    ...at(row),
    args: { protocolFee: row.count('protocolFee') },
  }),
}

/** One for each event that a pool may have, which gives just the arguments that its type has. */
type EventReaders<Event extends { readonly eventName: string }> = {
  readonly [Name in Event['eventName']]: (row: EventRow) => Extract<Event, { readonly eventName: Name }>
}

/** An event as it is written. Each argument is read as a `bigint`, a number, or words; what is none of that throws Error naming it. */
export type EventRow = {
  readonly timestamp: number
  whole(name: string): bigint
  count(name: string): number
  text(name: string): string
}

function at({ timestamp }: EventRow) {
  return { timestamp }
}

function priceOf(row: EventRow) {
  return { sqrtPriceX96: row.whole('sqrtPriceX96'), tick: row.count('tick') }
}

function rangeOf(row: EventRow) {
  return { owner: row.text('owner'), tickLower: row.count('tickLower'), tickUpper: row.count('tickUpper') }
}

function changeOf(row: EventRow) {
  return { ...rangeOf(row), amount: row.whole('amount'), ...amountsOf(row) }
}

function amountsOf(row: EventRow) {
  return { amount0: row.whole('amount0'), amount1: row.whole('amount1') }
}

function swapOf(row: EventRow) {
  return {
    ...amountsOf(row),
    sqrtPriceX96: row.whole('sqrtPriceX96'),
    liquidity: row.whole('liquidity'),
    tick: row.count('tick'),
  }
}
