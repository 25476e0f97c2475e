export type { AmmDeployment, Chain, ChainToken } from './chain.ts'
export type { Journal, JournalEntry, JournalFacts, JournalState, NewJournalEntry } from './journal.ts'
