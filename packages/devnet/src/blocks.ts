// Blocks of a running chain, written by hand: transactions in an order and at times of one's own.
export { mintV4, noDeadline, swapCall } from './seed/pool-calls.ts'
export { createBlockWriter, type Call, type Offer } from './chain/block-writer.ts'
export { connect } from './chain/chain-client.ts'
