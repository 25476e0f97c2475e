export type { AmmDeployment, Chain, ChainToken } from './chain.ts'
export { chains } from './chains.ts'
export { findChain } from './find-chain.ts'
export type { Journal, JournalEntry, JournalFacts, JournalState, NewJournalEntry } from './journal.ts'
