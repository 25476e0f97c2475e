// Blocks of a running chain, written by hand: transactions in an order and at times of one's own.
export { createBlockWriter } from './block-writer.ts'
export type { BlockWriter, Call } from './block-writer.ts'
export { connect } from './chain-client.ts'
export type { ChainClient } from './chain-client.ts'
export { swapCall } from './swap-call.ts'
export type { TradedPool } from './swap-call.ts'
