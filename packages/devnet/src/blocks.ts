// Blocks of a running chain, written by hand: transactions in an order and at times of one's own.
export { mintV4, noDeadline } from './seed/add-liquidity-calls.ts'
export { createBlockWriter } from './chain/block-writer.ts'
export type { Call, Offer } from './chain/block-writer.ts'
export { connect } from './chain/chain-client.ts'
export { swapCall } from './seed/swap-call.ts'
