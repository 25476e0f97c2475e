// Blocks of a running chain, written by hand: transactions in an order and at times of one's own.
export { mintV4, noDeadline } from './add-liquidity-calls.ts'
export { createBlockWriter } from './block-writer.ts'
export type { Call, Offer } from './block-writer.ts'
export { connect } from './chain-client.ts'
export { swapCall } from './swap-call.ts'
