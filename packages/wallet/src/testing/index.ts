export { contractTime, journalContract, type JournalCase } from './journal-contract.ts'
