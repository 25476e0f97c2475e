export { contractTime, journalContract, type JournalCase } from './journal-contract.ts'
export { registrationRecordsContract, type RegistrationRecordsCase } from './registration-records-contract.ts'
